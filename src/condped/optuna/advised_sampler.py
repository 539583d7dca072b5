"""A sampler for Optuna that requests advice while a study runs, and follows it."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from optuna.distributions import BaseDistribution
from optuna.samplers import (
    BaseSampler,
    BruteForceSampler,
    GPSampler,
    GridSampler,
    QMCSampler,
    RandomSampler,
    TPESampler,
)
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from condped.analyse.advice.advise import advise, check_explore
from condped.analyse.advice.result import EXPLORE, Advice
from condped.analyse.advice.steps import Step
from condped.errors import CondpedError, SettingsError
from condped.estimate.settings import check_target
from condped.options import is_whole_number
from condped.optuna.narrowing import FittingStudy, Narrowing, holds, only_value
from condped.safe_text import brief

# They look at the trials afresh each time, so they can work in a smaller space as well.
LOOK_AFRESH = (TPESampler, GPSampler, RandomSampler)
_INDEPENDENT = (RandomSampler, QMCSampler, GridSampler, BruteForceSampler)
_OUTSIDE = 0.1  # of the best trials
_FINISHED = (TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL)
MARK = "condped:advised"  # of trials that were drawn from a smaller space
# The user attribute of new trials that says which space they were drawn from, once there are two.
DRAWN_FROM = "condped:drawn_from"
_MOST_PLANS = 1_000  # of trials that have begun; some may never end


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """How trials are drawn from a smaller space."""

    narrowing: Narrowing
    sampler: BaseSampler | None  # of its own; None: draw from the old space, redraw outside


class AdvisedSampler(BaseSampler):
    """Draws most trials, with another sampler, from the space that :func:`condped.advise` suggests.

    Advice is requested after every ``every`` finished trials; if it narrows the space, ``base``
    draws the following trials from the smaller space and sees only the trials inside it. The share
    ``explore`` of the trials is drawn by ``base`` as if there were no advice. The space stays
    narrowed until more than a tenth of the best trials lie outside. Objective functions need no
    changes. Without advice, as in the first trials and whenever too little is known, ``base`` alone
    draws. Parameters are tested among trials drawn one after the other (``sampling="ordered"``),
    which takes milliseconds, unless ``base`` does not learn from results.

    While there is a smaller space, each trial that is drawn has the user attribute
    ``condped:drawn_from``: ``"advised space"`` or ``"old space"``.

    Which trials explore depends only on their numbers, so several threads and processes may work on
    a study, each with a sampler of its own. TPE, GP and random samplers work inside the smaller
    space; any other sampler draws as always, and values outside are redrawn at random.

    Parameters
    ----------
    base
        The sampler to use; Optuna's TPE by default.
    every
        Number of finished trials after which to request advice again; None: never.
    explore
        Share of the trials to draw from the old space.
    target_quantile
        γ': the share of trials that counts as good (the target set of :func:`condped.advise`).
    advice
        Advice to follow from the beginning, if any.

    Examples
    --------
    >>> import optuna
    >>> sampler = AdvisedSampler(optuna.samplers.RandomSampler(seed=0), every=50)
    >>> study = optuna.create_study(sampler=sampler)
    >>> study.optimize(lambda trial: trial.suggest_float("x", 0, 100) ** 2, n_trials=60)
    >>> max(trial.params["x"] for trial in study.trials[51:54]) < 30
    True
    """

    def __init__(
        self,
        base: BaseSampler | None = None,
        *,
        every: int | None = 50,
        explore: float = EXPLORE,
        target_quantile: float = 0.1,
        advice: Advice | None = None,
    ) -> None:
        """Check the arguments."""
        if base is not None and not isinstance(base, BaseSampler):
            raise SettingsError(f"base must be an Optuna sampler (got {brief(base)}).")
        if every is not None and not is_whole_number(every, 1):
            raise SettingsError(f"every must be a whole number, 1 or above, or None (got {every}).")
        check_explore(explore)
        check_target(target_quantile, 1.0)
        # condped's reader of studies looks for the wrapped sampler under this name.
        self._base_sampler = TPESampler() if base is None else base
        self._every = None if every is None else int(every)
        self._explore = float(explore)
        self._target_quantile = target_quantile
        self._steps: tuple[Step, ...] = () if advice is None else advice.changes
        self._plan = self._new_plan()
        self._requested_at = 0  # finished trials at the last request, in units of ``every``
        self._plans: dict[int, Plan | None] = {}  # by trial number
        self._lock = Lock()

    def __getstate__(self) -> dict[str, Any]:
        """Return what to pickle."""
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = Lock()

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of the advice that is being followed; empty if there is none."""
        return self._steps

    def explores(self, number: int) -> bool:
        """Return whether the trial of this number is drawn from the old space."""
        return int((number + 1) * self._explore) > int(number * self._explore)

    def reseed_rng(self) -> None:
        """Reseed the wrapped sampler, whose random numbers that of the smaller space shares."""
        self._base_sampler.reseed_rng()

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Request advice if it is due."""
        plan = self._plan_of(study, trial)
        narrows = self._plan is not None and self._plan.narrowing.narrows
        if narrows and "fixed_params" not in trial.system_attrs:  # set in enqueued trials
            space = "old space" if plan is None else "advised space"
            study._storage.set_trial_user_attr(trial._trial_id, DRAWN_FROM, space)
        self._base_sampler.before_trial(study, trial)

    def after_trial(
        self,
        study: Study,
        trial: FrozenTrial,
        state: TrialState,
        values: Sequence[float] | None,
    ) -> None:
        """Let the wrapped sampler record what it needs, such as constraints."""
        self._plans.pop(trial.number, None)
        self._base_sampler.after_trial(study, trial, state, values)

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Return the objective's distributions that are sampled jointly."""
        plan = self._plan_of(study, trial)
        if plan is None or plan.sampler is None:
            return self._base_sampler.infer_relative_search_space(study, trial)
        found = plan.sampler.infer_relative_search_space(FittingStudy(study, plan.narrowing), trial)
        return {name: plan.narrowing.original(name, own) for name, own in found.items()}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Return jointly sampled values."""
        plan = self._plan_of(study, trial)
        if plan is None:
            return self._base_sampler.sample_relative(study, trial, search_space)
        if plan.narrowing.narrows:
            study._storage.set_trial_system_attr(trial._trial_id, MARK, True)
        narrowed = {name: plan.narrowing.narrowed(name, own) for name, own in search_space.items()}
        if plan.sampler is None:
            drawn = self._base_sampler.sample_relative(study, trial, search_space)
        else:
            several = {name: own for name, own in narrowed.items() if not own.single()}
            fitting = FittingStudy(study, plan.narrowing)
            drawn = plan.sampler.sample_relative(fitting, trial, several)
        # Values outside are drawn again, independently.
        return {name: value for name, value in drawn.items() if holds(narrowed[name], value)}

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """Return the value of an independently sampled parameter."""
        plan = self._plan_of(study, trial)
        if plan is None:
            return self._base_sampler.sample_independent(
                study, trial, param_name, param_distribution
            )
        narrowed = plan.narrowing.narrowed(param_name, param_distribution)
        if narrowed.single():
            return only_value(narrowed)
        if plan.sampler is not None:
            fitting = FittingStudy(study, plan.narrowing)
            return plan.sampler.sample_independent(fitting, trial, param_name, narrowed)
        value = self._base_sampler.sample_independent(study, trial, param_name, param_distribution)
        if holds(narrowed, value):
            return value
        return RandomSampler().sample_independent(study, trial, param_name, narrowed)

    def _plan_of(self, study: Study, trial: FrozenTrial) -> Plan | None:
        """Return how a trial is drawn; always the same for one trial."""
        if trial.number not in self._plans:
            while len(self._plans) >= _MOST_PLANS:
                self._plans.pop(next(iter(self._plans)), None)
            self._plans[trial.number] = self._choose_plan(study, trial)
        return self._plans[trial.number]

    def _choose_plan(self, study: Study, trial: FrozenTrial) -> Plan | None:
        """Choose how a trial is drawn; None: from the old space."""
        self._request_if_due(study)
        return None if self.explores(trial.number) else self._plan

    def _request_if_due(self, study: Study) -> None:
        if self._every is None:
            return
        # Pruners such as Hyperband show samplers a part of the study; advice is about all of it.
        whole = getattr(study, "_study", study)
        finished = len(whole.get_trials(deepcopy=False, states=_FINISHED))
        with self._lock:
            due = finished // self._every
            if due <= self._requested_at:
                return
            self._requested_at = due
            kept = () if self._is_contradicted(whole) else self._steps
            advised = (*kept, *self._advised_steps(whole))
            steps = {(step.parameter, step.domain): step for step in advised}
            if tuple(steps.values()) != self._steps:
                self._steps = tuple(steps.values())
                self._plan = self._new_plan()

    def _advised_steps(self, study: Study) -> tuple[Step, ...]:
        """Return the narrowing that advice suggests, judging by all trials."""
        random = isinstance(self._base_sampler, _INDEPENDENT) and not any(
            MARK in trial.system_attrs for trial in study.get_trials(deepcopy=False)
        )
        try:
            advice = advise(
                study,
                target_quantile=self._target_quantile,
                sampling="random" if random else "ordered",
            )
        except CondpedError:  # no conclusion is possible from these trials
            return ()
        return advice.changes

    def _is_contradicted(self, study: Study) -> bool:
        """Return whether too many good trials lie outside the smaller space."""
        if self._plan is None:
            return False
        best = _best_trials(study, self._target_quantile)
        outside = sum(self._plan.narrowing.fitting(trial) is None for trial in best)
        return outside > _OUTSIDE * len(best)

    def _new_plan(self) -> Plan | None:
        if not self._steps:
            return None
        base = self._base_sampler
        own = afresh(base) if isinstance(base, LOOK_AFRESH) else None
        return Plan(self._narrowing(), own)

    def _narrowing(self) -> Narrowing:
        return Narrowing(self._steps)


def _best_trials(study: Study, share: float) -> list[FrozenTrial]:
    """Return the best share of the complete trials; with several objectives the Pareto front."""
    if len(study.directions) > 1:
        return study.best_trials
    complete = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
    found = [(trial.value, trial) for trial in complete if trial.value is not None]
    highest = study.direction == StudyDirection.MAXIMIZE
    found.sort(key=lambda pair: pair[0], reverse=highest)
    return [trial for _, trial in found[: math.ceil(share * len(found))]]


def afresh(sampler: BaseSampler) -> BaseSampler:
    """Return a copy of a sampler that has seen no study yet.

    Both share their random numbers, so that they never draw the same ones.
    """
    found = copy.copy(sampler)
    for name, value in vars(sampler).items():
        if type(value).__module__.startswith("optuna.search_space"):
            pruned = getattr(value, "_include_pruned", None)
            setattr(found, name, None if pruned is None else type(value)(pruned))
    return found
