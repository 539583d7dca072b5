"""RegimeCounts: the waist between the counter and the kernels that estimate.

All that the estimator needs is how many trials of the region set and of each target set fall into
each cell of each regime. What follows is independent of the number of trials, and of how they were
counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from condped.arrays import FloatArray, IntArray
from condped.space.domain import Categorical, Domain

# Regimes of fewer region trials are dropped, as in the reference.
SMALLEST_REGIME = 2


@dataclass(frozen=True, slots=True, eq=False)
class RegimeCounts:
    """One regime of one parameter.

    Attributes
    ----------
    domain
        None where the parameter is absent (one cell, then).
    region
        (cells,): trials of the region set.
    target
        (target sets, cells): trials of each target set.
    """

    domain: Domain | None
    region: IntArray
    target: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class ParameterCounts:
    """All regimes of one parameter that have a trial in the region set.

    Attributes
    ----------
    regimes
        Those with enough trials to estimate anything.
    dropped_region, dropped_target
        (dropped,) and (target sets, dropped): sizes of the regimes with too few.
    """

    name: str
    regimes: tuple[RegimeCounts, ...]
    dropped_region: IntArray
    dropped_target: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class StudyCounts:
    """The counts of all parameters and the sizes of the sets."""

    parameters: tuple[ParameterCounts, ...]
    region_size: int
    target_sizes: IntArray  # (target sets,)


@dataclass(frozen=True, slots=True, eq=False)
class RankedCounts:
    """Trials in each cell of a regime, by blocks of time.

    Attributes
    ----------
    ordered
        Whether neighbouring cells hold neighbouring values.
    region
        (blocks, cells): trials of the region set.
    target
        (target sets, blocks, cells): trials of each target set.
    """

    ordered: bool
    region: IntArray
    target: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class RankedStudy:
    """Counts by rank: over the whole time, as the estimators take them, and block by block."""

    counts: StudyCounts
    blocks: tuple[tuple[RankedCounts, ...], ...]  # of each parameter's regimes, in their order


@dataclass(frozen=True, slots=True, eq=False)
class CellRange:
    """The range of the cells of one regime of one parameter among all cells."""

    owner: int  # the parameter
    domain: Domain | None
    start: int
    cells: int
    ordered: bool


@dataclass(frozen=True, slots=True, eq=False)
class SubsetCounts:
    """Trials of some subsets in each cell; S subsets, T target sets, C cells."""

    target: IntArray  # (S, T, C)
    region: IntArray  # (S, C)
    target_sizes: IntArray  # (S, T)
    region_sizes: IntArray  # (S,)


@dataclass(frozen=True, slots=True, eq=False)
class Subsets:
    """Counts of many subsets of the trials, some subsets at a time."""

    ranges: tuple[CellRange, ...]
    counts: Iterator[SubsetCounts]


@dataclass(frozen=True, slots=True, eq=False)
class ConditionCounts:
    """Trials that meet each of C conditions.

    Attributes
    ----------
    sizes
        (C, target sets + 1): how many each target set has, and the region set last.
    best
        (C,): the lowest loss among the used ones; NaN if there is none, or several objectives.
    left_out
        (C,): how many were not used: pruned, failed, running …
    """

    sizes: IntArray
    best: FloatArray
    left_out: IntArray


class RegimeCells(NamedTuple):
    """The regimes of one parameter, absence last, and how many cells each has."""

    name: str
    domains: tuple[Domain | None, ...]
    sizes: Sequence[int]


def parameter_counts(
    parameters: Sequence[RegimeCells], nested: IntArray
) -> tuple[ParameterCounts, ...]:
    """Return the regimes of all parameters from (cells of all, target sets + 1).

    The region set is the last one.
    """
    across = np.ascontiguousarray(nested.T)  # (target sets + 1, cells)
    starts = _starts(parameters)
    totals = np.add.reduceat(across, starts, axis=1) if starts else across  # one per regime
    trials = totals[-1].tolist()
    found = []
    place = 0
    for parameter in parameters:
        kept: list[RegimeCounts] = []
        small: list[int] = []
        for domain, size in zip(parameter.domains, parameter.sizes, strict=True):
            if trials[place] >= SMALLEST_REGIME:
                cells = slice(starts[place], starts[place] + size)
                kept.append(RegimeCounts(domain, across[-1, cells], across[:-1, cells]))
            elif trials[place]:
                small.append(place)
            place += 1
        dropped = totals[:, small] if small else totals[:, :0]
        found.append(ParameterCounts(parameter.name, tuple(kept), dropped[-1], dropped[:-1]))
    return tuple(found)


def ranked_counts(
    parameters: Sequence[RegimeCells], nested: IntArray
) -> tuple[tuple[RankedCounts, ...], ...]:
    """Return the regimes with enough trials from (blocks, cells of all, target sets + 1)."""
    across = np.ascontiguousarray(nested.transpose(2, 0, 1))  # (target sets + 1, blocks, cells)
    starts = _starts(parameters)
    trials = np.add.reduceat(across[-1].sum(axis=0), starts).tolist() if starts else []
    found = []
    place = 0
    for parameter in parameters:
        kept = []
        for domain, size in zip(parameter.domains, parameter.sizes, strict=True):
            if trials[place] >= SMALLEST_REGIME:
                cells = across[:, :, starts[place] : starts[place] + size]
                kept.append(RankedCounts(is_ordered(domain), cells[-1], cells[:-1]))
            place += 1
        found.append(tuple(kept))
    return tuple(found)


def _starts(parameters: Sequence[RegimeCells]) -> list[int]:
    """Return where the cells of each regime of each parameter begin."""
    ends = accumulate(size for parameter in parameters for size in parameter.sizes)
    return [0, *ends][:-1]


def is_ordered(domain: Domain | None) -> bool:
    """Return whether neighbouring cells by rank hold neighbouring values."""
    return domain is not None and not domain.single and not isinstance(domain, Categorical)


def with_dropped(found: ParameterCounts, sizes: IntArray) -> ParameterCounts:
    """Return counts with the regimes that got no cells because they have too few trials."""
    small = sizes[:-1][(sizes[:-1, -1] > 0) & (sizes[:-1, -1] < SMALLEST_REGIME)]
    region = np.concatenate([small[:, -1], found.dropped_region])
    target = np.concatenate([small[:, :-1].T, found.dropped_target], axis=1)
    return replace(found, dropped_region=region, dropped_target=target)
