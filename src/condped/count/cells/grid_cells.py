"""From the values of one domain to the cells of its grid, in few passes over them.

The cells are those that :func:`condped.space.grid.cells_of` finds by arithmetic; what is faster:

- Numbers inside a Float domain, as nearly all are, need no clipping and no care for NaN. Their
  cells go on as 16-bit numbers, which cost a quarter of the memory traffic of float64.
- The cells of whole numbers of a narrow Int domain are looked up in a table of all of them.
- No logarithm is taken of a number on a log scale, except close to where cells meet: the leading
  bits of a float64 (its exponent and some of its mantissa) are looked up in a table that knows the
  cell of every number with these bits, or that they are not all in one cell.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from condped.arrays import FloatArray, IdArray, IntArray, ValueArray
from condped.space.domain import Categorical, Domain, Float, Int
from condped.space.grid import Grid, cells_of, grid_of

# Values below which building a table would cost more than it saves.
_FEW = 1 << 12
# Whole numbers of an Int domain for all of which cells are kept.
_MOST_WHOLE = 1 << 14
# Steps of the table for numbers on a log scale: 49 of them, about one in a hundred, hold an edge.
_MOST_STEPS = 1 << 13


def cells_in(values: ValueArray, domain: Domain, *, whole: bool = False) -> IdArray:
    """Return the cell of each value in a domain's grid, as integers of some type.

    ``whole``: bounds are subtracted from whole numbers as such, which is exact beyond 2^53.

    Examples
    --------
    >>> cells_in(np.array([1e-4, 3e-4, 0.07, 1.0]), Float(1e-4, 1.0, log=True)).tolist()
    [0, 6, 35, 49]
    """
    if isinstance(domain, Categorical):
        return values
    if len(values) < _FEW:
        return _anywhere(values, domain, whole)
    if isinstance(domain, Int) and values.dtype == np.int64:
        if domain.high - domain.low < _MOST_WHOLE:
            return _of_whole(values, domain, whole)
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
    return _anywhere(values, domain, whole)


def _anywhere(values: ValueArray, domain: Domain, whole: bool) -> IntArray:
    """Return the cells of any values: those outside are in the nearest, what is no number in 0."""
    grid = grid_of(domain)
    scaled = np.log(values) if grid.log else values
    low: Any = grid.low if whole and values.dtype.kind == "i" else float(grid.low)
    return cells_of(scaled, low, grid.width, grid.cells - 1.0).astype(np.int16)


def _unclipped(values: FloatArray, grid: Grid) -> FloatArray:
    """Return the cells of numbers on a linear scale, also where there are no such cells."""
    # The operations of cells_of, in its order: each rounds as it does there.
    cells = np.subtract(values, grid.low)
    np.divide(cells, grid.width, out=cells)
    np.subtract(cells, 0.5, out=cells)
    return np.ceil(cells, out=cells)


@lru_cache(maxsize=4096)
def _needs_no_clipping(domain: Float) -> bool:
    """Return whether all numbers inside a linear domain end up in one of its cells by themselves.

    Not so if its width is not finite or next to nothing.
    """
    grid = grid_of(domain)
    with np.errstate(all="ignore"):
        first, last = _unclipped(np.array([domain.low, domain.high]), grid)
    return bool(first == 0 and last <= grid.cells - 1)


def _of_whole(values: IntArray, domain: Int, whole: bool) -> IdArray:
    """Return the cells of whole numbers by a table of them all."""
    table = _whole_table(domain, whole)
    # Bounding before subtracting: differences of any two int64 need not fit.
    if values.min() < domain.low or values.max() > domain.high:
        values = np.clip(values, domain.low, domain.high)
    # Nothing is below 0 or beyond the table now; wrapping spares numpy the check of every index.
    return table.take(values - domain.low, mode="wrap")


@lru_cache(maxsize=4096)
def _whole_table(domain: Int, whole: bool) -> IdArray:
    """Return (high - low + 1,): the cell of each whole number of a domain."""
    every = np.arange(domain.high - domain.low + 1, dtype=np.int64) + domain.low
    return _anywhere(every, domain, whole).astype(np.int16)


class _LogSteps:
    """Finds cells on a log scale by the leading bits of the numbers.

    A step is all numbers with the same leading bits. The bits of positive float64, read as whole
    numbers, are in the order of the numbers, so a step whose first and last number are in the same
    cell is in that cell as a whole. All others are ``open``: there, and for numbers that are in
    no step, the logarithm decides.
    """

    def __init__(self, domain: Float) -> None:
        self.domain = domain
        self.open = grid_of(domain).cells
        first, last = _bits(domain.low), _bits(domain.high)
        self.shift = 0
        while (last >> self.shift) - (first >> self.shift) + 3 > _MOST_STEPS:
            self.shift += 1
        # Step 0 is for all numbers below, the last for all above and for what is no number.
        self.before = (first >> self.shift) - 1
        steps = np.arange((first >> self.shift), (last >> self.shift) + 1, dtype=np.int64)
        start = (steps << self.shift).view(np.float64)
        stop = (((steps + 1) << self.shift) - 1).view(np.float64)
        # A logarithm may be off by a few units in its last place, so that numbers close to an edge
        # need not be in order: a step that comes within a hair of an edge is open, too.
        hair = 1e-12
        lowest, highest = (_anywhere(edge, domain, whole=False) for edge in (start, stop))
        near_low = _anywhere(start * (1 - hair), domain, whole=False)
        near_high = _anywhere(stop * (1 + hair), domain, whole=False)
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
            found[rows] = _anywhere(values.take(rows), self.domain, whole=False)
        return found


@lru_cache(maxsize=4096)
def _log_steps(domain: Float) -> _LogSteps | None:
    """Return the table for a domain; None where its steps would not all be ordinary numbers."""
    return _LogSteps(domain) if domain.low > 1e-300 and domain.high < 1e300 else None


def _bits(number: float) -> int:
    """Return the bits of a float64 as a whole number."""
    return int(np.float64(number).view(np.int64))
