"""The statistic of many series of values side by side: by rank, among all and within strata."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from condped.arrays import BoolArray, FloatArray, IntArray
from condped.estimate.independence_test import STRATUM, form_sums, kernel_of_test, quadratic_form
from condped.estimate.leave_one_out import twiced_excess

MOST_CELLS = 50
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Statistics of S series and T target sets, first among all trials, then within strata of time.

    Attributes
    ----------
    statistic, mean, variance
        (2, S, T): the statistic, and its moments if hits were drawn at random; they add up.
    excess
        (S, T): the excess that the calibrated estimator finds.
    """

    statistic: FloatArray
    mean: FloatArray
    variance: FloatArray
    excess: FloatArray

    def __add__(self, other: Scores) -> Scores:
        return Scores(
            self.statistic + other.statistic,
            self.mean + other.mean,
            self.variance + other.variance,
            self.excess + other.excess,
        )

    def only(self, series: IntArray) -> Scores:
        """Return the scores of some series."""
        return Scores(
            *(
                np.take(part, series, axis=-2)
                for part in (self.statistic, self.mean, self.variance, self.excess)
            )
        )

    def of_sets(self, sets: IntArray) -> Scores:
        """Return the scores for some target sets."""
        return Scores(
            *(part[..., sets] for part in (self.statistic, self.mean, self.variance, self.excess))
        )

    def joined(self, other: Scores) -> Scores:
        """Return the scores of these series and others."""
        return Scores(
            *(
                np.concatenate([getattr(part, name) for part in (self, other)], axis=-2)
                for name in ("statistic", "mean", "variance", "excess")
            )
        )

    @property
    def within(self) -> Scores:
        """The statistic within strata alone."""
        return Scores(self.statistic[1:], self.mean[1:], self.variance[1:], self.excess)

    @property
    def z(self) -> FloatArray:
        """(S, T): the sum of both as normal variables (by Wilson and Hilferty's cube root).

        The first is best for what a sampler moves to gradually. A choice that it found early, and
        nearly always takes from then on, shows within strata: among all trials, good and bad ones
        then differ less than by the drift of a parameter that does nothing. -inf where neither can
        vary.
        """
        moves = (self.mean > _ROUNDING) & (self.variance > _ROUNDING * self.mean**2)
        mean, variance = np.where(moves, self.mean, 1.0), np.where(moves, self.variance, 1.0)
        ninth = variance / (9.0 * mean**2)
        place = np.cbrt(np.maximum(self.statistic, 0.0) / mean) - 1.0 + ninth
        both = np.where(moves, place / np.sqrt(ninth), 0.0).sum(axis=0)
        return np.where(moves.any(axis=0), both, -np.inf)


def rank_cells_of(values: FloatArray) -> IntArray:
    """Return (S, trials): the cell by rank of each value in its series; ties share one."""
    series, trials = values.shape
    cells = min(MOST_CELLS, trials)
    order = np.argsort(values, axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    # Ties get their mean rank.
    new = np.ones((series, trials), dtype=bool)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    group = new.cumsum(axis=1) - 1 + np.arange(series)[:, None] * trials
    size = np.bincount(group.ravel(), minlength=series * trials)
    rank = np.broadcast_to(np.arange(trials), (series, trials))
    summed = np.bincount(group.ravel(), rank.ravel(), minlength=series * trials)
    middle = summed / np.maximum(size, 1)
    found = np.empty((series, trials), dtype=np.int64)
    cell = np.minimum(((middle[group] + 0.5) * cells / trials).astype(np.int64), cells - 1)
    np.put_along_axis(found, order, cell, axis=1)
    return found


def scores(cells: IntArray, hits: BoolArray, total: int, *, ordered: bool) -> Scores:
    """Score S series of cells of the same trials.

    Parameters
    ----------
    cells
        (S, trials), 0 to ``total`` - 1, in the order in which they were drawn.
    hits
        (T, trials): which are in each target set.
    ordered
        Whether neighbouring cells hold neighbouring values.
    """
    series, trials = cells.shape
    sets = len(hits)
    if trials < 2:
        nothing = np.zeros((2, series, sets))
        return Scores(nothing, nothing, nothing, nothing[0])
    strata = max(1, trials // STRATUM)
    stratum = np.arange(trials) * strata // trials
    first = np.arange(series)[:, None]
    counts = _counted((first * strata + stratum) * total + cells, series, strata, total)
    target = np.stack([_counted((first * total + cells)[:, own], series, total) for own in hits], 1)
    number = np.array([np.bincount(stratum[own], minlength=strata) for own in hits])
    region = counts.sum(axis=1)
    kernel = kernel_of_test(total, trials, ordered=ordered)
    weights = np.eye(total) if kernel is None else kernel / kernel.sum(axis=1, keepdims=True)
    trace, squares = _sums(region, kernel)
    statistic, mean = np.stack(
        [
            _moments(region[:, None], number.sum(axis=1)[:, None], target, weights),
            _moments(counts, number, target, weights),
        ],
        axis=1,
    )
    # Of a quadratic form in nearly normal variables; relative to the mean the same within strata.
    variance = mean**2 * (2.0 * squares / np.maximum(trace, _ROUNDING) ** 2)[:, None]
    excess = twiced_excess(region, target, trials, ordered=ordered)
    return Scores(statistic, mean, variance, excess)


def _moments(
    counts: IntArray | FloatArray, number: IntArray, target: IntArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return (S, T): the statistic within strata, and its mean over all draws of hits.

    From (S, strata, cells) trials, (T, strata) hits and (S, T, cells) hits. The differences of all
    strata are summed before they are squared.
    """
    sizes = counts[0].sum(axis=1)
    share = number / sizes
    counts = counts.astype(np.float64)  # products of integers are slow
    difference = target - share @ counts
    around = counts.sum(axis=1) @ weights
    inverse = np.divide(1.0, around, out=np.zeros_like(around), where=around > 1e-12)
    statistic = np.einsum("stc,sc->st", (difference @ weights) ** 2, inverse)
    # The form summed over pairs of the same trial, and over all pairs of a stratum.
    own_pairs = np.einsum("sbc,sc->sb", counts, inverse @ (weights**2).T)
    all_pairs = np.einsum("sbc,sc->sb", (counts @ weights) ** 2, inverse)
    spread = share * (1.0 - share) * sizes / np.maximum(sizes - 1.0, 1.0)
    return statistic, (own_pairs - all_pairs / sizes) @ spread.T


def _counted(places: IntArray, *shape: int) -> IntArray:
    return np.bincount(places.ravel(), minlength=math.prod(shape)).reshape(shape)


def _sums(region: IntArray, kernel: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    """Return (S,): trace and sum of squares of the centred form."""
    if kernel is None:
        others = (region > 0).sum(axis=1) - 1.0
        return others, others
    same = bool((region == region[0]).all())
    found = [_sums_of(row, kernel) for row in (region[:1] if same else region)]
    trace, squares = np.array(found * (len(region) if same else 1)).T
    return trace, squares


def _sums_of(region: IntArray, kernel: FloatArray) -> tuple[float, float]:
    full = region > 0
    counts = region[full].astype(np.float64)
    sums = form_sums(counts[None], quadratic_form(counts, kernel[full]))
    return float(sums.trace[0]), float(sums.squares[0])
