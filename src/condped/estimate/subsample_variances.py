"""Variances of many subsets of the trials, by the same formulas as those of the whole.

Shapes: S subsets, T target sets, R regimes of all parameters together, P parameters.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from condped.arrays import FloatArray, IntArray
from condped.count.counts import SMALLEST_REGIME, CellRange, SubsetCounts
from condped.estimate.density import categorical_masses, rounded_numeric_masses
from condped.estimate.estimator import EPSILON
from condped.estimate.formula import pearson
from condped.estimate.leave_one_out import twiced_excess
from condped.estimate.settings import Settings
from condped.space.domain import Categorical


def subset_variances(
    counts: SubsetCounts, ranges: Sequence[CellRange], parameters: int, settings: Settings
) -> FloatArray:
    """Return (S, T, P): the variance of each subset, target set and parameter.

    Those of the calibrated method may be below 0, by chance.
    """
    regions, targets = np.maximum(counts.region_sizes, 1), np.maximum(counts.target_sizes, 1)
    trials = _sum_over_cells(counts.region, ranges)  # (S, R)
    hits = _sum_over_cells(counts.target, ranges)  # (S, T, R)
    kappa2 = ((counts.target_sizes / regions[:, None]) ** 2)[:, :, None]
    alpha = hits / targets[:, :, None]
    beta = np.maximum(trials / regions[:, None], 1e-300)[:, None, :]
    if settings.method == "calibrated":
        terms = _excesses(counts, ranges, trials) / regions[:, None, None]
    else:
        divergence = np.where(hits > 0, _divergences(counts, ranges, settings), 0.0)
        # Theorem 4.2: kappa^2 * alpha_i^2 / beta_i * D_i; without the shares in the ablations
        plain = settings.measure in ("unweighted", "unconditional")
        terms = kappa2 * divergence * (1.0 if plain else alpha**2 / beta)
    if settings.measure == "standard":
        terms = terms + kappa2 * (alpha - beta) ** 2 / beta
    terms = np.where((trials >= SMALLEST_REGIME)[:, None, :], terms, 0.0)
    owners = np.array([part.owner for part in ranges], dtype=np.intp)
    return np.asarray(terms @ (owners[:, None] == np.arange(parameters)))


def _sum_over_cells(counts: IntArray, ranges: Sequence[CellRange]) -> IntArray:
    """Return counts summed over the cells of each regime."""
    sums = np.cumsum(counts, axis=-1)
    sums = np.concatenate([np.zeros((*sums.shape[:-1], 1), dtype=sums.dtype), sums], axis=-1)
    starts = np.array([part.start for part in ranges], dtype=np.intp)
    ends = np.array([part.start + part.cells for part in ranges], dtype=np.intp)
    return np.asarray(sums[..., ends] - sums[..., starts])


def _group_regimes(ranges: Sequence[CellRange]) -> dict[tuple[bool, int], list[int]]:
    """Return the places of regimes that can be smoothed together: few calls for many of them."""
    groups: dict[tuple[bool, int], list[int]] = {}
    for place, part in enumerate(ranges):
        if part.cells > 1:
            groups.setdefault((isinstance(part.domain, Categorical), part.cells), []).append(place)
    return groups


def _divergences(
    counts: SubsetCounts, ranges: Sequence[CellRange], settings: Settings
) -> FloatArray:
    """Return (S, T, R): Pearson divergences of the paper's densities."""
    subsets, sets, _ = counts.target.shape
    found = np.zeros((subsets, sets, len(ranges)))
    for (categorical, width), places in _group_regimes(ranges).items():
        masses_of = categorical_masses if categorical else rounded_numeric_masses
        where = np.array([ranges[p].start for p in places])[:, None] + np.arange(width)
        target = counts.target[:, :, where]  # (S, T, regimes, cells)
        masses = masses_of(target.reshape(-1, width)).reshape(target.shape) + EPSILON
        reference = np.full((1, 1, 1, width), 1.0 / width)
        if settings.reference == "region":
            region = counts.region[:, where]
            smooth = masses_of(region.reshape(-1, width)).reshape(region.shape) + EPSILON
            reference = smooth[:, None]
        found[:, :, places] = pearson(masses, reference)
    return found


def _excesses(counts: SubsetCounts, ranges: Sequence[CellRange], trials: IntArray) -> FloatArray:
    """Return (S, T, R): what the calibrated method finds beyond chance."""
    subsets, sets, _ = counts.target.shape
    found = np.zeros((subsets, sets, len(ranges)))
    groups: dict[tuple[bool, int, int], list[int]] = {}  # that can be smoothed together
    for place, typical in enumerate(np.median(trials, axis=0).astype(np.int64).tolist()):
        part = ranges[place]
        if part.cells > 1:
            groups.setdefault((part.ordered, part.cells, typical), []).append(place)
    for (ordered, width, typical), places in groups.items():
        where = np.array([ranges[p].start for p in places])[:, None] + np.arange(width)
        target = counts.target[:, :, where].swapaxes(1, 2)  # (S, regimes, T, cells)
        excess = twiced_excess(counts.region[:, where], target, typical, ordered=ordered)
        found[:, :, places] = excess.swapaxes(1, 2)
    return found
