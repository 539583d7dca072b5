"""How trials were drawn, as recorded or inferred from the trials, and how to test accordingly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from weakref import WeakKeyDictionary

import numpy as np

from condped.analyse.evidence.replaying import study_replays
from condped.arrays import FloatArray
from condped.estimate.independence_test import STRATUM
from condped.estimate.settings import Settings
from condped.trials.course.drawing import Drawing
from condped.trials.course.order import FEWEST, followed_parameter, resembles_the_last, wanders
from condped.trials.table import State, TrialTable

# ``replay``: against replays of the sampler. ``strata``: among trials drawn one after the other.
# ``both``: both, and the larger p-value counts. ``shifts``: against the same values at other times.
# ``one``: among all trials. ``independent``: among those drawn without regard to results.
# ``none``: not testable.
TestKind = Literal["replay", "strata", "both", "shifts", "one", "independent", "none"]
_MOST_TRIALS, _MOST_VALUES = 1_500, 40_000  # that are replayed, which takes up to a minute
# How much values follow earlier results, in standard errors of random draws. Univariate TPE reaches
# 30 to 110 with 50 to 200 trials, Hyperopt's 7 to 28; random draws stay below 2.
_LEARNS, _PLAINLY_TPE = 1.0, 28.0
_AVOIDS = -2.5  # a stepwise search around the best is farther from TPE's draws than chance
_LOOKED_AT = 300  # trials
MOST_STRATA = 1_000
# In decisions by which the sampler learns, and what to do then if there is no evidence: not to go
# on with another sampler, since Optuna does not record which trial was drawn by which.
LEARNS = "a sampler that learns from results"
RANDOM_IS_SOONER = (
    "The sampler learns from results: a separate study drawn at random, such as by RandomSampler, "
    "would give an answer sooner."
)
FEWEST_INDEPENDENT = 10  # trials, and their best that are compared with the others


@dataclass(frozen=True, slots=True)
class SamplingDecision:
    """How the trials are tested, and why.

    Attributes
    ----------
    test
        What a parameter is compared with.
    reason
        The same and why, in a sentence.
    """

    test: TestKind
    reason: str

    @property
    def at_random(self) -> bool:
        """Whether all trials count as drawn at random, without regard to earlier ones."""
        return self.test == "one"


_decisions: WeakKeyDictionary[TrialTable, dict[tuple[object, ...], SamplingDecision]]
_decisions = WeakKeyDictionary()


def decided(table: TrialTable, settings: Settings, by_loss: bool) -> SamplingDecision:
    """Decide for all trials of a study in memory; ``by_loss``: sorted by the objective."""
    known = _decisions.setdefault(table, {})
    key = settings.sampling, settings.startup, by_loss
    if key not in known:
        known[key] = _decide_sampling(table, settings, by_loss)
    return known[key]


def _decide_sampling(table: TrialTable, settings: Settings, by_loss: bool) -> SamplingDecision:
    large = too_many_to_replay(table)
    given = {
        "random": TREATED_AS_RANDOM,
        "ordered": _within_strata("as sampling says"),
        "tpe": _with_replays("TPE, as sampling says"),
    }
    if settings.sampling == "tpe" and large:
        return _within_strata("too many trials to replay them")
    if settings.sampling in given:
        return given[settings.sampling]
    if by_loss:
        return SORTED_BY_OBJECTIVE
    drawing = table.drawing
    if drawing is None or not drawing.samplers:
        return _as_seen(table, large, settings.startup)
    return _as_recorded(drawing, large, len(table))


def too_many_to_replay(table: TrialTable) -> bool:
    """Return whether replaying all parameters would take long."""
    values = len(table) * len(table.names)
    return len(table) > _MOST_TRIALS or values > _MOST_VALUES


def _as_recorded(drawing: Drawing, large: bool, trials: int) -> SamplingDecision:
    samplers = drawing.samplers
    names = " and ".join(dict.fromkeys(sampler.name for sampler in samplers))
    source = samplers[0].source
    if all(sampler.kind == "independent" for sampler in samplers):
        return _among_all(f"drawn without regard to results: {names}, from {source}")
    drawn = 0 if drawing.independent is None else int(np.count_nonzero(drawing.independent))
    if drawn >= FEWEST_INDEPENDENT:
        return SamplingDecision(
            "independent",
            f"Compared among the {drawn:,} of {trials:,} trials that were drawn without regard to "
            f"results, their best with the others ({names}, from {source}).",
        )
    if large:
        return _within_strata(f"{names}, from {source}; too many trials to replay them")
    known = all(sampler.kind != "other" for sampler in samplers)
    return (_with_replays if known else _with_replays_and_strata)(f"{names}, from {source}")


def _as_seen(table: TrialTable, large: bool, startup: int | None) -> SamplingDecision:
    followed = followed_parameter(table)
    if followed is not None:
        return _among_all(
            f"the rows are sorted by {followed}, so their order may not be that of time"
        )
    if len(table) < FEWEST:
        return _among_all("too few for a sampler to have learnt much")
    # The first trials of a study show whether it learnt from them.
    first = table if len(table) <= _LOOKED_AT else table.only(np.arange(_LOOKED_AT))
    follows = study_replays(first, startup).attraction()
    found = _as_followed(table, follows, 2.0 * _LEARNS if large else _LEARNS)
    if large and found.test in ("replay", "both", "shifts"):
        return _within_strata("they follow earlier trials; too many to replay them")
    return found


def _as_followed(table: TrialTable, follows: float, least: float) -> SamplingDecision:
    """Decide by how much values follow earlier results, one step ahead."""
    if follows >= _PLAINLY_TPE:
        return _with_replays("they follow earlier results as TPE does")
    if wanders(table, _losses(table)):
        return _with_shifts("each trial resembles the one before it, whatever its result was")
    if follows >= least:
        return _with_replays_and_strata("they follow earlier results, but not as TPE does")
    if follows <= _AVOIDS or resembles_the_last(table):
        return _with_shifts("they depend on earlier trials, but not as TPE's do")
    return _among_all("no parameter follows earlier results, as if drawn at random")


def _losses(table: TrialTable) -> FloatArray:
    """Return (trials,): the sum of the ranks by all objectives; NaN without a result."""
    complete = np.asarray(table.states == State.COMPLETE) & table.finite
    ranks = np.zeros(len(table))
    for objective in table.objectives:
        _, place = np.unique(objective.losses, return_inverse=True)
        ranks += place
    return np.where(complete, ranks, np.nan)


def _with_replays(why: str) -> SamplingDecision:
    return SamplingDecision("replay", f"Compared with replays of {LEARNS} ({why}).")


def _with_replays_and_strata(why: str) -> SamplingDecision:
    return SamplingDecision(
        "both",
        f"Compared with replays of {LEARNS} and among trials drawn one "
        f"after the other; the larger p-value counts ({why}).",
    )


def _within_strata(why: str) -> SamplingDecision:
    return SamplingDecision("strata", f"Compared among trials drawn one after the other ({why}).")


def _with_shifts(why: str) -> SamplingDecision:
    return SamplingDecision(
        "shifts",
        "Compared among trials drawn one after the other, and with the same values at other times "
        f"({why}).",
    )


def _among_all(why: str) -> SamplingDecision:
    return SamplingDecision("one", f"Compared among all trials ({why}).")


TREATED_AS_RANDOM = _among_all("treated as drawn at random, as sampling says")
SORTED_BY_OBJECTIVE = _among_all("the rows are sorted by the objective, not by time")


def strata_of(trials: int) -> int:
    """Return the number of strata of about ten trials to split into."""
    return max(1, min(MOST_STRATA, trials // STRATUM))
