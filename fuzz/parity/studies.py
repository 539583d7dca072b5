"""Conditional studies with extreme values, drawn by a seed."""

from __future__ import annotations

import datetime
import math
import warnings
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.storages import InMemoryStorage
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

Numeric: TypeAlias = FloatDistribution | IntDistribution

_HUGE, _TINY, _LEAST = 1.7976931348623157e308, 2.2250738585072014e-308, 5e-324
_FLOATS = [
    (-_HUGE, _HUGE), (-1e308, 1e308), (0.0, _HUGE), (1e308, _HUGE), (-_LEAST, _LEAST),
    (0.0, _LEAST), (0.0, 49 * _LEAST), (-_TINY, _TINY), (1.0, math.nextafter(1.0, 2.0)),
    (2.0**53, 2.0**53 + 6), (-1e-300, 1e300), (0.0, 0.0), (-0.0, 1.0), (-8e307, 8e307),
]  # fmt: skip
_LOGS = [
    (_LEAST, _HUGE), (_LEAST, 1e-320), (1.0, math.nextafter(1.0, 2.0)), (_TINY, 1.0),
    (1e307, _HUGE), (1e-5, 1e-1), (3.0, 3.0), (0.9999999999999999, 1.0000000000000002),
]  # fmt: skip
_STEPS = [
    (0.0, 1.0, 0.1), (0.1, 0.9, 0.3), (-1e308, 1e308, 1e307), (0.0, 1e-320, 5e-324),
    (0.0, 1e308, 1e306), (1e15, 1e15 + 10, 0.5), (-1.0, 1.0, 3.0), (0.0, 4.9, 0.1),
    (0.0, 1.0, 1e-9), (-7e307, 7e307, 1e306),
]  # fmt: skip
_INTS = [
    (2**62, 2**63 - 1), (2**62, 2**63), (-(2**63), 2**63 - 1), (-(2**62), 2**62),
    (2**63, 2**64), (0, 2**53 + 1), (10**30, 10**30 + 9), (-(10**40), 10**40),
    (2**63 - 4, 2**63 - 1), (-(2**63), -(2**63) + 60), (2**62, 2**62 + 1), (7, 7),
    (2**53, 2**53 + 40), (-(2**64), -(2**63)),
]  # fmt: skip
_LOG_INTS = [(1, 2**62), (1, 2**63 - 1), (2**62, 2**63), (1, 1), (1, 2), (1, 10**30), (3, 3000)]
_STEP_INTS = [(0, 2**62, 2**56), (-(2**63), 2**63 - 1, 2**60), (2**62, 2**63, 2**61), (0, 98, 7)]
# Equal choices of different types, and some that equal nothing, not even themselves.
_CHOICES: list[Any] = [
    None, True, 1, 1.0, False, 0, -0.0, "1", "True", "None", "nan", math.nan, math.inf, -math.inf,
    2**63, 1e308, _LEAST, "", " ", "ü", "a,b", "=1+1", "x" * 200, 2.5, -1,
]  # fmt: skip
_NAMES = ["a", "b b", "c.ü", "<i>d</i>", "", "value", "params_x", "\t"]
_VALUES = [
    1e308, -1e308, _HUGE, -_HUGE, _LEAST, -_LEAST, 0.0, -0.0, 1e-308, 1.0, math.nextafter(1, 2),
    math.inf, -math.inf, math.nan, 2.0**62, 2.0**63, 1e154, -1e154, 1e-160,
]  # fmt: skip


class Studies:
    """Draws studies; the same seed and number give the same study."""

    def __init__(self, seed: int, number: int) -> None:
        self.rng = np.random.default_rng([seed, number])
        # How extreme a study is: some are tame, so that small effects are compared, too.
        self.wild = float(self.rng.choice([0.0, 0.2, 0.8]))

    def study(self) -> optuna.Study:
        """Return a study whose parameters come, go and change their domains."""
        rng = self.rng
        objectives = int(rng.choice([1, 1, 1, 2, 3, 4, 5]))
        trials = self._count(objectives)
        directions = [StudyDirection(int(rng.integers(1, 3))) for _ in range(objectives)]
        storage = InMemoryStorage()
        study = optuna.create_study(directions=directions, storage=storage)
        (study_id,) = (one._study_id for one in storage.get_all_studies())
        names = [str(name) for name in rng.permutation(_NAMES)[: rng.integers(1, 6)]]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # bounds that are off the steps are moved
            domains = {name: self._domains() for name in names}
        often = {name: float(rng.choice([0.3, 0.7, 1.0])) for name in names}
        constrained = rng.random() < 0.2
        draw_loss = self._losses()
        for number in range(trials):
            used = {
                name: domains[name][int(rng.integers(len(domains[name])))]
                for name in names
                if rng.random() < often[name]
            }
            params = {name: self._value(domain) for name, domain in used.items()}
            trial = self._trial(number, params, used, draw_loss, objectives)
            if constrained and trial.state == TrialState.COMPLETE and rng.random() < 0.9:
                trial.set_constraint("c", float(rng.choice([-1.0, 0.0, 1.0, _LEAST, 1e308])))
            storage.create_new_trial(study_id, template_trial=trial)
        return study

    def _count(self, objectives: int) -> int:
        few, most = int(self.rng.integers(0, 12)), 120 if objectives < 4 else 50
        return few if self.rng.random() < 0.15 else int(self.rng.integers(10, most))

    def _domains(self) -> list[BaseDistribution]:
        """Return one to four domains of a parameter, mostly of one kind."""
        rng = self.rng
        makers = [self._float, self._log, self._step, self._int, self._log_int, self._step_int,
                  self._choice]  # fmt: skip
        maker = makers[int(rng.integers(len(makers)))]
        mixed = rng.random() < 0.1 * self.wild
        found: list[BaseDistribution] = []
        for _ in range(int(rng.choice([1, 1, 2, 3, 4]))):
            found.append(maker())
            if mixed:
                maker = makers[int(rng.integers(len(makers)))]
        return found

    def _extreme_case(self, cases: list[Any]) -> Any:
        """Return one of the cases, or None where a study is tame."""
        return cases[int(self.rng.integers(len(cases)))] if self.rng.random() < self.wild else None

    def _float(self) -> BaseDistribution:
        low = float(self.rng.normal() * 10.0 ** self.rng.integers(-3, 4))
        width = float(self.rng.exponential() * 10.0 ** self.rng.integers(-3, 4))
        return FloatDistribution(*(self._extreme_case(_FLOATS) or (low, low + width)))

    def _log(self) -> BaseDistribution:
        low = float(10 ** self.rng.uniform(-9, 3))
        high = low * float(10 ** self.rng.uniform(0, 6))
        low, high = self._extreme_case(_LOGS) or (low, high)
        return FloatDistribution(low, high, log=True)

    def _step(self) -> BaseDistribution:
        step = float(self.rng.choice([0.1, 0.25, 0.3, 1.0, 7.0]))
        low = round(float(self.rng.normal() * 5), 2)
        case = self._extreme_case(_STEPS) or (
            low,
            low + step * int(self.rng.integers(0, 150)),
            step,
        )
        low, high, step = case
        return FloatDistribution(low, high, step=step)

    def _int(self) -> BaseDistribution:
        low, width = int(self.rng.integers(-50, 50)), int(self.rng.integers(0, 200))
        return IntDistribution(*(self._extreme_case(_INTS) or (low, low + width)))

    def _log_int(self) -> BaseDistribution:
        low, width = int(self.rng.integers(1, 50)), int(self.rng.integers(0, 2000))
        low, high = self._extreme_case(_LOG_INTS) or (low, low + width)
        return IntDistribution(low, high, log=True)

    def _step_int(self) -> BaseDistribution:
        step, low = int(self.rng.integers(1, 9)), int(self.rng.integers(-50, 50))
        own = (low, low + step * int(self.rng.integers(0, 80)), step)
        low, high, step = self._extreme_case(_STEP_INTS) or own
        return IntDistribution(low, high, step=step)

    def _choice(self) -> BaseDistribution:
        count = int(self.rng.integers(1, 9))
        if self.rng.random() >= self.wild:
            return CategoricalDistribution([f"c{place}" for place in range(count)])
        order = self.rng.permutation(len(_CHOICES))[:count]
        return CategoricalDistribution([_CHOICES[place] for place in order])

    def _value(self, domain: BaseDistribution) -> Any:
        if isinstance(domain, CategoricalDistribution):
            # The lower end more often, so that there is something to find.
            place = min(self.rng.integers(len(domain.choices), size=2))
            return domain.choices[int(place)]
        assert isinstance(domain, FloatDistribution | IntDistribution)
        end = self.rng.random()
        if end < 0.08:
            return domain.low if end < 0.04 else domain.high
        # Ends, edges of cells and their middles among the shares.
        share = float(self.rng.choice([self.rng.random() ** 2, self.rng.integers(0, 197) / 196]))
        if domain.step is not None:
            return _value_on_step(domain, share)
        low, high = domain.low, domain.high
        if domain.log:
            low, high = math.log(low), math.log(high)
        value = low * (1 - share) + high * share
        return min(max(math.exp(value) if domain.log else value, domain.low), domain.high)

    def _losses(self) -> Callable[[int], list[float]]:
        """Return what draws the objectives of a trial: few different values make ties."""
        rng, decimals = self.rng, int(self.rng.choice([0, 1, 3, 15]))
        scale = 1.0
        if rng.random() < self.wild / 2:
            scale = float(rng.choice([1e-320, 1e-300, 1e-150, 1e150, 1e300, 1e307]))
        odd = float(rng.choice([0.0, 0.05, 0.5])) * self.wild

        def draw(count: int) -> list[float]:
            plain = np.round(rng.normal(size=count), decimals) * scale
            extremes = np.array(_VALUES)[rng.integers(len(_VALUES), size=count)]
            return [float(v) for v in np.where(rng.random(count) < odd, extremes, plain)]

        return draw

    def _trial(
        self,
        number: int,
        params: dict[str, Any],
        used: dict[str, BaseDistribution],
        draw: Callable[[int], list[float]],
        objectives: int,
    ) -> FrozenTrial:
        kinds = [TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL, TrialState.RUNNING,
                 TrialState.WAITING]  # fmt: skip
        state = kinds[int(self.rng.choice(5, p=[0.86, 0.06, 0.04, 0.02, 0.02]))]
        values = draw(objectives) if state == TrialState.COMPLETE else None
        begun = datetime.datetime(2025, 1, 1) + datetime.timedelta(seconds=60 * number)
        reported = {0: draw(1)[0]} if state == TrialState.PRUNED else {}
        return FrozenTrial(
            number=-1,
            trial_id=-1,
            state=state,
            value=None,
            values=values,
            datetime_start=None if state == TrialState.WAITING else begun,
            datetime_complete=(
                begun + datetime.timedelta(seconds=int(self.rng.integers(1, 60)))
                if state.is_finished()
                else None
            ),
            params=params,
            distributions=used,
            user_attrs={},
            system_attrs={},
            intermediate_values=reported,
        )


def _value_on_step(domain: Numeric, share: float) -> float:
    """Return a value on the domain's steps."""
    assert domain.step is not None
    if isinstance(domain, IntDistribution):
        if domain.log:
            low, high = math.log(domain.low), math.log(domain.high)
            value = round(math.exp(low * (1 - share) + high * share))
            return min(max(value, domain.low), domain.high)
        steps = (domain.high - domain.low) // domain.step
        return domain.low + int(share * steps) * domain.step
    width = domain.high / 2 - domain.low / 2  # half, which is finite
    steps = int(share * 2 * min(width / domain.step, 2.0**52))
    return min(domain.low + steps * domain.step, domain.high)
