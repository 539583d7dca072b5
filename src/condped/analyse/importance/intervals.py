"""Intervals: how much the numbers would vary with other trials of the same kind."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from condped.analyse.importance.estimates import ImportanceEstimates
from condped.analyse.importance.set_counts import SetCounts
from condped.analyse.options import Question
from condped.arrays import FloatArray
from condped.count.target_sets import NestedSets
from condped.count.trials import Trials
from condped.estimate.formula import normalised
from condped.estimate.subsample_variances import subset_variances

_STEADY = 0.5  # of the median error; chosen by coverage on the problems of docs/trust/statistics.md
_DRAWS = 400


@dataclass(frozen=True, slots=True, eq=False)
class Bands:
    """Intervals of T target sets and P parameters.

    Attributes
    ----------
    error
        (T, P): the standard error.
    low, high
        (T, P): the ends of each interval by itself, within the number's range.
    joint_low, joint_high
        (T, P): wider ones, which hold all T × P numbers at once with the stated probability.
    """

    error: FloatArray
    low: FloatArray
    high: FloatArray
    joint_low: FloatArray
    joint_high: FloatArray

    def at(self, place: int) -> Bands:
        """Return the intervals of one target set; joint ones still hold for all sets."""
        return Bands(*(getattr(self, one.name)[place : place + 1] for one in fields(self)))


@dataclass(frozen=True, slots=True, eq=False)
class Uncertainty:
    """Intervals of the three numbers that a parameter has."""

    importance: Bands
    variance: Bands
    eta_squared: Bands

    def at(self, place: int) -> Uncertainty:
        """Return the intervals of one target set."""
        return Uncertainty(
            self.importance.at(place), self.variance.at(place), self.eta_squared.at(place)
        )


def uncertainty(
    numbers: ImportanceEstimates, counts: SetCounts, question: Question, pooled: Sequence[str]
) -> Uncertainty | None:
    """Return intervals around the numbers; None if there are too few trials to halve.

    Cut-offs are found anew in each subset; cells are those of the whole. What the sampler alone
    gives is subtracted from the estimate, but not from subsets: hardly anything would be left of
    many of them, and intervals would shrink to a point or reach from 0 to 1.
    """
    trials = counts.trials
    assert trials is not None
    parts = replicated(trials.raw, trials.top, question)
    if parts is None:
        return None
    variance, kappa = parts
    if pooled:
        # As for the whole: what raw values show, or unit values if they show more.
        places = [place for place, name in enumerate(numbers.names) if name in pooled]
        again = replicated(trials.unit, trials.top, question)
        assert again is not None
        variance[:, :, places] = np.maximum(variance[:, :, places], again[0][:, :, places])
    rest: FloatArray | float = 0.0
    if question.settings.method == "calibrated":
        # Parts share out what passed the test in the whole, with a rest as in the whole.
        passed = np.where(numbers.variance > 0, np.maximum(variance, 0.0), 0.0).sum(axis=-1)
        rest, variance = variance.sum(axis=-1), np.maximum(variance, 0.0)
        rest = np.maximum(passed, rest) - variance.sum(axis=-1)
    # Parameters without evidence in the whole have shares in the parts: that is uncertain, too.
    shares = np.minimum(normalised(variance, rest), 1.0)
    spread = np.broadcast_to(kappa * (1.0 - kappa), variance.shape)
    explained = np.divide(variance, spread, out=np.zeros_like(variance), where=spread > 0)
    # If all trials are equal, the parts differ only by rounding.
    moves = 0.0 if trials.top.all_equal else 1.0
    return Uncertainty(
        importance=_bands(numbers.importance, moves * shares, question, highest=1.0),
        variance=_bands(numbers.variance, moves * variance, question, highest=np.inf),
        eta_squared=_bands(numbers.eta_squared, moves * explained, question, highest=1.0),
    )


def replicated(
    trials: Trials, top: NestedSets, question: Question
) -> tuple[FloatArray, FloatArray] | None:
    """Return (S, T, P) variances and (S, T, 1) shares of the target set in the region set."""
    settings = question.settings
    assert question.intervals is not None
    parts = trials.subsets(
        top,
        question.quantiles,
        settings.region_quantile,
        intervals=question.intervals,
        seed=question.seed,
        by_rank=settings.method == "calibrated",
    )
    if parts is None:
        return None
    variances, kappas = [], []
    for counts in parts.counts:
        variances.append(subset_variances(counts, parts.ranges, len(trials.names), settings))
        kappas.append(counts.target_sizes / np.maximum(counts.region_sizes, 1)[:, None])
    return np.concatenate(variances), np.concatenate(kappas)[:, :, None]


def _bands(whole: FloatArray, parts: FloatArray, question: Question, *, highest: float) -> Bands:
    """Return intervals around (T, P) numbers of the whole, from those of (S, T, P) parts."""
    middle, deviations = parts.mean(axis=0), parts - parts.mean(axis=0)
    if question.intervals == "half-sampling":
        # Halves drawn without replacement scatter as much as the whole does.
        error = parts.std(axis=0, ddof=1)
    else:
        groups = len(parts)
        error = np.sqrt((groups - 1) / groups * (deviations**2).sum(axis=0))
        # So few parts show how numbers scatter together, but not their extremes: these are drawn
        # from the normal distribution with their covariances.
        deviations = _draw_sums(deviations * np.sqrt((groups - 1) / groups), question.seed)
    # Centred on the parts if the whole was set to 0 for lack of evidence.
    middle = np.where(whole > 0, whole, middle)

    def ends(reach: FloatArray) -> tuple[FloatArray, FloatArray]:
        low = np.maximum(whole - reach, 0.0)
        return low, np.maximum(np.minimum(middle + reach, highest), whole)

    alone = NormalDist().inv_cdf(0.5 + question.level / 2) * error
    joint = np.maximum(_joint_reach(deviations, error, question.level), alone)
    return Bands(error, *ends(alone), *ends(joint))


def _joint_reach(deviations: FloatArray, error: FloatArray, level: float) -> FloatArray:
    """Return (T, P): how far from the whole all numbers at once stay, with probability ``level``.

    By the largest deviation in units of the standard error ("max-t"). A part of a typical error is
    added to each, or numbers that hardly ever vary would decide alone.
    """
    moving = error > 0
    if not moving.any():
        return error
    unit = np.where(moving, error + _STEADY * _quantile(error[moving], 0.5), 1.0)
    largest = (np.abs(deviations) / unit).max(axis=(1, 2))
    return np.where(moving, _quantile(largest, level) * unit, 0.0)


def _quantile(numbers: FloatArray, share: float) -> float:
    """Return a quantile as ``np.quantile`` does, ten times as fast for so few numbers."""
    ordered = np.sort(numbers)
    place = share * (len(ordered) - 1)
    low, high = float(ordered[math.floor(place)]), float(ordered[math.ceil(place)])
    return low + (place - math.floor(place)) * (high - low)


def _draw_sums(deviations: FloatArray, seed: int) -> FloatArray:
    """Return sums of (groups, T, P) deviations with normal weights."""
    return np.tensordot(_weights(seed, len(deviations)), deviations, axes=1)


@lru_cache(maxsize=8)  # 64 kB for the 20 groups of a jackknife, the same in every study
def _weights(seed: int, groups: int) -> FloatArray:
    return np.random.default_rng(seed).standard_normal((_DRAWS, groups))
