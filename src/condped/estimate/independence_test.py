"""A test of whether a value has to do with reaching the target set: arrays in, arrays out.

Trials are compared within strata, such as stretches of time. In every cell the differences between
target trials and what their stratum's share of them would give are summed over strata, as Cochran,
Mantel and Haenszel do, and smoothed; the statistic is their weighted sum of squares. Its mean and
variance under random membership within strata are exact; its distribution is close to a gamma's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from condped.arrays import FloatArray, IntArray
from condped.estimate.leave_one_out import neighbourhood
from condped.estimate.statistics.gamma_distribution import upper_tail

STRATUM = 10  # trials that are compared with each other, where time matters
_SHARE_OF_SCOTT = 0.5  # of the bandwidth, by which the test smooths


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
        """(T,): how often chance alone gives as much; NaN where nothing can deviate."""
        testable = (self.mean > 0) & (self.variance > 0)
        tail = upper_tail(self.statistic, self.mean, self.variance)
        return np.where(testable, tail, np.nan)


def no_deviation(target_sets: int) -> Deviation:
    """Return what adds nothing."""
    nothing = np.zeros(target_sets)
    return Deviation(nothing, nothing, nothing)


def deviation(region: IntArray, target: IntArray, kernel: FloatArray | None) -> Deviation:
    """Compare (T, strata, cells) target trials with (strata, cells) region trials of one regime.

    ``kernel`` tells which cells are near each other; None: each is only near itself.
    """
    # A stratum of one trial, or with none or all of its trials in a target set, tells nothing.
    trials = region.sum(axis=1)
    region, target, trials = region[trials > 1], target[:, trials > 1], trials[trials > 1]
    full = region.sum(axis=0) > 0
    if np.count_nonzero(full) < 2:
        return no_deviation(len(target))
    weights = region[:, full].astype(np.float64)
    target = target[:, :, full]
    form = quadratic_form(weights.sum(axis=0), None if kernel is None else kernel[full])
    hits = target.sum(axis=2).astype(np.float64)  # (T, strata)
    share = hits / trials
    difference = target.sum(axis=1) - share @ weights
    statistic = np.einsum("tk,kl,tl->t", difference, form, difference)
    sums = form_sums(weights, form)
    spread = share * (1.0 - share) * trials / (trials - 1.0)
    means = spread * sums.trace
    variance = (_second_moment(sums, trials, share) - means**2).sum(axis=1)
    variance += 2.0 * (_between(weights, form, spread, trials) - spread**2 @ sums.squares)
    mean = means.sum(axis=1)
    # Where the statistic is the same for all ways to draw the hits, rounding must not judge.
    moves = variance > 1e-9 * mean**2
    return Deviation(*(np.where(moves, part, 0.0) for part in (statistic, mean, variance)))


def kernel_of_test(cells: int, trials: int, *, ordered: bool) -> FloatArray | None:
    """Return which cells by rank the test takes as near each other."""
    return neighbourhood(cells, trials, _SHARE_OF_SCOTT, ordered=ordered)


def quadratic_form(counts: FloatArray, kernel: FloatArray | None) -> FloatArray:
    """Return (cells, cells): the quadratic form of the statistic, from counts over all strata."""
    if kernel is None:
        return np.diag(1.0 / counts)
    weights = kernel / kernel.sum(axis=1, keepdims=True)
    around = counts @ weights
    inverse = np.divide(1.0, around, out=np.zeros_like(around), where=around > 1e-12)
    return np.asarray((weights * inverse) @ weights.T)


@dataclass(frozen=True, slots=True, eq=False)
class FormSums:
    """(strata,): sums over the entries of the form, centred in a stratum.

    Each entry counts as often as trials of the stratum share it.
    """

    trace: FloatArray
    squares: FloatArray  # of all entries
    diagonal_squares: FloatArray


def form_sums(region: FloatArray, form: FloatArray) -> FormSums:
    """Return them for (strata, cells) trials of the region set."""
    trials = region.sum(axis=1)
    rows = region @ form / trials[:, None]  # the mean of each row of the form in a stratum
    mean = (region * rows).sum(axis=1) / trials
    diagonal = np.diag(form)
    return FormSums(
        trace=region @ diagonal - trials * mean,
        squares=(region * (region @ form**2)).sum(axis=1)
        - 2.0 * trials * (region * rows**2).sum(axis=1)
        + (trials * mean) ** 2,
        diagonal_squares=(region * (diagonal - 2.0 * rows + mean[:, None]) ** 2).sum(axis=1),
    )


def _between(
    region: FloatArray, form: FloatArray, spread: FloatArray, trials: IntArray
) -> FloatArray:
    """Return (T,): the trace of (form × covariance)², the covariance being of all strata."""
    found = np.empty(len(spread))
    for place, own in enumerate(spread):
        covariance = np.diag(own @ region) - (region.T * (own / trials)) @ region
        product = form @ covariance
        found[place] = (product * product.T).sum()
    return found


def _second_moment(sums: FormSums, trials: IntArray, share: FloatArray) -> FloatArray:
    """Return (T, strata): the mean square of each stratum's statistic over all draws of hits.

    The square is a sum over four trials; what it adds depends only on which of them are the same.
    """
    n = trials.astype(np.float64)
    p2 = share * (1.0 - share)
    p4 = p2 * ((1.0 - share) ** 3 + share**3)
    # Mean products of centred memberships over trials that are all different.
    m22 = (n * p2**2 - p4) / (n - 1)
    m31 = -p4 / (n - 1)
    m211 = (2 * p4 - n * p2**2) / ((n - 1) * np.maximum(n - 2, 1.0))
    m1111 = -3 * m211 / np.maximum(n - 3, 1.0)
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

    Among all with at most q, about a share of q is there by chance. What could not be tested (NaN)
    neither counts nor stands in the way of others.

    Examples
    --------
    >>> adjusted(np.array([0.01, 0.04, 0.03, 0.5])).round(4).tolist()
    [0.04, 0.0533, 0.0533, 0.5]
    >>> adjusted(np.array([0.01, np.nan, 0.03, 1.0])).round(4).tolist()
    [0.03, nan, 0.045, 1.0]
    """
    order = np.argsort(p_values, axis=-1)  # NaN last
    ranked = np.take_along_axis(p_values, order, axis=-1)
    tested = ~np.isnan(ranked)
    factor = tested.sum(axis=-1, keepdims=True) / np.arange(1, p_values.shape[-1] + 1)
    scaled = np.where(tested, ranked * factor, np.inf)
    lowest = np.minimum.accumulate(scaled[..., ::-1], axis=-1)[..., ::-1]
    found = np.empty_like(p_values)
    np.put_along_axis(found, order, np.minimum(lowest, 1.0), axis=-1)
    return np.where(np.isnan(p_values), np.nan, found)
