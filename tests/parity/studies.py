"""Random conditional Optuna studies, as hypothesis strategies."""

from __future__ import annotations

import math
from typing import Any

import optuna
from hypothesis import strategies as st
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState, create_trial

_BOUND = st.integers(-20, 20)


@st.composite
def distributions(draw: st.DrawFn) -> list[BaseDistribution]:
    """One to three domains that one parameter may have, single-valued ones among them."""
    kind = draw(st.sampled_from(["float", "log", "step", "int", "intlog", "intstep", "choice"]))
    made: list[BaseDistribution] = []
    for _ in range(draw(st.integers(1, 3))):
        low, width = draw(_BOUND), draw(st.integers(0, 120))
        if kind == "float":
            made.append(FloatDistribution(low / 3, low / 3 + width / 7))
        elif kind == "log":
            made.append(FloatDistribution(10 ** (low / 4), 10 ** (low / 4 + width / 30), log=True))
        elif kind == "step":
            made.append(FloatDistribution(low / 4, low / 4 + width * 0.25, step=0.25))
        elif kind == "int":
            made.append(IntDistribution(low, low + width))
        elif kind == "intlog":
            made.append(IntDistribution(abs(low) + 1, abs(low) + 1 + width, log=True))
        elif kind == "intstep":
            made.append(IntDistribution(low, low + 3 * (width // 3), step=3))
        else:
            pool = [None, True, 2.5, "a", "b", "ü", "x y"]
            made.append(CategoricalDistribution(pool[: draw(st.integers(1, len(pool)))]))
    return made


def _value(draw: st.DrawFn, distribution: BaseDistribution) -> Any:
    if isinstance(distribution, CategoricalDistribution):
        return draw(st.sampled_from(distribution.choices))
    assert isinstance(distribution, FloatDistribution | IntDistribution)
    if distribution.step is not None:
        steps = round((distribution.high - distribution.low) / distribution.step)
        value = distribution.low + draw(st.integers(0, steps)) * distribution.step
        return min(value, distribution.high)
    share = draw(st.integers(0, 196)) / 196  # cell edges and midpoints among them
    if distribution.log:
        value = math.exp(
            math.log(distribution.low)
            + share * (math.log(distribution.high) - math.log(distribution.low))
        )
    else:
        value = distribution.low + share * (distribution.high - distribution.low)
    return min(max(value, distribution.low), distribution.high)


@st.composite
def studies(draw: st.DrawFn, objectives: int | None = None) -> optuna.Study:
    """A study of up to 60 trials whose parameters come, go and change their domains."""
    count = objectives or draw(st.sampled_from([1, 1, 1, 2, 3]))
    directions = draw(
        st.lists(st.sampled_from(list(StudyDirection)[1:]), min_size=count, max_size=count)
    )
    study = optuna.create_study(directions=directions)
    names = ["a", "b b", "c.ü", "<i>d</i>"][: draw(st.integers(1, 4))]
    domains = {name: draw(distributions()) for name in names}
    # Few different objectives make ties at the thresholds.
    decimals = draw(st.sampled_from([0, 1, 6]))
    finite = st.floats(-5, 5).map(lambda v: round(v, decimals))
    loss = st.one_of(*[finite] * 8, st.sampled_from([math.inf, -math.inf]))
    for number in range(draw(st.integers(0, 60))):
        params, used = {}, {}
        for name in names:
            place = draw(st.integers(-1, len(domains[name]) - 1))
            if place >= 0:
                used[name] = domains[name][place]
                params[name] = _value(draw, used[name])
        state = draw(st.sampled_from([TrialState.COMPLETE] * 9 + [TrialState.PRUNED]))
        values = [draw(loss) for _ in range(count)] if state == TrialState.COMPLETE else None
        study.add_trial(_trial(state, values, params, used, number))
    return study


def _trial(
    state: TrialState,
    values: list[float] | None,
    params: dict[str, Any],
    used: dict[str, BaseDistribution],
    number: int,
) -> FrozenTrial:
    return create_trial(
        state=state,
        values=values,
        params=params,
        distributions=used,
        user_attrs={"number": number},
    )
