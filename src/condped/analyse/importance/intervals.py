"""Intervals: how far the numbers would move with other trials of the same kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from condped.analyse.importance.estimates import Numbers
from condped.analyse.importance.set_counts import SetCounts
from condped.analyse.options import Question
from condped.arrays import FloatArray
from condped.count.resampling import Intervals
from condped.count.target_sets import Sets
from condped.count.trials import Trials
from condped.estimate.formula import normalised
from condped.estimate.subsample_variances import subset_variances


@dataclass(frozen=True, slots=True, eq=False)
class Bands:
    """Intervals of T target sets and P parameters.

    Attributes
    ----------
    error
        (T, P): the standard error.
    low, high
        (T, P): the ends, inside what the number can be.
    """

    error: FloatArray
    low: FloatArray
    high: FloatArray

    def at(self, place: int) -> Bands:
        """Return the intervals of one target set."""
        one = slice(place, place + 1)
        return Bands(self.error[one], self.low[one], self.high[one])


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
    numbers: Numbers, counts: SetCounts, question: Question, pooled: Sequence[str]
) -> Uncertainty | None:
    """Return intervals around the numbers; None where there are too few trials to halve.

    Cut-offs are found anew in each subset; cells are those of the whole.
    """
    trials, intervals = counts.trials, question.intervals
    assert trials is not None
    assert intervals is not None
    replicated = _replicated(trials.raw, trials.top, question)
    if replicated is None:
        return None
    variance, kappa = replicated
    if pooled:
        # As for the whole: what raw values show, or unit values if they show more.
        places = [place for place, name in enumerate(numbers.names) if name in pooled]
        again = _replicated(trials.unit, trials.top, question)
        assert again is not None
        variance[:, :, places] = np.maximum(variance[:, :, places], again[0][:, :, places])
    # What has no evidence in the whole has its share in the parts: this is uncertain, too.
    shares = normalised(variance)
    spread = np.broadcast_to(kappa * (1.0 - kappa), variance.shape)
    explained = np.divide(variance, spread, out=np.zeros_like(variance), where=spread > 0)
    reach = NormalDist().inv_cdf(0.5 + question.level / 2)
    # Where all trials are alike the parts show nothing but rounding.
    moves = 0.0 if trials.top.all_equal else 1.0
    return Uncertainty(
        importance=_bands(numbers.importance, moves * shares, intervals, reach, highest=1.0),
        variance=_bands(numbers.variance, moves * variance, intervals, reach, highest=np.inf),
        eta_squared=_bands(numbers.eta_squared, moves * explained, intervals, reach, highest=1.0),
    )


def _replicated(
    trials: Trials, top: Sets, question: Question
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


def _bands(
    whole: FloatArray, parts: FloatArray, intervals: Intervals, reach: float, *, highest: float
) -> Bands:
    """Return the standard error from (S, T, P) parts, and what lies within reach of the whole."""
    if intervals == "half-sampling":
        # Half of the trials, drawn without replacement, scatter as much as the whole does.
        error = parts.std(axis=0, ddof=1)
    else:
        groups = len(parts)
        error = np.sqrt((groups - 1) / groups * ((parts - parts.mean(axis=0)) ** 2).sum(axis=0))
    low = np.maximum(whole - reach * error, 0.0)
    # Around what the parts show where the whole was set to 0 for lack of evidence.
    middle = np.where(whole > 0, whole, parts.mean(axis=0))
    high = np.maximum(np.minimum(middle + reach * error, highest), whole)
    return Bands(error, low, high)
