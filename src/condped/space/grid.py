"""The grid of a domain: from a value to its cell, and from a cell to its middle and edges."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from condped.arrays import FloatArray, IntArray, ValueArray
from condped.space.domain import Categorical, Domain, Float, Int, Numeric

MOST_CELLS = 50
_MOST_INT = (1 << 63) - 1


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
    # The reference's cell counts, in the same floating-point operations where they have a result.
    cells = MOST_CELLS
    if integer and log:
        cells = min(int(np.ceil(np.log(float(high - low + 1)) / np.log(2))) + 1, MOST_CELLS)
    elif step is not None:
        apart = high - low  # of floats it may be infinite, of integers too large for a float
        if apart // step >= MOST_CELLS:
            steps: float = MOST_CELLS
        elif integer or math.isfinite(apart):
            steps = apart / step
        else:
            steps = high / step - low / step
        cells = round(min(steps, MOST_CELLS - 1)) + 1
    if low < -_MOST_INT - 1 or high > _MOST_INT:  # numpy has no integers of this size
        low, high = float(low), float(high)
    if log:
        low, high = math.log(low), math.log(high)
    # A domain of one value has one cell, whose width is never divided by.
    width = (high - low) / (cells - 1) if cells > 1 else 1.0
    return Grid(cells, low, width or 1.0, log, categorical=False)


def grid_of(domain: Domain) -> Grid:
    """Return the grid of a domain: at most 50 cells for numbers, one per choice otherwise."""
    if isinstance(domain, Categorical):
        return Grid(len(domain.choices), 0.0, 1.0, log=False, categorical=True)
    return _numeric_grid(domain.low, domain.high, domain.log, domain.step, isinstance(domain, Int))


def cells_within(domain: Numeric, values: ValueArray) -> IntArray:
    """Return the cell of each value on its domain's grid."""
    if domain.single:
        return np.zeros(len(values), dtype=np.int64)
    grid = grid_of(domain)
    scaled = np.log(values.astype(np.float64)) if grid.log else values
    return cells_of(scaled, grid.low, grid.width, grid.cells - 1.0).astype(np.int64)


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


def cell_middles(domain: Float | Int) -> FloatArray:
    """Return (cells,): the middle of each cell, the first and last on the domain's bounds."""
    if domain.single:
        return np.array([float(domain.low)])
    grid = grid_of(domain)
    middles = _in_units(domain, np.arange(grid.cells, dtype=np.float64))
    middles[0], middles[-1] = domain.low, domain.high
    return middles


def cell_edges(domain: Float | Int) -> FloatArray:
    """Return (cells + 1,): the edges of the cells, the first and last at the domain's bounds."""
    if domain.single:
        return np.array([float(domain.low), float(domain.high)])
    grid = grid_of(domain)
    edges = _in_units(domain, np.arange(grid.cells + 1, dtype=np.float64) - 0.5)
    edges[0], edges[-1] = domain.low, domain.high
    return edges


def steps_of(domain: Float | Int) -> int:
    """Return how many steps lead from the lowest value to the highest; 0 without a step."""
    if domain.step is None:
        return 0
    if isinstance(domain, Int):
        return (domain.high - domain.low) // domain.step
    steps = (domain.high - domain.low) / domain.step
    if math.isfinite(steps):
        return round(steps)
    return round((Fraction(domain.high) - Fraction(domain.low)) / Fraction(domain.step))


def values_between(domain: Float | Int, first: int, last: int) -> tuple[float, float] | None:
    """Return the lowest and highest value whose cells lie from ``first`` to ``last``.

    Integers stay integers and steps are respected; None if no value falls into these cells.
    """
    step = domain.step
    edges = cell_edges(domain)
    if step is None:
        # A value on an edge belongs to the cell below it.
        low = domain.low if first == 0 else float(np.nextafter(edges[first], np.inf))
        return low, float(edges[last + 1])
    steps = steps_of(domain)
    lowest = _first_step(domain, first, steps)
    highest = _first_step(domain, last + 1, steps) - 1
    if lowest > highest:
        return None
    return _at_step(domain, lowest), _at_step(domain, highest)


def _first_step(domain: Float | Int, cell: int, steps: int) -> int:
    """Return the number of steps to the first value in ``cell`` or above."""
    if cell == 0:
        return 0
    if cell >= grid_of(domain).cells:
        return steps + 1
    # By bisection: there may be more steps than floats, so an edge does not determine the step.
    low, high = 0, steps + 1
    while low < high:
        middle = (low + high) // 2
        if _cell(domain, _at_step(domain, middle)) < cell:
            low = middle + 1
        else:
            high = middle
    return low


def _at_step(domain: Float | Int, count: int) -> float:
    if isinstance(domain, Int):
        return domain.low + count * domain.step
    if count > _MOST_INT:
        return float(Fraction(domain.low) + count * Fraction(domain.step or 0.0))
    # Rounded to what a person writes: 0.1 + 2 * 0.1 is 0.3.
    return float(f"{domain.low + count * (domain.step or 0.0):.12g}")


def _cell(domain: Float | Int, value: float) -> int:
    grid = grid_of(domain)
    scaled = math.log(value) if grid.log else value
    scaled = float(scaled) if abs(scaled) > _MOST_INT else scaled  # numpy has no such integers
    return int(cells_of(np.array([scaled]), grid.low, grid.width, grid.cells - 1.0)[0])


def _in_units(domain: Float | Int, cells: FloatArray) -> FloatArray:
    grid = grid_of(domain)
    places = np.asarray(grid.low + grid.width * cells, dtype=np.float64)
    return np.exp(places) if grid.log else places


def fewest_cells(masses: IntArray | FloatArray, whole: float) -> tuple[int, int]:
    """Return the first and last of the fewest neighbouring cells that hold so much."""
    passed = np.concatenate([[0], np.cumsum(masses)])
    ends = np.searchsorted(passed, passed[:-1] + whole)  # exclusive
    possible = np.flatnonzero(ends < len(passed))
    first = int(possible[np.argmin(ends[possible] - possible)])
    return first, int(ends[first]) - 1
