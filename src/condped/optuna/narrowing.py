"""Smaller distributions in place of an objective's own, and trials that fit them."""

from __future__ import annotations

import copy
import math
from collections.abc import Container, Iterable
from dataclasses import replace
from typing import Any

from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from condped.analyse.advice.steps import Step
from condped.space.domain import Categorical, Domain, Float, Int, frozen_choice


class Narrowing:
    """The steps of an advice that narrow the space, as distributions."""

    def __init__(self, steps: Iterable[Step]) -> None:
        self._domains: dict[tuple[str, Domain], Domain] = {
            (step.parameter, step.domain): step.proposal
            for step in steps
            if step.proposal is not None
        }
        self._names = {name for name, _ in self._domains}
        # By name and text: choices need not be hashable.
        self._narrowed: dict[tuple[str, str], BaseDistribution] = {}
        self._original: dict[tuple[str, str], BaseDistribution] = {}
        self._seen: dict[int, FrozenTrial | None] = {}  # by the trial's id

    @property
    def narrows(self) -> bool:
        """Whether any distribution becomes smaller."""
        return bool(self._domains)

    def narrowed(self, name: str, distribution: BaseDistribution) -> BaseDistribution:
        """Return the distribution to draw from instead: a part of it, or itself."""
        if name not in self._names:
            return distribution
        key = name, repr(distribution)
        if key not in self._narrowed:
            found = self._smaller(name, _domain(distribution))
            after = distribution if found is None else _distribution(found, distribution)
            self._original.setdefault((name, repr(after)), distribution)
            self._narrowed[key] = after
        return self._narrowed[key]

    def _smaller(self, name: str, domain: Domain) -> Domain | None:
        """Return what is left of a domain; None if all of it."""
        return self._domains.get((name, domain))

    def original(self, name: str, narrowed: BaseDistribution) -> BaseDistribution:
        """Return the distribution that an objective suggests from."""
        return self._original.get((name, repr(narrowed)), narrowed)

    def fitting(self, trial: FrozenTrial) -> FrozenTrial | None:
        """Return a trial as if drawn from the smaller space; None if it lies outside."""
        if trial.state.is_finished() and trial._trial_id in self._seen:
            return self._seen[trial._trial_id]
        seen = self._fitting(trial)
        if trial.state.is_finished():
            self._seen[trial._trial_id] = seen
        return seen

    def _fitting(self, trial: FrozenTrial) -> FrozenTrial | None:
        after = {}
        for name, distribution in trial.distributions.items():
            after[name] = self.narrowed(name, distribution)
            if after[name] is not distribution and not holds(after[name], trial.params[name]):
                return None
        seen = copy.copy(trial)
        seen.distributions = after
        if not trial.state.is_finished():
            # A running trial's further values may lie outside, so only those it has count.
            seen.system_attrs = {
                key: value
                for key, value in trial.system_attrs.items()
                if ":relative_params:" not in key
            }
        return seen


class LooseNarrowing(Narrowing):
    """Steps from other studies, whose domains may have different bounds or choices."""

    def _smaller(self, name: str, domain: Domain) -> Domain | None:
        found = super()._smaller(name, domain)
        known = [(before, after) for (own, before), after in self._domains.items() if own == name]
        if found is not None or len(known) != 1:
            return found
        return _rest_of_domain(domain, *known[0])


def _rest_of_domain(domain: Domain, before: Domain, after: Domain) -> Domain | None:
    """Return what is left of a domain if ``after`` is left of ``before``; None if all of it.

    A bound that was not narrowed remains that of the domain.
    """
    if isinstance(domain, Categorical):
        choices = before.choices if isinstance(before, Categorical) else ()
        kept = after.choices if isinstance(after, Categorical) else ()
        stays = [choice for choice in domain.choices if choice in kept or choice not in choices]
        return Categorical(stays) if stays else None
    if isinstance(before, Categorical) or isinstance(after, Categorical):
        return None
    low = domain.low if after.low == before.low else max(domain.low, after.low)
    high = domain.high if after.high == before.high else min(domain.high, after.high)
    if low >= high:
        return None
    if isinstance(domain, Int):
        return replace(domain, low=math.ceil(low), high=math.floor(high))
    return replace(domain, low=float(low), high=float(high))


def _domain(distribution: BaseDistribution) -> Domain:
    if isinstance(distribution, CategoricalDistribution):
        return Categorical(distribution.choices)
    assert isinstance(distribution, FloatDistribution | IntDistribution)
    low, high, log, step = distribution.low, distribution.high, distribution.log, distribution.step
    if isinstance(distribution, IntDistribution):
        return Int(int(low), int(high), log, int(step or 1))
    return Float(low, high, log, step)


def _distribution(domain: Domain, before: BaseDistribution) -> BaseDistribution:
    if isinstance(domain, Categorical):
        if isinstance(before, CategoricalDistribution):  # its own choices: condped's are hashable
            return CategoricalDistribution(
                [choice for choice in before.choices if frozen_choice(choice) in domain.choices]
            )
        if domain.single and isinstance(before, IntDistribution):
            return IntDistribution(domain.choices[0], domain.choices[0])
        if domain.single and isinstance(before, FloatDistribution):
            return FloatDistribution(domain.choices[0], domain.choices[0])
        return CategoricalDistribution(domain.choices)
    if isinstance(domain, Int):
        return IntDistribution(domain.low, domain.high, log=domain.log, step=domain.step)
    return FloatDistribution(domain.low, domain.high, log=domain.log, step=domain.step)


def holds(distribution: BaseDistribution, value: Any) -> bool:
    """Return whether a distribution contains a value."""
    try:
        return distribution._contains(distribution.to_internal_repr(value))
    except ValueError:  # not one of its choices
        return False


def only_value(distribution: BaseDistribution) -> Any:
    """Return the value of a distribution that has only one."""
    if isinstance(distribution, CategoricalDistribution):
        return distribution.choices[0]
    assert isinstance(distribution, FloatDistribution | IntDistribution)
    return distribution.low


class FittingStudy(Study):
    """A study as if drawn from the smaller space: only the trials that fit.

    Samplers only read it; what they record about a trial goes to the study's own storage.
    """

    def __init__(self, study: Study, narrowing: Narrowing) -> None:
        self._study = study
        self._narrowing = narrowing
        self.study_name = study.study_name
        self._study_id = study._study_id
        self._storage = study._storage
        self._directions = study._directions
        self.sampler = study.sampler
        self.pruner = study.pruner
        self._thread_local = study._thread_local

    def get_trials(
        self, deepcopy: bool = True, states: Container[TrialState] | None = None
    ) -> list[FrozenTrial]:
        """Return the trials that fit."""
        return self._get_trials(deepcopy, states)

    def _get_trials(
        self,
        deepcopy: bool = True,
        states: Container[TrialState] | None = None,
        use_cache: bool = False,
    ) -> list[FrozenTrial]:
        trials = self._study._get_trials(deepcopy=False, states=states, use_cache=use_cache)
        fitting = [self._narrowing.fitting(trial) for trial in trials]
        found = [trial for trial in fitting if trial is not None]
        return copy.deepcopy(found) if deepcopy else found

    def stop(self) -> None:
        """Stop the study itself."""
        self._study.stop()
