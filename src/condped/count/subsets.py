"""Counting many subsets of the trials at once, for intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from condped.arrays import IntArray
from condped.count.memory import places_of
from condped.count.ranks import ranked_regimes
from condped.space.domain import Domain
from condped.trials.table import TrialTable
from condped.trials.topsets import TopSets, set_size

_MOST_COUNTS = 1 << 23  # held at a time


@dataclass(frozen=True, slots=True, eq=False)
class CellRange:
    """Where the cells of one regime of one parameter lie among all."""

    owner: int  # the parameter
    domain: Domain | None
    start: int
    cells: int
    ordered: bool


@dataclass(frozen=True, slots=True, eq=False)
class CellMap:
    """The cell of every trial that is used, for every parameter.

    Attributes
    ----------
    ranges
        Of all regimes of all parameters.
    places
        (used trials, parameters): each trial's cell among all.
    cells
        How many there are.
    """

    ranges: tuple[CellRange, ...]
    places: IntArray
    cells: int


@dataclass(frozen=True, slots=True, eq=False)
class SubsetCounts:
    """Trials of some subsets in each cell; S subsets, T target sets, C cells."""

    target: IntArray  # (S, T, C)
    region: IntArray  # (S, C)
    target_sizes: IntArray  # (S, T)
    region_sizes: IntArray  # (S,)


def grid_map(table: TrialTable, used: IntArray) -> CellMap:
    """Return the cells of the paper's grids."""
    ranges: list[CellRange] = []
    columns = []
    start = 0
    for owner, parameter in enumerate(table.parameters):
        places, sizes = places_of(parameter)
        columns.append(places[used] + start)
        for domain, size in zip((*parameter.domains, None), sizes, strict=True):
            ranges.append(CellRange(owner, domain, start, size, ordered=True))
            start += size
    return CellMap(tuple(ranges), _stacked(columns, len(used)), start)


def rank_map(table: TrialTable, top: TopSets, used: IntArray) -> CellMap:
    """Return the cells by rank inside each regime of the whole region set."""
    in_region = np.asarray(top.buckets <= len(top.target_sizes))
    ranges: list[CellRange] = []
    columns = []
    start = 0
    for owner, parameter in enumerate(table.parameters):
        # What is in no regime of the region set lands behind all cells of the parameter.
        first, places = start, np.full(len(table), -1, dtype=np.intp)
        for regime in ranked_regimes(parameter, in_region):
            ranges.append(CellRange(owner, regime.domain, start, regime.n_cells, regime.ordered))
            places[regime.rows] = start + regime.cells
            start += regime.n_cells
        places[places < first] = start
        start += 1
        columns.append(places[used])
    return CellMap(tuple(ranges), _stacked(columns, len(used)), start)


def _stacked(columns: Sequence[IntArray], rows: int) -> IntArray:
    return np.column_stack(columns) if columns else np.zeros((rows, 0), dtype=np.intp)


Buckets = Callable[[IntArray], tuple[IntArray, IntArray]]


def ranked_buckets(
    top: TopSets, used: IntArray, target_quantiles: Sequence[float], region_quantile: float
) -> Buckets:
    """Return a function from some of the used trials to their buckets, cut-offs found anew."""
    assert top.levels is not None
    levels = top.levels[used]

    def buckets(chosen: IntArray) -> tuple[IntArray, IntArray]:
        ranked = levels[chosen]
        wanted = [set_size(q, len(chosen)) - 1 for q in (*target_quantiles, region_quantile)]
        cutoffs = np.sort(ranked)[wanted]
        placed = np.searchsorted(cutoffs[:-1], ranked)
        placed[ranked > cutoffs[-1]] = len(target_quantiles) + 1
        return placed, np.bincount(placed, minlength=len(target_quantiles) + 2).cumsum()

    return buckets


def fixed_buckets(top: TopSets, used: IntArray) -> Buckets:
    """Return the same for outcomes, which stay what they are."""
    known = top.buckets[used].astype(np.intp)

    def buckets(chosen: IntArray) -> tuple[IntArray, IntArray]:
        placed = known[chosen]
        return placed, np.bincount(placed, minlength=top.n_buckets).cumsum()

    return buckets


def count_subsets(
    cells: CellMap, subsets: Sequence[IntArray], buckets: Buckets, target_sets: int
) -> Iterator[SubsetCounts]:
    """Iterate over the counts of subsets (places among the used trials), some at a time."""
    together = max(1, _MOST_COUNTS // max((target_sets + 2) * cells.cells, 1))
    for first in range(0, len(subsets), together):
        nested, sizes = [], []
        for chosen in subsets[first : first + together]:
            placed, reached = buckets(chosen)
            flat = (placed * cells.cells)[:, None] + cells.places[chosen]
            counted = np.bincount(flat.ravel(), minlength=(target_sets + 2) * cells.cells)
            nested.append(counted.reshape(target_sets + 2, cells.cells)[:-1].cumsum(axis=0))
            sizes.append(reached[:-1])
        counts, reached = np.array(nested), np.array(sizes)
        yield SubsetCounts(counts[:, :-1], counts[:, -1], reached[:, :-1], reached[:, -1])
