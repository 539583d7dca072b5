"""A sampler for Optuna that starts where past studies were good, and notices if they mislead."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from typing import Any

from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from condped.analyse.across.result import Across
from condped.analyse.across.start.misled import misled, proven
from condped.analyse.across.start.start_space import StartSpace
from condped.analyse.across.start.starts import Starts
from condped.errors import SettingsError
from condped.optuna.advised_sampler import LOOK_AFRESH, MARK, AdvisedSampler, Plan, afresh
from condped.optuna.narrowing import LooseNarrowing, Narrowing, holds

# For so many trials after the starts every second one is drawn from the smaller space; if it is not
# clearly better by then, every fourth.
_EVEN = 16
START = "condped:start"  # marks trials with a configuration of a past study


class InformedSampler(AdvisedSampler):
    """Draws by another sampler, first and mostly where past studies were good.

    The first trials are the configurations of :meth:`condped.Across.starts`. Then every second
    trial is drawn from the smaller space of :meth:`condped.Across.space`, the others from the whole
    space as if there were no past. Once the starts are clearly better than these, a share of
    ``explore`` is drawn from the whole space. If they are not after 16 trials, or while the best
    trial lies outside the smaller space, three of four are drawn from the whole one. As soon as it
    is clear that the past misleads, since the best trials lie outside more often than by chance,
    or ten trials in the smaller space do not reach the best one outside, a warning says so once,
    ``opened`` keeps the reason, and ``base`` draws all further trials from the whole space, without
    seeing those that the past put into the smaller one. Objectives stay as they are.

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
        explore: float = 0.1,
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
        base = self._base_sampler
        # As if there had been no past: trials that it suggested would mislead the sampler, too.
        self._smaller = self._narrowing() if self._plan is None else self._plan.narrowing
        self._without_past: Plan | None = None
        if isinstance(base, LOOK_AFRESH):
            self._without_past = Plan(_WithoutPast(self._smaller), afresh(base))
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
        plan = self._plan
        if self._opened is not None:
            return self._without_past
        if trial.number < len(self._starts):
            return plan
        seen = _Seen.of(getattr(study, "_study", study), self._smaller)
        self._open_if(misled(seen.inside, seen.outside, seen.since))
        self._proven = self._proven or proven(seen.suggested, seen.whole)
        if self._opened is not None:
            return self._without_past
        doubted = bool(seen.outside) and min(seen.outside) < min(seen.inside, default=math.inf)
        if self._proven and not doubted:
            return None if self.explores(trial.number) else plan
        if plan is None and not self._starts:
            return None
        early = trial.number < len(self._starts) + _EVEN and not doubted
        return plan if trial.number % (2 if early else 4) == 0 else self._without_past

    def _open_if(self, reason: str | None) -> None:
        with self._lock:
            first = reason is not None and self._opened is None
            self._opened = self._opened or reason
        if first:
            warnings.warn(
                f"Past studies mislead: {reason} All further trials are drawn from the whole "
                "space.",
                stacklevel=2,
            )


class _WithoutPast(Narrowing):
    """No smaller space, and only trials that the past did not put into one."""

    def __init__(self, past: Narrowing) -> None:
        super().__init__(())
        self._past = past

    def _fitting(self, trial: FrozenTrial) -> FrozenTrial | None:
        marked = MARK in trial.system_attrs or START in trial.system_attrs
        if marked and self._past.fitting(trial) is not None:
            return None
        return super()._fitting(trial)


@dataclass(slots=True)
class _Seen:
    """The losses of a new study's trials, the lower the better.

    Attributes
    ----------
    inside, outside
        Inside and outside the smaller space.
    suggested, whole
        Of starts in the smaller space, or of trials drawn from it if there are none; and of trials
        drawn from the whole space.
    since
        How many were inside since the best one.
    """

    inside: list[float] = field(default_factory=list)
    outside: list[float] = field(default_factory=list)
    suggested: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)
    since: int = 0

    @classmethod
    def of(cls, study: Study, narrowing: Narrowing) -> _Seen:
        """Look at all complete trials.

        With several objectives those of the Pareto front have the loss 0, all others 1.
        """
        seen, best = cls(), math.inf
        front = {one.number for one in study.best_trials} if len(study.directions) > 1 else None
        drawn: list[float] = []
        for trial in study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,)):
            if front is not None:
                loss = float(trial.number not in front)
            else:
                assert trial.value is not None
                loss = -trial.value if study.direction == StudyDirection.MAXIMIZE else trial.value
            fits = narrowing.fitting(trial) is not None
            (seen.inside if fits else seen.outside).append(loss)
            if MARK not in trial.system_attrs and START not in trial.system_attrs:
                seen.whole.append(loss)
            elif fits:
                (seen.suggested if START in trial.system_attrs else drawn).append(loss)
            seen.since = 0 if loss < best else seen.since + fits
            best = min(best, loss)
        seen.suggested = seen.suggested or drawn
        return seen
