"""Cells by rank: each regime's values in order, in cells with about the same number of trials.

Counts in these cells are invariant under monotone changes of scale. Ties share a cell; with at most
fifty distinct values each has its own cell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from condped.arrays import IntArray, ValueArray
from condped.count.cells.cell_counts import RankEdges, grid_sizes, rank_sizes
from condped.count.counter import Counter
from condped.count.counts import CellRange, is_ordered
from condped.count.order_statistics.exact import ALONE, OrderStatistics, Ranks, order_statistics
from condped.count.order_statistics.keys import keys_of, values_of
from condped.count.order_statistics.series import Region, Series
from condped.count.tally import Tally
from condped.space.domain import Categorical, Domain, bounds_of, is_whole

MOST_CELLS = 50


@dataclass(frozen=True, slots=True, eq=False)
class RankCells:
    """The edges between cells by rank, and where blocks of time begin.

    Attributes
    ----------
    edges
        Upper edges of all cells but the last, by the parameter's name and the domain's id.
    block_starts
        Positions in time of the second, third … block; None: one block.
    """

    edges: RankEdges
    block_starts: ValueArray | None


def rank_cells(
    counter: Counter,
    domains: Mapping[str, tuple[Domain, ...]],
    within: Region,
    *,
    tally: Tally,
    blocks: int,
    spanned: bool,
) -> RankCells:
    """Find the edges between cells by rank, and the blocks of time."""
    queries: dict[Series, Ranks] = {}
    for name, own in domains.items():
        whole = is_whole(own)
        for number, domain in enumerate(own):
            if not isinstance(domain, Categorical) and not domain.single:
                low, high = _bounds(domain, whole, counter.schema.outside)
                series = Series("value", name, -1 if spanned else number)
                queries[series] = Ranks(low, high, _cell_ranks, ALONE, whole, MOST_CELLS)
    if blocks > 1:
        queries[Series("order")] = Ranks(
            tally.earliest, tally.latest, partial(_block_ranks, blocks), ALONE, whole=True
        )
    found = order_statistics(counter, queries, within, trials=tally.counts.used)
    starts = None
    if blocks > 1:
        times = found.pop(Series("order"))
        # With fewer trials than blocks the last ones are empty.
        beyond = _block_ranks(blocks, times.total) > times.total
        starts = np.where(beyond, tally.latest + 1, times.values)[0]
    return RankCells(
        {(s.parameter, max(s.domain, 0)): _edges(numbers) for s, numbers in found.items()}, starts
    )


def _block_ranks(blocks: int, total: IntArray) -> IntArray:
    """Return the ranks in time at which each block but the first begins."""
    return np.array([[-(-b * int(total[0]) // blocks) + 1 for b in range(1, blocks)]])


def _cell_ranks(total: IntArray) -> IntArray:
    """Return the ranks at which each cell but the first can begin."""
    return _ranks_among(int(total[0]))


@lru_cache(maxsize=64)
def _ranks_among(trials: int) -> IntArray:
    if not trials:
        return np.zeros((1, 0), dtype=np.int64)
    return np.array([[-(-k * trials // MOST_CELLS) for k in range(1, MOST_CELLS)]])


def _edges(found: OrderStatistics) -> ValueArray:
    """Return the upper edges of cells with about the same number of trials, ties in one cell."""
    levels = found.levels
    if levels is not None:  # one cell per number
        return _just_below(levels.values[1:])
    (trials,) = found.total.tolist()
    if not found.values.size:
        return np.asarray(found.values[0])
    values, below, at_most = found.values[0], found.below[0], found.at_most[0]
    # Ties go to the cell of their middle rank: before or after the edge.
    begins = MOST_CELLS * (below + at_most) >= 2 * trials * np.arange(1, MOST_CELLS)
    edges = np.where(begins, _just_below(values), values)
    # After the highest number there are no cells.
    return np.asarray(edges[begins | (at_most < trials)])


def _just_below(values: ValueArray) -> ValueArray:
    return values_of(np.asarray(keys_of(values) - 1), whole=values.dtype.kind == "i")


def _bounds(domain: Domain, whole: bool, outside: str) -> tuple[float, float]:
    """Return bounds that hold all values."""
    if outside == "nearest":
        info = np.iinfo(np.int64) if whole else np.finfo(np.float64)
        return (int(info.min), int(info.max)) if whole else (float(info.min), float(info.max))
    return bounds_of(domain)


def cell_ranges(
    domains: Mapping[str, tuple[Domain, ...]], edges: RankEdges | None
) -> tuple[CellRange, ...]:
    """Return where the cells of each regime lie: those of the grids, or by rank between edges."""
    ranges: list[CellRange] = []
    start = 0
    for owner, (name, own) in enumerate(domains.items()):
        sizes = grid_sizes(own) if edges is None else rank_sizes(name, own, edges)
        for domain, size in zip((*own, None), sizes, strict=True):
            ordered = edges is None or is_ordered(domain)
            ranges.append(CellRange(owner, domain, start, size, ordered))
            start += size
    return tuple(ranges)
