"""Counting trials that are in memory, with numpy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from condped.arrays import BoolArray, FloatArray, IdArray, IntArray, ValueArray
from condped.count.counts import ParameterCounts, RegimeCounts, StudyCounts
from condped.space.grid import Grid, cells_of, grid_of
from condped.trials.table import Parameter, TrialTable
from condped.trials.topsets import TopSets

# Regimes of fewer region trials are dropped, as in the reference.
SMALLEST_REGIME = 2
# With more domains than this, those too small to keep are found first and get no cells.
_FEW_DOMAINS = 64
# Up to this many, the rows of one domain after the other are counted.
_SOME_DOMAINS = 8
# Rows at a time: few enough for the temporaries of a chunk to stay in the processor's cache.
_CHUNK = 1 << 16


def count_in_memory(table: TrialTable, top: TopSets) -> StudyCounts:
    """Count the trials of each set in each cell of each regime."""
    return StudyCounts(
        parameters=tuple(_count(parameter, top) for parameter in table.parameters),
        region_size=top.region_size,
        target_sizes=top.target_sizes,
    )


def _count(parameter: Parameter, top: TopSets) -> ParameterCounts:
    """Count one parameter's cells and tell its regimes apart."""
    sizes: IntArray | None = None
    laid_out = list(range(len(parameter.domains)))
    if len(laid_out) > _FEW_DOMAINS:
        sizes = _regime_sizes(parameter, top)
        laid_out = np.flatnonzero(sizes[:-1, -1] >= SMALLEST_REGIME).tolist()
    layout = _lay_out(parameter, laid_out)
    flat = _cell_counts(parameter, top.buckets, top.n_buckets, layout)
    nested = flat[:, :-1].cumsum(axis=1)

    kept: list[RegimeCounts] = []
    small: list[IntArray] = []  # (target sets + 1,) each
    for start, domain in zip(layout.starts, laid_out, strict=True):
        cells = nested[start : start + layout.grids[domain].cells]
        region = cells[:, -1]
        trials = int(region.sum())
        if trials >= SMALLEST_REGIME:
            kept.append(RegimeCounts(parameter.domains[domain], region, cells[:, :-1].T))
        elif trials:
            small.append(cells.sum(axis=0))
    if sizes is not None:
        small += [size for size in sizes[:-1] if 0 < size[-1] < SMALLEST_REGIME]
    if not parameter.everywhere:
        absent = nested[layout.rest :].sum(axis=0) if sizes is None else sizes[-1]
        if absent[-1] >= SMALLEST_REGIME:
            kept.append(RegimeCounts(None, absent[-1:], absent[:-1, None]))
        elif absent[-1]:
            small.append(absent)
    dropped = np.array(small, dtype=np.int64).reshape(len(small), len(top.target_sizes) + 1)
    return ParameterCounts(parameter.name, tuple(kept), dropped[:, -1], dropped[:, :-1].T)


def places_of(parameter: Parameter) -> tuple[IntArray, list[int]]:
    """Return each trial's cell among all of the parameter's, and how many each regime has.

    The regimes are the domains in their order and, last, absence.
    """
    layout = _lay_out(parameter, range(len(parameter.domains)))
    places = _cells(parameter, slice(None), layout).astype(np.intp)
    return np.minimum(places, layout.rest), [*(g.cells for g in layout.grids.values()), 1]


def _regime_sizes(parameter: Parameter, top: TopSets) -> IntArray:
    """Return (domains + 1, target sets + 1): set sizes per regime, the absent one last."""
    regimes, buckets = len(parameter.domains) + 1, top.n_buckets
    sizes = np.zeros(regimes * buckets, dtype=np.int64)
    for start in range(0, len(top.buckets), _CHUNK):
        rows = slice(start, start + _CHUNK)
        ids = parameter.domain_ids[rows].astype(np.intp)
        ids[ids < 0] = regimes - 1
        ids *= buckets
        ids += top.buckets[rows]
        sizes += np.bincount(ids, minlength=sizes.size)
    return np.cumsum(sizes.reshape(regimes, buckets)[:, :-1], axis=1)


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where each domain's cells lie in one flat array, with room for all other rows at the end.

    The arrays have an entry per domain and one more, which id -1 (absent) finds by itself.
    Rows without cells of their own land behind ``rest``.
    """

    grids: dict[int, Grid]  # of the domains that have cells
    starts: tuple[int, ...]  # of each of these, in the same order
    rest: int
    cells: int  # all together
    offset: FloatArray
    low: ValueArray
    width: FloatArray
    top: FloatArray | float  # one number if all grids have as many cells
    on_log: BoolArray


def _lay_out(parameter: Parameter, domains: Sequence[int]) -> _Layout:
    grids = {domain: grid_of(parameter.domains[domain]) for domain in domains}
    sizes = [grid.cells for grid in grids.values()]
    largest = max(sizes, default=1)
    rest, n = sum(sizes), len(parameter.domains) + 1
    starts, offset, width = [], np.full(n, float(rest)), np.ones(n)
    on_log, tops = np.zeros(n, dtype=bool), np.zeros(n)
    # Whole bounds are subtracted as whole numbers, exact beyond 2^53, unless one is on
    # a log scale.
    whole = all(isinstance(grid.low, int) for grid in grids.values())
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
    )


def place_counts(parameter: Parameter, buckets: FloatArray, sizes: IntArray) -> IntArray:
    """Return (places, buckets): trials in each cell of all domains and, last, absent.

    ``sizes`` are the trials in each bucket, of which the last has no place in the counts.
    """
    layout = _lay_out(parameter, range(len(parameter.domains)))
    flat = _cell_counts(parameter, buckets, len(sizes), layout, sizes)[:, :-1]
    return np.concatenate([flat[: layout.rest], flat[layout.rest :].sum(axis=0, keepdims=True)])


def _cell_counts(
    parameter: Parameter,
    buckets: IdArray | FloatArray,
    n_buckets: int,
    layout: _Layout,
    sizes: IntArray | None = None,
) -> IntArray:
    """Return (cells, buckets): trials of each bucket in each place of the layout.

    ``sizes``, if known, are the trials of each bucket.
    """
    if not parameter.everywhere and len(layout.grids) == len(parameter.domains) <= _SOME_DOMAINS:
        if sizes is None:
            sizes = _sizes(buckets, n_buckets)
        return _counts_by_domain(parameter, buckets, sizes, layout)
    flat = np.zeros(layout.cells * n_buckets, dtype=np.int64)
    for start in range(0, len(buckets), _CHUNK):
        rows = slice(start, start + _CHUNK)
        cells = _cells(parameter, rows, layout)
        cells *= n_buckets
        cells += buckets[rows]
        flat += np.bincount(cells.astype(np.intp), minlength=flat.size)
    return flat.reshape(layout.cells, n_buckets)


def _sizes(buckets: IdArray | FloatArray, n_buckets: int) -> IntArray:
    sizes = np.zeros(n_buckets, dtype=np.int64)
    for start in range(0, len(buckets), _CHUNK):
        some = buckets[start : start + _CHUNK].astype(np.intp)
        sizes += np.bincount(some, minlength=n_buckets)
    return sizes


def _counts_by_domain(
    parameter: Parameter, buckets: IdArray | FloatArray, sizes: IntArray, layout: _Layout
) -> IntArray:
    """Count the rows of one domain after the other, and take all others as absent."""
    n_buckets = len(sizes)
    counts = np.zeros((layout.cells, n_buckets), dtype=np.int64)
    for start in range(0, len(buckets), _CHUNK):
        rows = slice(start, start + _CHUNK)
        ids, values, here = parameter.domain_ids[rows], parameter.values[rows], buckets[rows]
        for place, (first, grid) in enumerate(
            zip(layout.starts, layout.grids.values(), strict=True)
        ):
            among = np.flatnonzero(ids == place)
            cells = _grid_cells(values.take(among), grid, layout.low.dtype)
            cells *= n_buckets
            cells += here.take(among)
            size = grid.cells * n_buckets
            found = np.bincount(cells.astype(np.intp), minlength=size).reshape(-1, n_buckets)
            counts[first : first + grid.cells] += found
    counts[layout.rest] = sizes - counts[: layout.rest].sum(axis=0)
    return counts


def _grid_cells(values: ValueArray, grid: Grid, dtype: np.dtype[Any]) -> FloatArray:
    """Return the cells of values that share a grid, whose bounds are taken in a type."""
    if grid.categorical:
        return values.astype(np.float64)
    scaled = np.log(values) if grid.log else values
    return cells_of(scaled, dtype.type(grid.low), grid.width, grid.cells - 1.0)


def _cells(parameter: Parameter, rows: slice, layout: _Layout) -> FloatArray:
    """Return the place in the flat array of each row's cell."""
    values = parameter.values[rows]
    if parameter.everywhere:
        grid = layout.grids[0]
        if grid.categorical:
            return values.astype(np.float64)
        return cells_of(np.log(values) if grid.log else values, grid.low, grid.width, layout.top)
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
    # Wrapping finds the last entry for -1, and spares numpy the check of every index.
    return table.take(ids, mode="wrap")
