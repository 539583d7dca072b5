"""From the values of one domain to the cells of its grid, in few passes over them.

The cells are those of :func:`condped.space.grid.cells_of`, found faster:

- Numbers inside a Float domain, as nearly all are, need no clipping and no treatment of NaN. Their
  cells are 16-bit integers, which take a quarter of the memory traffic of float64.
- The cells of integers in a narrow Int domain are looked up in a table.
- On a log scale no logarithm is computed, except near the edges between cells: the leading bits of
  a float64 (its exponent and some of its mantissa) are looked up in a table that holds the cell of
  all numbers with these bits, or a mark that they are not all in one cell.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from condped.arrays import FloatArray, IdArray, IntArray, ValueArray
from condped.space.domain import Categorical, Domain, Float, Int
from condped.space.grid import Grid, cells_of, grid_of

# With fewer values a table costs more than it saves.
_FEW = 1 << 12
# Largest Int domain with a table of all its cells.
_MOST_INTS = 1 << 14
# Steps of the table for numbers on a log scale: 49 of them, about one in a hundred, hold an edge.
_MOST_STEPS = 1 << 13


def cells_in(values: ValueArray, domain: Domain, *, whole: bool = False) -> IdArray:
    """Return the cell of each value in a domain's grid, as integers of some type.

    ``whole``: bounds are subtracted from integers as integers, which is exact beyond 2^53.

    Examples
    --------
    >>> cells_in(np.array([1e-4, 3e-4, 0.07, 1.0]), Float(1e-4, 1.0, log=True)).tolist()
    [0, 6, 35, 49]
    """
    if isinstance(domain, Categorical):
        return values
    if len(values) < _FEW:
        return _computed_cells(values, domain, whole)
    if isinstance(domain, Int) and values.dtype == np.int64:
        if domain.high - domain.low < _MOST_INTS:
            return _cells_of_ints(values, domain, whole)
    elif isinstance(domain, Float) and values.dtype == np.float64:
        if domain.log:
            steps = _log_steps(domain)
            if steps is not None:
                return steps.cells(values)
        elif (
            values.min() >= domain.low
            and values.max() <= domain.high
            and _needs_no_clipping(domain)
        ):
            return _unclipped(values, grid_of(domain)).astype(np.int16)
    return _computed_cells(values, domain, whole)


def _computed_cells(values: ValueArray, domain: Domain, whole: bool) -> IntArray:
    """Return the cells of any values: the nearest for values outside, 0 for NaN."""
    grid = grid_of(domain)
    scaled = np.log(values) if grid.log else values
    low: Any = grid.low if whole and values.dtype.kind == "i" else float(grid.low)
    return cells_of(scaled, low, grid.width, grid.cells - 1.0).astype(np.int16)


def _unclipped(values: FloatArray, grid: Grid) -> FloatArray:
    """Return the cells of numbers on a linear scale, not clipped to the grid."""
    # The operations of cells_of in the same order, so that they round alike.
    cells = np.subtract(values, grid.low)
    np.divide(cells, grid.width, out=cells)
    np.subtract(cells, 0.5, out=cells)
    return np.ceil(cells, out=cells)


@lru_cache(maxsize=4096)
def _needs_no_clipping(domain: Float) -> bool:
    """Return whether all numbers inside a linear domain get one of its cells without clipping.

    Not so if its width is infinite or tiny.
    """
    grid = grid_of(domain)
    with np.errstate(all="ignore"):
        first, last = _unclipped(np.array([domain.low, domain.high]), grid)
    return bool(first == 0 and last <= grid.cells - 1)


def _cells_of_ints(values: IntArray, domain: Int, whole: bool) -> IdArray:
    """Return the cells of integers by a lookup table."""
    table = _int_table(domain, whole)
    # Clipped before subtracting: the difference of two int64 may overflow.
    if values.min() < domain.low or values.max() > domain.high:
        values = np.clip(values, domain.low, domain.high)
    # All indices are inside the table now; wrapping saves numpy the bounds check.
    return table.take(values - domain.low, mode="wrap")


@lru_cache(maxsize=4096)
def _int_table(domain: Int, whole: bool) -> IdArray:
    """Return (high - low + 1,): the cell of each integer of a domain."""
    every = np.arange(domain.high - domain.low + 1, dtype=np.int64) + domain.low
    return _computed_cells(every, domain, whole).astype(np.int16)


class _LogSteps:
    """Finds cells on a log scale by the leading bits of the numbers.

    A step is all numbers with the same leading bits. The bits of positive float64, read as
    integers, are in the order of the numbers, so a step whose first and last number are in the same
    cell lies in that cell entirely. All others are ``open``: there, and for numbers outside all
    steps, the logarithm decides.
    """

    def __init__(self, domain: Float) -> None:
        self.domain = domain
        self.open = grid_of(domain).cells
        first, last = _bits(domain.low), _bits(domain.high)
        self.shift = 0
        while (last >> self.shift) - (first >> self.shift) + 3 > _MOST_STEPS:
            self.shift += 1
        # Step 0 is for all numbers below, the last for all above and for NaN.
        self.before = (first >> self.shift) - 1
        steps = np.arange((first >> self.shift), (last >> self.shift) + 1, dtype=np.int64)
        start = (steps << self.shift).view(np.float64)
        stop = (((steps + 1) << self.shift) - 1).view(np.float64)
        # A logarithm may be off by a few ulps, so numbers close to an edge need not be in order: a
        # step that comes this close to an edge is open, too.
        margin = 1e-12
        lowest, highest = (_computed_cells(edge, domain, whole=False) for edge in (start, stop))
        near_low = _computed_cells(start * (1 - margin), domain, whole=False)
        near_high = _computed_cells(stop * (1 + margin), domain, whole=False)
        sure = (lowest == highest) & (near_low == lowest) & (near_high == highest)
        self.table = np.full(len(steps) + 2, self.open, dtype=np.int16)
        self.table[1:-1][sure] = lowest[sure]

    def cells(self, values: FloatArray) -> IdArray:
        """Return the cell of each number."""
        steps = np.right_shift(np.ascontiguousarray(values).view(np.int64), self.shift)
        steps -= self.before
        found = self.table.take(steps, mode="clip")
        rows = np.flatnonzero(found == self.open)
        if rows.size:
            found[rows] = _computed_cells(values.take(rows), self.domain, whole=False)
        return found


@lru_cache(maxsize=4096)
def _log_steps(domain: Float) -> _LogSteps | None:
    """Return the table for a domain; None if some of its steps would not be normal floats."""
    return _LogSteps(domain) if domain.low > 1e-300 and domain.high < 1e300 else None


def _bits(number: float) -> int:
    """Return the bits of a float64 as an integer."""
    return int(np.float64(number).view(np.int64))
