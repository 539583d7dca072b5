"""A test of whether a value is associated with reaching the target set: arrays in, arrays out.

Trials are compared within strata, such as stretches of time. In every cell, the differences between
target trials and the number expected from their stratum's share are summed over strata, as Cochran,
Mantel and Haenszel do, and smoothed; the statistic is their weighted sum of squares. Its mean and
variance under random membership within strata are exact; its distribution is close to a gamma's,
except for one or two hits, where it is found by placing them in all ways.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from condped.arrays import BoolArray, FloatArray, IntArray
from condped.estimate.few_hits import FEW, exact_p_value
from condped.estimate.leave_one_out import neighbourhood
from condped.estimate.statistics.gamma_distribution import upper_tail

STRATUM = 10  # trials that are compared with each other, where time matters
_SHARE_OF_SCOTT = 0.5  # of the bandwidth, by which the test smooths
_NUMBERS_AT_A_TIME = 1 << 20  # in tables that are processed together


@dataclass(frozen=True, slots=True, eq=False)
class Deviation:
    """The statistic of T target sets, and its moments under random membership; they add up."""

    statistic: FloatArray  # (T,)
    mean: FloatArray  # (T,)
    variance: FloatArray  # (T,)
    exact: FloatArray  # (T,): the p-value of few hits, all in one regime; NaN for others

    def __add__(self, other: Deviation) -> Deviation:
        both = (self.mean > 0) & (other.mean > 0)
        return Deviation(
            self.statistic + other.statistic,
            self.mean + other.mean,
            self.variance + other.variance,
            np.where(both, np.nan, np.where(other.mean > 0, other.exact, self.exact)),
        )

    @property
    def p_value(self) -> FloatArray:
        """(T,): the probability of as much by chance alone; NaN where nothing can deviate."""
        testable = (self.mean > 0) & (self.variance > 0)
        tail = upper_tail(self.statistic, self.mean, self.variance)
        return np.where(testable, np.where(np.isnan(self.exact), tail, self.exact), np.nan)


def no_deviation(target_sets: int) -> Deviation:
    """Return the neutral element of addition."""
    nothing = np.zeros(target_sets)
    return Deviation(nothing, nothing, nothing, np.full(target_sets, np.nan))


class CellTable(NamedTuple):
    """Trials of one regime, by strata and cells.

    Attributes
    ----------
    region
        (strata, cells): trials of the region set.
    target
        (T, strata, cells): trials of each target set.
    kernel
        (cells, cells): which cells are near each other; None: each is only near itself.
    """

    region: IntArray
    target: IntArray
    kernel: FloatArray | None


def deviation(region: IntArray, target: IntArray, kernel: FloatArray | None) -> Deviation:
    """Compare the target trials of one regime with its region trials: see :class:`CellTable`."""
    (found,) = deviations([CellTable(region, target, kernel)])
    return found


def deviations(tables: Sequence[CellTable]) -> list[Deviation]:
    """Compare target trials with region trials in each of some regimes.

    Tables of the same shape are processed together: a study has many of them, and they are small.
    """
    found = [no_deviation(len(table.target)) for table in tables]
    alike: dict[object, list[tuple[int, _Informative]]] = {}
    for place, table in enumerate(tables):
        own = _informative(table)
        if own is not None:
            shapes = own.target.shape, None if own.kernel is None else own.kernel.shape
            alike.setdefault(shapes, []).append((place, own))
    for group in alike.values():
        at_a_time = max(_NUMBERS_AT_A_TIME // group[0][1].target.size, 1)
        for first in range(0, len(group), at_a_time):
            places, some = zip(*group[first : first + at_a_time], strict=True)
            parts = _compared(some)
            for place, own, statistic, mean, variance in zip(places, some, *parts, strict=True):
                exact = _exact(own, statistic, moves=mean > 0)
                found[place] = Deviation(statistic, mean, variance, exact)
    return found


def _exact(table: _Informative, statistic: FloatArray, *, moves: BoolArray) -> FloatArray:
    """Return (T,) the p-values of target sets with few hits or misses; NaN for others."""
    found = np.full(len(statistic), np.nan)
    hits = table.target.sum(axis=2)
    fewer = np.minimum(hits, table.trials - hits).sum(axis=1)
    places = np.flatnonzero((fewer <= FEW) & moves)
    if places.size:
        form = quadratic_form(table.region.sum(axis=0).astype(np.float64), table.kernel)
        for place in places.tolist():
            target = table.target[place]
            p_value = exact_p_value(table.region, target, form, float(statistic[place]))
            found[place] = np.nan if p_value is None else p_value
    return found


class _Informative(NamedTuple):
    """The informative strata and cells of a table, and (strata,) their trials."""

    region: IntArray
    target: IntArray
    kernel: FloatArray | None
    trials: IntArray


def _informative(table: CellTable) -> _Informative | None:
    """Return the informative part of a table; None if there is none."""
    region, target, kernel = table
    trials = region.sum(axis=1)
    # A stratum of one trial has nothing to be compared with.
    if trials.min(initial=2) < 2:
        some = trials > 1
        region, target, trials = region[some], target[:, some], trials[some]
    counts = region.sum(axis=0)
    if counts.min(initial=1) < 1:
        full = counts > 0
        region, target = region[:, full], target[:, :, full]
        kernel = None if kernel is None else kernel[full]
    return _Informative(region, target, kernel, trials) if region.shape[1] > 1 else None


def _compared(tables: Sequence[_Informative]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return (N, T) statistics, means and variances of N tables of the same shape."""
    weights = np.array([table.region for table in tables], dtype=np.float64)
    target = np.array([table.target for table in tables])
    trials = np.array([table.trials for table in tables])
    form = _forms(weights.sum(axis=1), [table.kernel for table in tables])
    # A stratum with none or all of its trials in a target set is uninformative: its spread is 0.
    share = target.sum(axis=3) / trials[:, None]  # (N, T, strata)
    difference = target.sum(axis=2) - share @ weights
    statistic = ((difference @ form) * difference).sum(axis=2)
    sums = form_sums(weights, form)
    spread = share * (1.0 - share) * (trials / (trials - 1.0))[:, None]
    means = spread * sums.trace[:, None]
    variance = (_second_moment(sums, trials, share) - means**2).sum(axis=2)
    within = (spread**2 @ sums.squares[:, :, None])[:, :, 0]
    variance += 2.0 * (_between(weights, form, spread, trials) - within)
    mean = means.sum(axis=2)
    # Where the statistic is the same for all ways to draw the hits, rounding must not decide.
    moves = variance > 1e-9 * mean**2
    return (
        np.where(moves, statistic, 0.0),
        np.where(moves, mean, 0.0),
        np.where(moves, variance, 0.0),
    )


def _forms(counts: FloatArray, kernels: Sequence[FloatArray | None]) -> FloatArray:
    """Return (N, cells, cells), or (1, cells, cells) where all are the same, as without ties."""
    same = all(kernel is kernels[0] for kernel in kernels) and bool((counts == counts[0]).all())
    pairs = zip(counts[: 1 if same else None], kernels, strict=False)
    return np.array([quadratic_form(own, kernel) for own, kernel in pairs])


def kernel_of_test(cells: int, trials: int, *, ordered: bool) -> FloatArray | None:
    """Return the kernel by which the test smooths cells by rank; None: it does not."""
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
    """(…, strata): sums over the entries of the form, centred in a stratum.

    Each entry counts as often as trials of the stratum share it.
    """

    trace: FloatArray
    squares: FloatArray  # of all entries
    diagonal_squares: FloatArray


def form_sums(region: FloatArray, form: FloatArray) -> FormSums:
    """Return the sums for (…, strata, cells) region trials and (…, cells, cells) forms."""
    trials = region.sum(axis=-1)
    rows = region @ form / trials[..., None]  # the mean of each row of the form in a stratum
    mean = (region * rows).sum(axis=-1) / trials
    diagonal = np.diagonal(form, axis1=-2, axis2=-1)[..., None]
    centred = diagonal.swapaxes(-1, -2) - 2.0 * rows + mean[..., None]
    return FormSums(
        trace=(region @ diagonal)[..., 0] - trials * mean,
        squares=(region * (region @ form**2)).sum(axis=-1)
        - 2.0 * trials * (region * rows**2).sum(axis=-1)
        + (trials * mean) ** 2,
        diagonal_squares=(region * centred**2).sum(axis=-1),
    )


def _between(
    region: FloatArray, form: FloatArray, spread: FloatArray, trials: IntArray
) -> FloatArray:
    """Return (N, T): the trace of (form × covariance)², with the covariance over all strata."""
    across = region.swapaxes(1, 2)
    cells = np.arange(region.shape[2])
    found = np.empty(spread.shape[:2])
    for place in range(spread.shape[1]):
        own = spread[:, place, None]  # (N, 1, strata)
        covariance = -(across * (own / trials[:, None])) @ region
        covariance[:, cells, cells] += (own @ region)[:, 0]
        product = form @ covariance
        found[:, place] = (product * product.swapaxes(1, 2)).sum(axis=(1, 2))
    return found


def _second_moment(sums: FormSums, trials: IntArray, share: FloatArray) -> FloatArray:
    """Return (N, T, strata): the mean square of each stratum's statistic over all draws of hits.

    The square is a sum over four trials; what it adds depends only on which of them are the same.
    """
    n = trials[:, None].astype(np.float64)
    p2 = share * (1.0 - share)
    p4 = p2 * ((1.0 - share) ** 3 + share**3)
    # Mean products of centred memberships over distinct trials.
    m22 = (n * p2**2 - p4) / (n - 1)
    m31 = -p4 / (n - 1)
    m211 = (2 * p4 - n * p2**2) / ((n - 1) * np.maximum(n - 2, 1.0))
    m1111 = -3 * m211 / np.maximum(n - 3, 1.0)
    t2, s2, d2 = (part[:, None] for part in (sums.trace**2, sums.squares, sums.diagonal_squares))
    return np.asarray(
        d2 * p4
        + (t2 + 2 * s2 - 3 * d2) * m22
        - 4 * d2 * m31
        + (12 * d2 - 2 * t2 - 4 * s2) * m211
        + (t2 + 2 * s2 - 6 * d2) * m1111
    )


def adjusted(p_values: FloatArray) -> FloatArray:
    """Return p-values adjusted for their number along the last axis, by Benjamini and Hochberg.

    Among those of at most q, a share of about q is there by chance. NaN (not tested) stays NaN and
    does not count.

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
