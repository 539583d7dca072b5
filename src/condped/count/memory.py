"""Counting trials that are in memory, with numpy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from condped.arrays import FloatArray, IntArray, ValueArray
from condped.count.counts import ParameterCounts, RegimeCounts, StudyCounts
from condped.space.grid import Grid, cells_of, grid_of
from condped.topsets import TopSets
from condped.trials import Parameter, TrialTable

# Regimes of fewer region trials are dropped, as in the reference.
SMALLEST_REGIME = 2
# Rows at a time: few enough for the temporaries of a chunk to stay in the processor's cache.
_CHUNK = 1 << 15


def count_in_memory(table: TrialTable, top: TopSets) -> StudyCounts:
    """Count the trials of each set in each cell of each regime."""
    return StudyCounts(
        parameters=tuple(_count(parameter, top) for parameter in table.parameters),
        region_size=top.region_size,
        target_sizes=top.target_sizes,
    )


def _count(parameter: Parameter, top: TopSets) -> ParameterCounts:
    """Count one parameter: first how large its regimes are, then the cells of those kept."""
    thresholds = len(top.target_sizes)
    sizes = _regime_sizes(parameter, top)  # (domains + 1, buckets), the absent regime last
    reached = np.cumsum(sizes[:, :-1], axis=1)
    region = reached[:, -1]
    kept = np.flatnonzero(region >= SMALLEST_REGIME)
    small = np.flatnonzero((region > 0) & (region < SMALLEST_REGIME))

    absent = len(parameter.domains)
    layout = _layout(parameter, [int(regime) for regime in kept if regime != absent])
    flat = _cell_counts(parameter, top, layout)
    regimes = []
    for regime in kept:
        if regime == absent:
            regimes.append(
                RegimeCounts(None, region[absent, None], reached[absent, :thresholds, None])
            )
            continue
        start = int(layout.offset[regime])
        cells = flat[start : start + layout.grids[int(regime)].cells]
        nested = np.cumsum(cells[:, :-1], axis=1)
        regimes.append(
            RegimeCounts(
                parameter.domains[regime], nested[:, -1], np.ascontiguousarray(nested[:, :-1].T)
            )
        )
    return ParameterCounts(
        parameter.name, tuple(regimes), region[small], reached[small, :thresholds].T
    )


def _regime_sizes(parameter: Parameter, top: TopSets) -> IntArray:
    """Return (domains + 1, buckets): trials per regime and bucket, the absent regime last."""
    regimes, buckets = len(parameter.domains) + 1, top.n_buckets
    if parameter.everywhere:
        within = np.diff(np.concatenate([[0], top.target_sizes, [top.region_size]]))
        outside = len(top.buckets) - top.region_size
        return np.stack([np.append(within, outside), np.zeros(buckets, dtype=np.int64)])
    sizes = np.zeros(regimes * buckets, dtype=np.int64)
    for start in range(0, len(top.buckets), _CHUNK):
        rows = slice(start, start + _CHUNK)
        # Id -1 (absent) becomes the last regime.
        ids = parameter.domain_ids[rows].astype(np.intp)
        ids[ids < 0] = regimes - 1
        ids *= buckets
        ids += top.buckets[rows]
        sizes += np.bincount(ids, minlength=sizes.size)
    return sizes.reshape(regimes, buckets)


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where each kept domain's cells lie in one flat array of counts, with one cell for the rest.

    The arrays have an entry per domain and one more, which id -1 (absent) finds by itself.
    """

    grids: dict[int, Grid]  # of the kept domains
    offset: IntArray
    low: ValueArray
    width: FloatArray
    top: FloatArray
    cells: int  # all together, the one for the rest included


def _layout(parameter: Parameter, kept: list[int]) -> _Layout:
    grids = {domain: grid_of(parameter.domains[domain]) for domain in kept}
    n = len(parameter.domains) + 1
    total = sum(grid.cells for grid in grids.values())
    offset = np.full(n, total, dtype=np.int64)
    whole = all(isinstance(grid.low, int) for grid in grids.values())
    low = np.zeros(n, dtype=np.int64 if whole else np.float64)
    width, top = np.ones(n), np.zeros(n)
    start = 0
    for domain, grid in grids.items():
        offset[domain], low[domain] = start, grid.low
        width[domain], top[domain] = grid.width, grid.cells - 1
        start += grid.cells
    return _Layout(grids, offset, low, width, top, total + 1)


def _cell_counts(parameter: Parameter, top: TopSets, layout: _Layout) -> IntArray:
    """Return (cells of all kept regimes and one for the rest, buckets)."""
    buckets = top.n_buckets
    flat = np.zeros(layout.cells * buckets, dtype=np.int64)
    if not layout.grids:
        return flat.reshape(layout.cells, buckets)
    for start in range(0, len(top.buckets), _CHUNK):
        rows = slice(start, start + _CHUNK)
        cells = _cells(parameter, rows, layout)
        cells *= buckets
        cells += top.buckets[rows]
        flat += np.bincount(cells.astype(np.intp), minlength=flat.size)
    return flat.reshape(layout.cells, buckets)


def _cells(parameter: Parameter, rows: slice, layout: _Layout) -> FloatArray:
    """Return the place in the flat layout of each row's cell."""
    values = parameter.values[rows]
    logs = {grid.log for grid in layout.grids.values()}
    if parameter.everywhere:
        (grid,) = layout.grids.values()
        if grid.categorical:
            return values.astype(np.float64)
        return cells_of(np.log(values) if grid.log else values, grid.low, grid.width, grid.cells - 1)
    ids = parameter.domain_ids[rows]
    if logs == {True}:
        values = _log_where(values, ids >= 0)
    elif logs == {True, False}:
        on_log = np.zeros(len(layout.offset), dtype=bool)
        on_log[[domain for domain, grid in layout.grids.items() if grid.log]] = True
        values = np.where(on_log[ids], _log_where(values, on_log[ids]), values)
    cells = cells_of(values, layout.low[ids], layout.width[ids], layout.top[ids])
    cells += layout.offset[ids]
    return cells


def _log_where(values: ValueArray, where: ValueArray) -> FloatArray:
    return np.log(values, out=np.zeros(len(values)), where=where)
