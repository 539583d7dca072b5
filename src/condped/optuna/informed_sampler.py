"""A sampler for Optuna that starts where past studies did well, and detects if they mislead."""

from __future__ import annotations

import copy
import math
import warnings
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.samplers._lazy_random_state import LazyRandomState
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from condped.analyse.across.result import Across
from condped.analyse.across.start.misled import inside_since, misled, proven
from condped.analyse.across.start.start_space import StartSpace
from condped.analyse.across.start.starts import Starts
from condped.errors import SettingsError
from condped.optuna.advised_sampler import LOOK_AFRESH, MARK, AdvisedSampler, Plan, afresh
from condped.optuna.narrowing import LooseNarrowing, Narrowing, holds
from condped.safe_text import brief

START = "condped:start"  # marks trials with a configuration of a past study
# How often a branch that the past leaves out has to be tried, as one trial may be unlucky; and how
# many trials of the whole space suffice even if they missed it.
_TRIES, _ENOUGH = 2, 12


@dataclass(frozen=True, slots=True, eq=False)
class _Start(Plan):
    """A configuration of a past study; missing parameters are drawn from the smaller space."""

    values: dict[str, Any]


class InformedSampler(AdvisedSampler):
    """Draws with another sampler, first and mostly where past studies did well.

    At first, trials alternate. Trials 0, 2, 4, … are the configurations of
    :meth:`condped.Across.starts` and, once all of these have been tried, are drawn from the smaller
    space of :meth:`condped.Across.space`; the others are drawn by ``base`` from the whole space as
    if there were no past studies. Once the suggested trials are clearly better, and every branch
    that the past leaves out was tried twice (or there were twelve trials of the whole space), only
    the share ``explore`` is drawn from the whole space, as long as the best trial lies in the
    smaller one. As soon as the past is clearly misleading, because the best trials lie outside more
    often than by chance, or ten trials inside do not regain a lead lost to one outside, a warning
    says so once, ``opened`` keeps the reason, and ``base`` draws all further trials as if there
    were no past studies: only the trials spent so far are lost. Objective functions need no
    changes.

    ``base`` does not see suggested trials, unless they explore or nothing is narrowed, so TPE, GP
    and random samplers draw what they would draw alone; other samplers see every trial.

    Parameters
    ----------
    base
        The sampler to use; Optuna's TPE by default.
    past
        Past studies as compared by :func:`condped.across`, or their space.
    explore
        Share of the trials to draw from the whole space once the past has proved right.
    risk
        As for :meth:`condped.Across.space`; with too few studies to justify it, nothing is
        narrowed, and a warning says so.
    starts
        How many configurations of past studies to try, or the configurations themselves.

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
        starts: int | Starts = 5,
    ) -> None:
        """Get a space and configurations to try first from the past studies."""
        super().__init__(base, every=None, explore=explore)
        if not isinstance(past, Across | StartSpace):
            raise SettingsError(
                f"past must be a result of condped.across, or its space (got {brief(past)})."
            )
        self._starts: list[dict[str, Any]] = []
        if isinstance(starts, Starts):
            self._starts = starts.configurations
        elif isinstance(past, Across) and starts:
            self._starts = past.starts(starts).configurations
        space = past.space(risk) if isinstance(past, Across) else past
        if space.too_few is not None:
            warnings.warn(space.too_few, stacklevel=2)
        self._steps = space.changes
        self._left_out = frozenset(space.dropped)
        self._plan = self._new_plan()
        self._smaller = self._narrowing() if self._plan is None else self._plan.narrowing
        self._without_past: Plan | None = None
        if self._plan is not None and isinstance(self._base_sampler, LOOK_AFRESH):
            self._without_past = Plan(_WithoutPast(), afresh(self._base_sampler))
        self._opened: str | None = None
        self._proven = False

    @property
    def opened(self) -> str | None:
        """Why the whole space is used again; None unless the past misled."""
        return self._opened

    def reseed_rng(self) -> None:
        """Reseed the wrapped sampler and that of the smaller space."""
        super().reseed_rng()
        if self._plan is not None and self._plan.sampler is not None:
            self._plan.sampler.reseed_rng()

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Return the jointly sampled distributions; none for a start."""
        if isinstance(self._plan_of(study, trial), _Start):
            return {}
        return super().infer_relative_search_space(study, trial)

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Return jointly sampled values; none for a start, which is marked."""
        if not isinstance(self._plan_of(study, trial), _Start):
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
        """Return the value of a start, or an independently sampled one."""
        plan = self._plan_of(study, trial)
        if isinstance(plan, _Start) and param_name in plan.values:
            value = plan.values[param_name]
            if holds(param_distribution, value):
                return value
        return super().sample_independent(study, trial, param_name, param_distribution)

    def _new_plan(self) -> Plan | None:
        plan = super()._new_plan()
        if plan is None or plan.sampler is None:
            return plan
        # Draws from the whole space are then those of ``base`` without a past.
        return replace(plan, sampler=_with_other_numbers(self._base_sampler))

    def _narrowing(self) -> Narrowing:
        return LooseNarrowing(self._steps)

    def _choose_plan(self, study: Study, trial: FrozenTrial) -> Plan | None:
        if self._opened is not None:
            return self._without_past
        seen = _SeenLosses.of(getattr(study, "_study", study), self._smaller)
        self._open_if(misled(seen.inside, seen.outside, seen.since))
        if self._opened is not None:
            return self._without_past
        tried = all(seen.tried[name] >= _TRIES for name in self._left_out)
        known = tried or len(seen.whole) >= _ENOUGH
        self._proven = self._proven or (known and proven(seen.suggested, seen.whole))
        turn, whole = divmod(trial.number, 2)
        if not whole and turn < len(self._starts):
            sampler = None if self._plan is None else self._plan.sampler
            return _Start(self._smaller, sampler, self._starts[turn])
        best_inside = min(seen.inside, default=math.inf)
        if self._proven and best_inside <= min(seen.outside, default=math.inf):
            return None if self.explores(trial.number) else self._plan
        return self._without_past if whole else self._plan

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
    """No smaller space, and only trials not suggested by the past."""

    def __init__(self) -> None:
        super().__init__(())

    def _fitting(self, trial: FrozenTrial) -> FrozenTrial | None:
        return None if _is_marked(trial) else super()._fitting(trial)


def _is_marked(trial: FrozenTrial) -> bool:
    return MARK in trial.system_attrs or START in trial.system_attrs


def _with_other_numbers(sampler: BaseSampler) -> BaseSampler:
    """Return a copy of a sampler that has seen no study, with independent random numbers.

    It is as reproducible as the original, and uses up none of its random numbers.
    """
    found = afresh(sampler)
    for name, value in vars(sampler).items():
        if isinstance(value, BaseSampler):
            setattr(found, name, _with_other_numbers(value))
        elif isinstance(value, LazyRandomState):
            own = copy.deepcopy(value)
            own.rng.seed(own.rng.randint(2**31))
            setattr(found, name, own)
    return found


@dataclass(slots=True)
class _SeenLosses:
    """The losses of a new study's trials, the lower the better.

    Attributes
    ----------
    inside, outside
        Of trials inside and outside the smaller space.
    suggested, whole
        Of trials that the past suggested, inside the smaller space; and of those drawn from the
        whole space.
    since
        How many trials have been inside since one outside took the lead.
    tried
        How many trials drawn from the whole space have each parameter.
    """

    inside: list[float] = field(default_factory=list)
    outside: list[float] = field(default_factory=list)
    suggested: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)
    since: int = 0
    tried: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, study: Study, narrowing: Narrowing) -> _SeenLosses:
        """Return the losses of all complete trials.

        With several objectives, trials on the Pareto front have loss 0, all others 1.
        """
        seen, losses, within = cls(), [], []
        front = {one.number for one in study.best_trials} if len(study.directions) > 1 else None
        for trial in study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,)):
            if front is not None:
                loss = float(trial.number not in front)
            else:
                assert trial.value is not None
                loss = -trial.value if study.direction == StudyDirection.MAXIMIZE else trial.value
            fits = narrowing.fitting(trial) is not None
            (seen.inside if fits else seen.outside).append(loss)
            if not _is_marked(trial):
                seen.whole.append(loss)
                seen.tried.update(trial.params)
            elif fits:
                seen.suggested.append(loss)
            losses.append(loss)
            within.append(fits)
        seen.since = inside_since(losses, within)
        return seen
