"""condPED-ANOVA as an importance evaluator of Optuna: the same numbers, much sooner."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from condped.errors import MissingLibraryError, SettingsError, not_found
from condped.importance.point import importance
from condped.importance.settings import check_target
from condped.read import read
from condped.trials import Objective, State, TrialTable

try:
    from optuna.importance import BaseImportanceEvaluator
    from optuna.study import Study
    from optuna.trial import FrozenTrial
except ImportError as error:
    raise MissingLibraryError(feature="condped.optuna", library="Optuna", extra="optuna") from error


class CondPedAnovaImportanceEvaluator(BaseImportanceEvaluator):
    """A drop-in for ``optuna.importance.PedAnovaImportanceEvaluator`` of Optuna 5.0.0.

    Unnormalised values equal Optuna's to rounding, with one difference on purpose: a ``target``
    that returns one of the study's objectives as recorded is explained in that objective's own
    direction, so that plots of multi-objective studies explain the good values of a maximised
    objective and not the bad ones. Any other ``target`` is minimised, as in Optuna.

    Parameters
    ----------
    target_quantile
        γ': the best trials of this share are the target set.
    region_quantile
        γ: the importance is measured inside the best trials of this share.
    evaluate_on_local
        Compare the target set with the region set (True) or with a uniform distribution over
        the search space (False).

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

    def __init__(
        self,
        *,
        target_quantile: float = 0.1,
        region_quantile: float = 1.0,
        evaluate_on_local: bool = True,
    ) -> None:
        check_target(target_quantile, region_quantile)
        if not 0 < region_quantile <= 1:
            raise SettingsError(f"region_quantile must be at most 1 (got {region_quantile}).")
        self._target_quantile = target_quantile
        self._region_quantile = region_quantile
        self._evaluate_on_local = evaluate_on_local

    def evaluate(
        self,
        study: Study,
        params: list[str] | None = None,
        *,
        target: Callable[[FrozenTrial], float] | None = None,
    ) -> dict[str, float]:
        """Return unnormalised importances, the largest first."""
        table = read(study)
        names = _names(table, params)
        if target is not None:
            loss = read(study, loss=target).objectives[0]
            table = table.with_loss(_directed(loss, table))
        result = importance(
            table,
            parameters=names,
            target_quantile=self._target_quantile,
            region_quantile=self._region_quantile,
            reference="region" if self._evaluate_on_local else "space",
        )
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
        raise SettingsError(f"params must be a list of names (got {params!r}).")
    for name in params:
        if name not in known:
            error = not_found("parameter in a completed trial", name, known)
            # Optuna documents ValueError here.
            raise SettingsError(str(error)) from error
    return list(params)


def _directed(loss: Objective, table: TrialTable) -> Any:
    """Return the loss, its sign turned if it is an objective that the study maximises."""
    complete = table.states == State.COMPLETE
    same = [
        objective.direction
        for objective in table.objectives
        if np.array_equal(objective.values[complete], loss.values[complete], equal_nan=True)
    ]
    return -loss.values if set(same) == {"maximize"} else loss.values
