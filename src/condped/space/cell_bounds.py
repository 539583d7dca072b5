"""Middles and edges of grid cells, in the units of the domain."""

from __future__ import annotations

import math

import numpy as np

from condped.arrays import FloatArray
from condped.space.domain import Float, Int
from condped.space.grid import cells_of, grid_of


def cell_middles(domain: Float | Int) -> FloatArray:
    """Return (cells,): the middle of each cell, the first and last on the domain's bounds."""
    if domain.single:
        return np.array([float(domain.low)])
    grid = grid_of(domain)
    middles = _in_units(domain, np.arange(grid.cells, dtype=np.float64))
    middles[0], middles[-1] = domain.low, domain.high
    return middles


def cell_edges(domain: Float | Int) -> FloatArray:
    """Return (cells + 1,): where cells meet; the outer halves end at the domain's bounds."""
    if domain.single:
        return np.array([float(domain.low), float(domain.high)])
    grid = grid_of(domain)
    edges = _in_units(domain, np.arange(grid.cells + 1, dtype=np.float64) - 0.5)
    edges[0], edges[-1] = domain.low, domain.high
    return edges


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
    steps = round((domain.high - domain.low) / step)
    lowest = _first_step(domain, first, float(edges[first]), steps)
    highest = _first_step(domain, last + 1, float(edges[last + 1]), steps) - 1
    if lowest > highest:
        return None
    return _at_step(domain, lowest), _at_step(domain, highest)


def _first_step(domain: Float | Int, cell: int, edge: float, steps: int) -> int:
    """Return the number of steps to the first value in ``cell`` or above."""
    if cell == 0:
        return 0
    if cell >= grid_of(domain).cells:
        return steps + 1
    guess = max(math.floor((edge - domain.low) / (domain.step or 1)) - 1, 0)
    # Rounding moves an edge by less than a step; the cell itself decides.
    while guess <= steps and _cell(domain, _at_step(domain, guess)) < cell:
        guess += 1
    return guess


def _at_step(domain: Float | Int, count: int) -> float:
    if isinstance(domain, Int):
        return domain.low + count * domain.step
    # Rounded to what a person writes: 0.1 + 2 * 0.1 is 0.3.
    return float(f"{domain.low + count * (domain.step or 0.0):.12g}")


def _cell(domain: Float | Int, value: float) -> int:
    grid = grid_of(domain)
    scaled = math.log(value) if grid.log else value
    return int(cells_of(np.array([scaled]), grid.low, grid.width, grid.cells - 1.0)[0])


def _in_units(domain: Float | Int, cells: FloatArray) -> FloatArray:
    grid = grid_of(domain)
    places = np.asarray(grid.low + grid.width * cells, dtype=np.float64)
    return np.exp(places) if grid.log else places
