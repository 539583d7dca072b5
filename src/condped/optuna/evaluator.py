"""An importance evaluator for Optuna with the same numbers, but much faster."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Unpack

import numpy as np
from optuna.importance import BaseImportanceEvaluator
from optuna.study import Study
from optuna.trial import FrozenTrial

from condped.analyse.importance.importance import importance
from condped.arrays import FloatArray
from condped.errors import SettingsError, not_found
from condped.estimate.settings import EstimatorOptions, Reference, Settings, check_target
from condped.options import check_options, takes
from condped.read import read
from condped.read.optuna.study import losses_of
from condped.safe_text import brief
from condped.trials.table import Objective, State, TrialTable


class CondPedAnovaImportanceEvaluator(BaseImportanceEvaluator):
    """A drop-in for ``optuna.importance.PedAnovaImportanceEvaluator`` of Optuna 5.0.0.

    Unnormalised values equal Optuna's to rounding, with one deliberate difference: a ``target``
    that returns one of the study's recorded objectives is explained in that objective's own
    direction, so that plots of multi-objective studies explain the good values of a maximised
    objective, not the bad ones (with a warning). Any other ``target`` is minimised, as in Optuna.

    Parameters
    ----------
    target_quantile
        γ': the share of trials that counts as good (the target set).
    evaluate_on_local
        Compare the target set with the region set (True) or with a uniform distribution over the
        search space (False); Optuna's name for ``reference``.
    **options
        Settings of the estimate, described below. ``pooling`` is ``never`` by default, as in
        Optuna.

    Examples
    --------
    >>> import optuna
    >>> study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    >>> study.optimize(lambda trial: trial.suggest_float("x", 0, 1) ** 2, n_trials=50)
    >>> optuna.importance.get_param_importances(
    ...     study, evaluator=CondPedAnovaImportanceEvaluator()
    ... )
    {'x': 1.0}
    """

    @takes(EstimatorOptions, Settings)
    def __init__(
        self,
        *,
        target_quantile: float = 0.1,
        evaluate_on_local: bool = True,
        **options: Unpack[EstimatorOptions],
    ) -> None:
        """Check the arguments."""
        check_options(CondPedAnovaImportanceEvaluator.__init__, options)
        if not evaluate_on_local and "reference" in options:
            raise SettingsError("Give either evaluate_on_local or reference, not both.")
        reference: Reference = "region" if evaluate_on_local else "space"
        self._options: EstimatorOptions = {"pooling": "never", "reference": reference, **options}
        check_target(target_quantile, Settings(**self._options).region_quantile)
        self._target_quantile = target_quantile

    def evaluate(
        self,
        study: Study,
        params: list[str] | None = None,
        *,
        target: Callable[[FrozenTrial], float] | None = None,
    ) -> dict[str, float]:
        """Return unnormalised importances, the largest first."""
        # Optuna takes values outside their domains as they are; its numbers stay equal to ours.
        table = read(study, outside="nearest")
        names = _names(table, params)
        if target is not None:
            losses = losses_of(study.get_trials(deepcopy=False), target)
            table = table.with_loss(_directed(losses, table))
        result = importance(
            table, parameters=names, target_quantile=self._target_quantile, **self._options
        )
        if names and result.reason is not None:
            warnings.warn(f"Importances are undetermined: {result.reason}", stacklevel=2)
        return result.to_dict(normalize=False)


def _names(table: TrialTable, params: list[str] | None) -> list[str]:
    """Return the parameters to assess: those of finished trials, or the given ones."""
    complete = table.states == State.COMPLETE
    known = [
        parameter.name
        for parameter in table.parameters
        if (complete & (parameter.domain_ids >= 0)).any()
    ]
    if params is None:
        return known
    if not isinstance(params, (list, tuple)) or any(not isinstance(p, str) for p in params):
        raise SettingsError(f"params must be a list of names (got {brief(params)}).")
    for name in params:
        if name not in known:
            error = not_found("parameter in a completed trial", name, known)
            # Optuna documents ValueError here.
            raise SettingsError(str(error)) from error
    return list(params)


def _directed(losses: FloatArray, table: TrialTable) -> FloatArray:
    """Return the losses, negated if they are an objective that the study maximises."""
    complete = table.states == State.COMPLETE
    found = losses[complete]

    def equals(objective: Objective, sign: float) -> bool:
        return np.array_equal(sign * objective.values[complete], found, equal_nan=True)

    same = [objective for objective in table.objectives if equals(objective, 1.0)]
    # The negative of another objective may be what the caller means; then nothing is guessed.
    negated = any(equals(objective, -1.0) for objective in table.objectives)
    if len(same) != 1 or negated or same[0].direction == "minimize":
        return losses
    warnings.warn(
        f"target returns the objective {same[0].name!r}, which the study maximises: its high "
        "values are explained.",
        stacklevel=3,
    )
    return -losses
