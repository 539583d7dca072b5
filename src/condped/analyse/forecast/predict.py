"""From the looks at a study so far to how many more trials would settle open verdicts."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace

import numpy as np

from condped.analyse.evidence.evidence import evidence_of, plain_p, verdict_of
from condped.analyse.forecast.result import (
    LEVEL,
    TIMES,
    Forecast,
    Outlook,
    ParameterForecast,
)
from condped.analyse.importance.set_counts import SetCounts, SetTrials
from condped.arrays import FloatArray, IntArray
from condped.estimate.calibrated_estimator import FALSE_DISCOVERIES
from condped.estimate.independence_test import adjusted
from condped.estimate.looks import look_weights, looks_until, next_look, over_looks
from condped.estimate.outlook import Growth, settling_looks

_DRAWS = 4_000
_LIKELY = 0.2  # chance below which more trials are not worth it
# Finished trials below which no parameter is given up: studies that went on still found some.
_EARLY = 100
# Shares of futures that settle a parameter before the ends of the interval. Most parameters that
# are found at all are found sooner than simulated, so less is cut off at that end.
_LOW, _HIGH = 0.03, 0.83
# By likelihood on half of the studies of docs/trust/looks.md; the other half shows how often they
# hold.
_AT_RANDOM = Growth(exponent=1.0, dead=0.5, strength=4.0)
_LEARNING = Growth(exponent=1.0, dead=0.6, strength=2.0)


@dataclass(frozen=True, slots=True)
class Course:
    """How a study went so far, and how its information is assumed to grow."""

    looks: tuple[int, ...]
    finished: int
    growth: Growth


def forecast_of(trials: SetTrials, names: tuple[str, ...]) -> Forecast:
    """Forecast all parameters at the first target set."""
    counts = SetCounts(replace(trials, settings=replace(trials.settings, looks="repeated")))
    tests = counts.look_tests
    finished = trials.given.table("A forecast").finished
    each = tests.p_values[:, 0]  # (looks, P)
    evidence = evidence_of(counts, names, "")
    decision = tests.significance.decision
    at_random = decision.at_random or decision.test == "independent"
    course = Course(tests.looks, finished, _AT_RANDOM if at_random else _LEARNING)
    limits = limits_of(counts.p_values[0])
    settled = settled_at(each, tests.looks)
    parameters = []
    for place, one in enumerate(evidence.parameters):
        found = ParameterForecast(
            one.name, one.verdict, plain_p(one.p_value), settled[place], "not testable",
            None, None, None, None, one.reason,
        )  # fmt: skip
        if one.verdict == "matters":
            found = replace(found, outlook="settled", chance=1.0)
        elif one.verdict != "not testable":
            found = _predict_parameter(found, each[:, place], limits[place], course)
        parameters.append(found)
    return Forecast(
        tuple(parameters), finished, tests.looks, next_look(finished), LEVEL, evidence.sampling
    )


def limits_of(p_values: FloatArray) -> FloatArray:
    """Return (P,): the p-value at which each would matter, given those of the others."""
    found = np.empty(len(p_values))
    tested = int(np.count_nonzero(~np.isnan(p_values)))
    for place in range(len(p_values)):
        others = p_values.copy()
        others[place] = 0.0
        passed = np.count_nonzero(adjusted(others[None])[0] <= FALSE_DISCOVERIES)
        total = tested + int(np.isnan(p_values[place]))
        found[place] = FALSE_DISCOVERIES * int(passed) / max(total, 1)
    return found


def settled_at(each: FloatArray, looks: tuple[int, ...]) -> list[int | None]:
    """Return for each of P parameters the look since which its verdict is ``matters``."""
    weights = look_weights(len(looks))
    matters = np.zeros(each.shape, dtype=bool)
    for number in range(len(each)):
        p_values = over_looks(each[: number + 1], weights[: number + 1])
        q_values = adjusted(p_values[None])[0]
        matters[number] = [
            verdict_of(p, q) == "matters" for p, q in zip(p_values, q_values, strict=True)
        ]
    found: list[int | None] = []
    for place in range(each.shape[1]):
        missing = np.flatnonzero(~matters[:, place])
        since = int(missing[-1]) + 1 if len(missing) else 0
        found.append(looks[since] if since < len(looks) else None)
    return found


def _predict_parameter(
    one: ParameterForecast, each: FloatArray, limit: float, course: Course
) -> ParameterForecast:
    last = int(np.flatnonzero(~np.isnan(each))[-1])
    every = looks_until(TIMES * course.finished)
    later = np.array([look for look in every if look > course.finished], dtype=np.int64)
    limits = limit * look_weights(len(every))[-len(later) :]
    rng = np.random.default_rng(zlib.crc32(one.name.encode("utf-8", "surrogatepass")))
    places = settling_looks(
        float(each[last]), course.looks[last], later, limits,
        growth=course.growth, rng=rng, draws=_DRAWS,
    )  # fmt: skip
    more = [
        _trials_to_settle(places, later - course.finished, share) for share in (_LOW, 0.5, _HIGH)
    ]
    chance = float(np.mean(places < len(later)))
    hopeful = chance >= _LIKELY or course.finished < _EARLY
    outlook: Outlook = "open" if hopeful else "unlikely"
    return replace(
        one, outlook=outlook, more_low=more[0], more_trials=more[1], more_high=more[2],
        chance=chance,
    )  # fmt: skip


def _trials_to_settle(places: IntArray, more: IntArray, share: float) -> int | None:
    """Return how many more trials settle it in this share of the futures; None if none do."""
    place = int(np.sort(places)[min(int(share * len(places)), len(places) - 1)])
    return None if place >= len(more) else int(more[place])
