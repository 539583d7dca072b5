"""From a value to the cell of its domain's grid."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from condped.arrays import FloatArray, ValueArray
from condped.space.domain import Categorical, Domain, Int

MOST_CELLS = 50


@dataclass(frozen=True, slots=True)
class Grid:
    """Equidistant cells over a numeric domain; a categorical has one cell per choice."""

    cells: int
    low: float  # of the first cell's middle; a natural log on a log scale
    width: float  # of one cell
    log: bool
    categorical: bool


@lru_cache(maxsize=4096)
def _numeric_grid(low: float, high: float, log: bool, step: float | None, integer: bool) -> Grid:
    # The reference's cell counts, in the same floating-point operations.
    cells = MOST_CELLS
    if integer and log:
        cells = min(int(np.ceil(np.log(high - low + 1) / np.log(2))) + 1, MOST_CELLS)
    elif step is not None:
        cells = min(round((high - low) / step) + 1, MOST_CELLS)
    if log:
        low, high = math.log(low), math.log(high)
    # A domain of one value has one cell, whose width is never used as a divisor.
    width = (high - low) / (cells - 1) if cells > 1 else 1.0
    return Grid(cells, low, width or 1.0, log, categorical=False)


def grid_of(domain: Domain) -> Grid:
    """Return the grid of a domain: at most 50 cells for numbers, one per choice otherwise."""
    if isinstance(domain, Categorical):
        return Grid(len(domain.choices), 0.0, 1.0, log=False, categorical=True)
    return _numeric_grid(domain.low, domain.high, domain.log, domain.step, isinstance(domain, Int))


def cells_of(
    values: ValueArray,
    low: float | FloatArray,
    width: float | FloatArray,
    top: float | FloatArray,
) -> FloatArray:
    """Return the cell of each value as a whole float, clipped to 0 … ``top``.

    ``values`` are on the grid's scale (logs already taken). NaN goes to cell 0: absent values,
    which the caller counts separately.
    """
    cells: FloatArray = np.subtract(values, low, dtype=None if values.dtype.kind == "i" else float)
    if cells.dtype.kind == "i":
        below = np.less(values, low)
        if below.any() or (cells < 0).any():
            # A negative difference of a value that is not below the lowest has overflowed: the
            # domain is wider than int64. Values below belong to the first cell either way.
            cells = np.where(below, 0.0, cells.view(np.uint64).astype(np.float64))
    cells = np.divide(cells, width, out=cells if cells.dtype == np.float64 else None)
    cells -= 0.5
    # Rounding up after subtracting a half: midpoints go to the lower cell, as in the reference.
    np.ceil(cells, out=cells)
    if isinstance(top, float) and not np.isnan(cells.min(initial=0.0)):
        np.maximum(cells, 0.0, out=cells)
        return np.minimum(cells, top, out=cells)
    np.fmax(cells, 0.0, out=cells)
    np.fmin(cells, top, out=cells)
    return cells
