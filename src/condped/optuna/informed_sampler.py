"""A sampler for Optuna that starts where past studies were good, and notices if they mislead."""

from __future__ import annotations

import warnings
from typing import Any

from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from condped.analyse.across.result import Across
from condped.analyse.across.start.misled import misled, proven
from condped.analyse.across.start.start_space import StartSpace
from condped.analyse.across.start.starts import Starts
from condped.analyse.advice.result import EXPLORE
from condped.errors import SettingsError
from condped.optuna.advised_sampler import MARK, AdvisedSampler, Plan
from condped.optuna.narrowing import LooseNarrowing, Narrowing, holds

START = "condped:start"  # marks trials with a configuration of a past study


class InformedSampler(AdvisedSampler):
    """Draws by another sampler, first and mostly where past studies were good.

    The first trials are the configurations of :meth:`condped.Across.starts`. Then every second
    trial is drawn from the smaller space of :meth:`condped.Across.space`, the others from the whole
    space, until those of the smaller one are clearly better; from then on a share of ``explore`` is
    drawn from the whole space. As soon as trials of the whole space reach the best of the study
    clearly more often, the past misleads: a warning says so once, ``opened`` keeps the reason, and
    all further trials are drawn by ``base`` alone. Objectives stay as they are.

    Parameters
    ----------
    base
        The sampler that draws. Optuna's TPE if not given.
    past
        Past studies as :func:`condped.across` compares them, or the space of these.
    explore
        The share of the trials that are drawn from the whole space.
    risk
        As for :meth:`condped.Across.space`; with so few studies that they cannot speak for it,
        nothing is narrowed.
    starts
        How many configurations of past studies to try first, or these themselves.

    Examples
    --------
    >>> import condped, optuna
    >>> from condped.optuna import InformedSampler
    >>> nested = condped.problems.get("nested")
    >>> past = condped.across([nested.sample(200, seed=seed) for seed in range(10)])
    >>> sampler = InformedSampler(optuna.samplers.RandomSampler(seed=0), past, starts=5)
    >>> study = optuna.create_study(sampler=sampler)
    >>> sampler.opened is None
    True
    """

    def __init__(
        self,
        base: BaseSampler | None = None,
        past: Across | StartSpace | None = None,
        *,
        explore: float = EXPLORE,
        risk: float = 0.1,
        starts: int | Starts = 10,
    ) -> None:
        """Ask the past for a space and for configurations to try first."""
        super().__init__(base, every=None, explore=explore)
        if not isinstance(past, Across | StartSpace):
            raise SettingsError(
                f"past must be what condped.across returns, or its space (got {past!r})."
            )
        self._starts: list[dict[str, Any]] = []
        if isinstance(starts, Starts):
            self._starts = starts.configurations
        elif isinstance(past, Across) and starts:
            self._starts = past.starts(starts).configurations
        space = past.space(risk) if isinstance(past, Across) else past
        self._steps = space.changes
        self._plan = self._new_plan()
        self._opened: str | None = None
        self._proven = False

    @property
    def opened(self) -> str | None:
        """Why the space was opened again; None while the past does not mislead."""
        return self._opened

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Return the distributions that are drawn from together; none of a start."""
        if self._start_of(trial) is not None:
            return {}
        return super().infer_relative_search_space(study, trial)

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Return values that are drawn together; none of a start, which is marked."""
        if self._start_of(trial) is None:
            return super().sample_relative(study, trial, search_space)
        study._storage.set_trial_system_attr(trial._trial_id, START, True)
        return {}

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """Return the value of a start, or one that is drawn by itself."""
        start = self._start_of(trial)
        if start is not None and param_name in start:
            value = start[param_name]
            if holds(param_distribution, value):
                return value
        return super().sample_independent(study, trial, param_name, param_distribution)

    def _start_of(self, trial: FrozenTrial) -> dict[str, Any] | None:
        return self._starts[trial.number] if trial.number < len(self._starts) else None

    def _narrowing(self) -> Narrowing:
        return LooseNarrowing(self._steps)

    def _chosen_plan(self, study: Study, trial: FrozenTrial) -> Plan | None:
        self._look(study)
        if self._opened is not None or self._plan is None:
            return None
        if trial.number < len(self._starts):
            return self._plan
        if not self._proven:
            return self._plan if trial.number % 2 else None
        return None if self.explores(trial.number) else self._plan

    def _look(self, study: Study) -> None:
        """Look whether the past has proven itself, or misleads."""
        if self._opened is not None or self._plan is None:
            return
        inside, outside = _losses(getattr(study, "_study", study))
        self._proven = self._proven or proven(inside, outside)
        reason = misled(inside, outside)
        if reason is not None:
            with self._lock:
                said, self._opened = self._opened, reason
            if said is None:
                warnings.warn(
                    f"Past studies mislead: {reason} All further trials are drawn from the whole "
                    "space.",
                    stacklevel=2,
                )


def _losses(study: Study) -> tuple[list[float], list[float]]:
    """Return the losses of trials in the smaller space, starts included, and of others.

    With several objectives those of the Pareto front are 0, all others 1.
    """
    inside: list[float] = []
    outside: list[float] = []
    complete = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
    front = {one.number for one in study.best_trials} if len(study.directions) > 1 else None
    for trial in complete:
        if front is not None:
            loss = float(trial.number not in front)
        else:
            value = trial.value
            assert value is not None
            loss = -value if study.direction == StudyDirection.MAXIMIZE else value
        marked = MARK in trial.system_attrs or START in trial.system_attrs
        (inside if marked else outside).append(loss)
    return inside, outside
