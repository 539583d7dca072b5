"""A test of whether a value has to do with reaching the target set: arrays in, arrays out.

The statistic is the weighted sum of squares of the smoothed difference between target trials and
what their regime's share of them would give in every cell. Its mean and variance under random
membership are exact; its distribution is close to a gamma's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from condped.arrays import FloatArray, IntArray
from condped.estimate.gamma_distribution import upper_tail


@dataclass(frozen=True, slots=True, eq=False)
class Deviation:
    """The statistic of T target sets, and its moments under random membership; they add up."""

    statistic: FloatArray  # (T,)
    mean: FloatArray  # (T,)
    variance: FloatArray  # (T,)

    def __add__(self, other: Deviation) -> Deviation:
        return Deviation(
            self.statistic + other.statistic,
            self.mean + other.mean,
            self.variance + other.variance,
        )

    @property
    def p_value(self) -> FloatArray:
        """(T,): how often chance alone gives as much; 1 where nothing can deviate."""
        return upper_tail(self.statistic, self.mean, self.variance)


def no_deviation(target_sets: int) -> Deviation:
    """Return what adds nothing."""
    nothing = np.zeros(target_sets)
    return Deviation(nothing, nothing, nothing)


def deviation(region: IntArray, target: IntArray, kernel: FloatArray | None) -> Deviation:
    """Compare (T, cells) target trials with (cells,) region trials of one regime.

    ``kernel`` tells which cells are near each other; None: each is only near itself.
    """
    trials = int(region.sum())
    if trials < 2 or np.count_nonzero(region) < 2:
        return no_deviation(len(target))
    hits = target.sum(axis=1).astype(np.float64)
    share = hits / trials
    difference = target - share[:, None] * region
    statistic, sums = (
        _apart(region, difference) if kernel is None else _smoothed(region, difference, kernel)
    )
    spread = share * (1.0 - share)
    mean = spread * trials / (trials - 1.0) * sums.trace
    variance = _second_moment(sums, trials, share) - mean**2
    # Where the statistic is the same for all ways to draw the hits, rounding must not judge.
    moves = (hits > 0) & (hits < trials) & (variance > 1e-9 * mean**2)
    return Deviation(*(np.where(moves, part, 0.0) for part in (statistic, mean, variance)))


def _smoothed(
    region: IntArray, difference: FloatArray, kernel: FloatArray
) -> tuple[FloatArray, _Sums]:
    """Return the statistic and the sums of its form for cells that are near each other."""
    trials = region.sum()
    weights = kernel / kernel.sum(axis=1, keepdims=True)
    spread = weights.T @ region
    inverse = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 1e-12)
    form = (weights * inverse) @ weights.T
    # Centred with the trials as weights: constants have nothing to do with it.
    rows = form @ region / trials
    centred = form - rows[:, None] - rows + region @ rows / trials
    diagonal = np.diag(centred)
    sums = _Sums(
        trace=float(region @ diagonal),
        squares=float(region @ centred**2 @ region),
        diagonal_squares=float(region @ diagonal**2),
    )
    return np.einsum("tk,kl,tl->t", difference, form, difference), sums


def _apart(region: IntArray, difference: FloatArray) -> tuple[FloatArray, _Sums]:
    """Return the same for cells that are near themselves only, without a matrix of them."""
    trials, full = region.sum(), region > 0
    counts = region[full].astype(np.float64)
    others = len(counts) - 1.0
    sums = _Sums(others, others, float(counts @ (1.0 / counts - 1.0 / trials) ** 2))
    return np.asarray((difference[:, full] ** 2 / counts).sum(axis=1)), sums


@dataclass(frozen=True, slots=True)
class _Sums:
    """Of the entries of the centred form, each as often as trials share it."""

    trace: float
    squares: float  # of all entries
    diagonal_squares: float


def _second_moment(sums: _Sums, trials: int, share: FloatArray) -> FloatArray:
    """Return the mean square of the statistic over all ways to draw the hits, exactly.

    The square is a sum over four trials; what it adds depends only on which of them are the same.
    """
    n = float(trials)
    p2 = share * (1.0 - share)
    p4 = p2 * ((1.0 - share) ** 3 + share**3)
    # Mean products of centred memberships over trials that are all different.
    m22 = (n * p2**2 - p4) / (n - 1)
    m31 = -p4 / (n - 1)
    m211 = (2 * p4 - n * p2**2) / ((n - 1) * max(n - 2, 1.0))
    m1111 = -3 * m211 / max(n - 3, 1.0)
    t2, s2, d2 = sums.trace**2, sums.squares, sums.diagonal_squares
    return np.asarray(
        d2 * p4
        + (t2 + 2 * s2 - 3 * d2) * m22
        - 4 * d2 * m31
        + (12 * d2 - 2 * t2 - 4 * s2) * m211
        + (t2 + 2 * s2 - 6 * d2) * m1111
    )


def adjusted(p_values: FloatArray) -> FloatArray:
    """Return p-values adjusted for their number along the last axis, by Benjamini and Hochberg.

    Among all with at most q, about a share of q is there by chance. What nothing can deviate from
    (1.0) was not tested: it neither counts nor stands in the way of others.

    Examples
    --------
    >>> adjusted(np.array([0.01, 0.04, 0.03, 0.5])).round(4).tolist()
    [0.04, 0.0533, 0.0533, 0.5]
    >>> adjusted(np.array([0.01, 1.0, 0.03, 1.0])).round(4).tolist()
    [0.02, 1.0, 0.03, 1.0]
    """
    order = np.argsort(p_values, axis=-1)
    sorted_ones = np.take_along_axis(p_values, order, axis=-1)
    tested = sorted_ones < 1.0
    ranks = np.arange(1, p_values.shape[-1] + 1)
    factor = tested.sum(axis=-1, keepdims=True) / ranks
    ranked = np.where(tested, sorted_ones * factor, 1.0)
    lowest = np.minimum.accumulate(ranked[..., ::-1], axis=-1)[..., ::-1]
    found = np.empty_like(p_values)
    np.put_along_axis(found, order, np.minimum(lowest, 1.0), axis=-1)
    return found
