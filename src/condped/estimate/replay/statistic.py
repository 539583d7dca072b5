"""The statistic of many series of values side by side: by rank, over all trials at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from condped.arrays import BoolArray, FloatArray, IntArray
from condped.estimate.independence_test import form_sums, kernel_of_test, quadratic_form
from condped.estimate.leave_one_out import twiced_excess

MOST_CELLS = 50
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Of S series and T target sets.

    Attributes
    ----------
    statistic, mean, variance
        (S, T): the statistic, and its moments if hits were drawn at random; they add up.
    excess
        (S, T): what the calibrated estimator makes of it.
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

    @property
    def z(self) -> FloatArray:
        """(S, T): how far out, as a normal variable (Wilson and Hilferty's cube root).

        -inf where nothing could have turned out otherwise.
        """
        moves = (self.mean > _ROUNDING) & (self.variance > _ROUNDING * self.mean**2)
        mean, variance = np.where(moves, self.mean, 1.0), np.where(moves, self.variance, 1.0)
        ninth = variance / (9.0 * mean**2)
        place = np.cbrt(np.maximum(self.statistic, 0.0) / mean) - 1.0 + ninth
        return np.where(moves, place / np.sqrt(ninth), -np.inf)


def rank_cells_of(values: FloatArray) -> IntArray:
    """Return (S, trials): the cell by rank of each value in its series; ties share one."""
    series, trials = values.shape
    cells = min(MOST_CELLS, trials)
    order = np.argsort(values, axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    # Ties have the middle of their ranks.
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
        (S, trials), 0 to ``total`` - 1.
    hits
        (T, trials): which are in each target set.
    ordered
        Whether cells next to each other are near each other.
    """
    series, trials = cells.shape
    sets = len(hits)
    if trials < 2:
        nothing = np.zeros((series, sets))
        return Scores(nothing, nothing, nothing, nothing)
    flat = (cells + np.arange(series)[:, None] * total).ravel()
    region = np.bincount(flat, minlength=series * total).reshape(series, total)
    target = np.empty((series, sets, total), dtype=np.int64)
    for place, members in enumerate(hits):
        within = flat.reshape(series, trials)[:, members].ravel()
        target[:, place] = np.bincount(within, minlength=series * total).reshape(series, total)
    number = hits.sum(axis=1).astype(np.float64)
    difference = target - (number / trials)[:, None] * region[:, None, :]
    kernel = kernel_of_test(total, trials, ordered=ordered)
    trace, squares = _sums(region, kernel)
    weights = np.eye(total) if kernel is None else kernel / kernel.sum(axis=1, keepdims=True)
    smooth, around = difference @ weights, (region @ weights)[:, None, :]
    filled = np.broadcast_to(around > 1e-12, smooth.shape)
    statistic = np.divide(smooth**2, around, out=np.zeros_like(smooth), where=filled).sum(axis=2)
    share = number / trials
    spread = share * (1.0 - share) * trials / (trials - 1.0)
    mean = trace[:, None] * spread
    # Of a quadratic form in nearly normal variables.
    variance = 2.0 * squares[:, None] * spread**2
    moves = (number > 0) & (number < trials)
    return Scores(
        np.where(moves, statistic, 0.0),
        np.where(moves, mean, 0.0),
        np.where(moves, variance, 0.0),
        twiced_excess(region, target, trials, ordered=ordered),
    )


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
