"""Trials in each cell: of the domains' grids, or by rank between given edges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

import numpy as np

from condped.arrays import BoolArray, FloatArray, IdArray, IntArray, ValueArray
from condped.count.cells.fast_searchsorted import EdgeLookup
from condped.count.cells.grid_cells import cells_in
from condped.space.domain import Categorical, Domain, is_whole
from condped.space.grid import Grid, cells_of, grid_of
from condped.trials.table import Parameter, id_dtype

# Up to this many domains, the rows of each are counted separately.
_FEW_DOMAINS = 8
# Rows at a time: few enough for a chunk's temporaries to stay in the CPU cache.
_CHUNK = 1 << 16

# Upper edges of all cells by rank but the last, by the parameter's name and the domain's id.
RankEdges = Mapping[tuple[str, int], ValueArray]


def grid_sizes(domains: Sequence[Domain]) -> list[int]:
    """Return how many cells of a grid each regime has, absence last."""
    return [*(grid_of(domain).cells for domain in domains), 1]


def rank_sizes(name: str, domains: Sequence[Domain], edges: RankEdges) -> list[int]:
    """Return how many cells by rank each regime has, absence last."""
    return [
        *(
            len(domain.choices)
            if isinstance(domain, Categorical)
            else len(edges.get((name, place), ())) + 1
            for place, domain in enumerate(domains)
        ),
        1,
    ]


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where each domain's cells lie in one flat array, followed by room for all other rows.

    The arrays have an entry per domain and one more, which id -1 (absent) selects.
    Rows of domains without cells are counted from ``rest`` on.
    """

    grids: dict[int, Grid]  # of the domains that have cells
    starts: tuple[int, ...]  # of each of these, in the same order
    rest: int
    cells: int  # in total
    offset: FloatArray
    low: ValueArray
    width: FloatArray
    top: FloatArray | float  # one number if all grids have the same size
    on_log: BoolArray
    whole: bool  # whether bounds are int64


@lru_cache(maxsize=256)
def _layout_of(domains: tuple[Domain, ...], laid_out: tuple[int, ...] | None = None) -> _Layout:
    """Lay out the grids of some of a parameter's domains; None: of all."""
    ids = range(len(domains)) if laid_out is None else laid_out
    grids = {place: grid_of(domains[place]) for place in ids}
    sizes = [grid.cells for grid in grids.values()]
    largest = max(sizes, default=1)
    rest, n = sum(sizes), len(domains) + 1
    starts, offset, width = [], np.full(n, float(rest)), np.ones(n)
    on_log, tops = np.zeros(n, dtype=bool), np.zeros(n)
    # Integer bounds are subtracted as integers, exact beyond 2^53, unless one is on a log scale.
    whole = all(isinstance(grid.low, int) for grid in grids.values())
    whole = whole and is_whole([d for d in domains if not isinstance(d, Categorical)])
    low = np.zeros(n, dtype=np.int64 if whole else np.float64)
    start = 0
    for domain, grid in grids.items():
        starts.append(start)
        offset[domain], low[domain], width[domain] = start, grid.low, grid.width
        tops[domain], on_log[domain] = grid.cells - 1, grid.log
        start += grid.cells
    return _Layout(
        grids=grids,
        starts=tuple(starts),
        rest=rest,
        cells=rest + largest,
        offset=offset,
        low=low,
        width=width,
        top=tops if len(set(sizes)) > 1 else largest - 1.0,
        on_log=on_log,
        whole=whole,
    )


def grid_counts(
    parameter: Parameter,
    buckets: IdArray,
    sizes: IntArray,
    laid_out: Sequence[int] | None = None,
) -> IntArray:
    """Return (places, buckets): trials in each cell of the domains' grids and, last, all others.

    ``sizes`` are the trials in each bucket; the last bucket is not counted.
    ``laid_out`` are the domains that have cells; None: all.
    """
    layout = _layout_of(parameter.domains, None if laid_out is None else tuple(laid_out))
    few = laid_out is None and len(parameter.domains) <= _FEW_DOMAINS
    counted = _counts_by_domain if few else _counts_by_look_up
    return counted(parameter, buckets, sizes, layout)[:, :-1]


def grid_places(parameter: Parameter) -> IntArray:
    """Return (trials,): the cell of each among the cells of all domains and, last, absence."""
    layout = _layout_of(parameter.domains)
    if parameter.everywhere:
        found = cells_in(parameter.values, parameter.domains[0], whole=layout.whole)
        return found.astype(np.intp)
    return np.minimum(_flat_cells(parameter, slice(None), layout).astype(np.intp), layout.rest)


def regime_counts(parameter: Parameter, buckets: IdArray, n_buckets: int) -> IntArray:
    """Return (domains + 1, buckets): trials in each regime, absence last.

    Trials that are not counted have the bucket ``n_buckets``.
    """
    regimes, width = len(parameter.domains) + 1, n_buckets + 1
    counts = np.zeros(regimes * width, dtype=np.int64)
    for start in range(0, len(buckets), _CHUNK):
        rows = slice(start, start + _CHUNK)
        ids = parameter.domain_ids[rows].astype(np.intp)
        ids[ids < 0] = regimes - 1
        ids *= width
        ids += buckets[rows]
        counts += np.bincount(ids, minlength=counts.size)
    return counts.reshape(regimes, width)[:, :-1]


def rank_counts(
    parameter: Parameter, buckets: IdArray, n_buckets: int, edges: RankEdges
) -> IntArray:
    """Return (places, buckets): trials in each cell by rank of all domains and, last, absent.

    Trials that are not counted have the bucket ``n_buckets``.
    """
    total = sum(rank_sizes(parameter.name, parameter.domains, edges))
    width = n_buckets + 1
    flat = np.bincount(rank_places(parameter, edges) * width + buckets, minlength=total * width)
    return flat.reshape(-1, width)[:, :-1]


def rank_places(parameter: Parameter, edges: RankEdges) -> IntArray:
    """Return (trials,): the cell by rank of each among the cells of all domains and, last, absence.

    The cell of x is ``searchsorted(edges, x)``.
    """
    if parameter.everywhere:
        return _rank_cells(parameter, 0, edges, parameter.values)
    starts = [0, *accumulate(rank_sizes(parameter.name, parameter.domains, edges))]
    places = np.full(len(parameter.values), starts[-2], dtype=np.int64)
    for number in range(len(parameter.domains)):
        rows = parameter.domain_ids == number
        cells = _rank_cells(parameter, number, edges, parameter.values[rows])
        places[rows] = starts[number] + cells
    return places


def _rank_cells(
    parameter: Parameter, number: int, edges: RankEdges, values: ValueArray
) -> IntArray:
    """Return the cell by rank of each value of one of a parameter's domains."""
    if isinstance(parameter.domains[number], Categorical):
        return values.astype(np.int64)
    return _searchsorted(edges.get((parameter.name, number), np.zeros(0)), values)


def _searchsorted(edges: ValueArray, values: ValueArray) -> IdArray:
    """Return ``searchsorted(edges, values)``."""
    if edges.dtype.kind == "f" and len(values) >= _CHUNK // 4:
        return EdgeLookup(edges).places(values)
    return np.searchsorted(edges, values)


def _counts_by_domain(
    parameter: Parameter, buckets: IdArray, sizes: IntArray, layout: _Layout
) -> IntArray:
    """Count the rows of one domain after the other; all others are absent."""
    if len(layout.starts) == 1 and parameter.everywhere and len(buckets) <= _CHUNK:
        (domain,) = parameter.domains
        cells = cells_in(parameter.values, domain, whole=layout.whole)
        return _count_pairs(cells, layout.rest + 1, buckets, len(sizes))
    counts = np.zeros((layout.rest + 1, len(sizes)), dtype=np.int64)
    for start in range(0, len(buckets), _CHUNK):
        rows = slice(start, start + _CHUNK)
        values, row_buckets = parameter.values[rows], buckets[rows]
        for place, first in enumerate(layout.starts):
            domain = parameter.domains[place]
            cell_values, cell_buckets = values, row_buckets
            if not parameter.everywhere:
                among = np.flatnonzero(parameter.domain_ids[rows] == place)
                cell_values, cell_buckets = values.take(among), row_buckets.take(among)
            cells = cells_in(cell_values, domain, whole=layout.whole)
            n_cells = layout.grids[place].cells
            counts[first : first + n_cells] += _count_pairs(
                cells, n_cells, cell_buckets, len(sizes)
            )
    if not parameter.everywhere:
        counts[layout.rest] = sizes - counts[: layout.rest].sum(axis=0)
    return counts


def _count_pairs(found: IdArray, cells: int, buckets: IdArray, n_buckets: int) -> IntArray:
    """Return (cells, buckets): how many rows have each pair of cell and bucket."""
    size = cells * n_buckets
    # Of the narrowest type that holds them: bincount converts to int64 itself.
    codes = np.multiply(found, n_buckets, dtype=id_dtype(size), casting="unsafe")
    np.add(codes, buckets, out=codes, casting="unsafe")
    return np.bincount(codes, minlength=size).reshape(cells, n_buckets)


def _counts_by_look_up(
    parameter: Parameter, buckets: IdArray, sizes: IntArray, layout: _Layout
) -> IntArray:
    """Count all rows at once, the bounds of each looked up by its domain."""
    n_buckets = len(sizes)
    flat = np.zeros(layout.cells * n_buckets, dtype=np.int64)
    for start in range(0, len(buckets), _CHUNK):
        rows = slice(start, start + _CHUNK)
        cells = _flat_cells(parameter, rows, layout)
        cells *= n_buckets
        cells += buckets[rows]
        flat += np.bincount(cells.astype(np.intp), minlength=flat.size)
    counts = flat.reshape(layout.cells, n_buckets)
    counts[layout.rest] = counts[layout.rest :].sum(axis=0)
    return counts[: layout.rest + 1]


def _flat_cells(parameter: Parameter, rows: slice, layout: _Layout) -> FloatArray:
    """Return the position of each row's cell in the flat array."""
    values = parameter.values[rows]
    ids = parameter.domain_ids[rows].astype(np.intp)
    if layout.on_log.any():
        where = layout.on_log[ids]
        logs = np.log(values, out=np.zeros(len(values)), where=where)
        values = np.where(where, logs, values)
    top = layout.top if isinstance(layout.top, float) else _look_up(layout.top, ids)
    cells = cells_of(values, _look_up(layout.low, ids), _look_up(layout.width, ids), top)
    cells += _look_up(layout.offset, ids)
    return cells


def _look_up(table: ValueArray, ids: IntArray) -> ValueArray:
    # Wrapping selects the last entry for -1, and saves numpy the bounds check.
    return table.take(ids, mode="wrap")
