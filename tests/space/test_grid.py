"""Cells of values, against the formula written out in plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from condped import Categorical, Float, Int
from condped.space.grid import cells_of, grid_of

NUMERIC = [
    Float(0, 1),
    Float(-7, -2),
    Float(-1e9, 1e-9),
    Float(0, 1, step=0.1),
    Float(0, 1, step=0.3),
    Float(-3, 3, step=1),
    Float(0, 10, step=0.001),
    Int(0, 1),
    Int(-3, 3),
    Int(0, 49),
    Int(0, 50),
    Int(0, 1000),
    Int(1, 100, step=7),
    Int(-5, 2**53 + 3),
    Int(2**60, 2**60 + 30),
    Int(-(2**61), 2**61),
]
LOG = [Float(1e-5, 1, log=True), Float(0.5, 3e8, log=True), Int(1, 2, log=True)]
LOG += [Int(1, 1000, log=True), Int(3, 2**55, log=True)]


def slow_cells(domain: Float | Int) -> int:
    """Count the cells as the reference does."""
    if isinstance(domain, Int) and domain.log:
        return min(math.ceil(math.log2(domain.high - domain.low + 1)) + 1, 50)
    if domain.step is None or domain.log:
        return 50
    return min(round((domain.high - domain.low) / domain.step) + 1, 50)


def slow_cell(domain: Float | Int, value: float) -> int:
    """Return clip(ceil((x - low) / h - 0.5), 0, n - 1)."""
    n = slow_cells(domain)
    low, high = domain.low, domain.high
    if domain.log:
        value, low, high = math.log(value), math.log(low), math.log(high)
    h = (high - low) / (n - 1)
    return min(max(math.ceil((value - low) / h - 0.5), 0), n - 1)


def fast_cells(domain: Float | Int, values: list[float]) -> list[int]:
    """Return the cells as the package finds them."""
    grid = grid_of(domain)
    array = np.array(values, dtype=np.int64 if isinstance(domain, Int) else np.float64)
    scaled = np.log(array) if grid.log else array
    return [int(cell) for cell in cells_of(scaled, grid.low, grid.width, grid.cells - 1.0)]


@pytest.mark.parametrize("domain", [*NUMERIC, *LOG], ids=repr)
def test_the_number_of_cells_is_the_references(domain: Float | Int) -> None:
    """Fifty at most; one per step; fewer for ints on a log scale."""
    assert grid_of(domain).cells == slow_cells(domain)


@pytest.mark.parametrize(
    ("domain", "cells"),
    [
        (Float(0, 1), 50),
        (Float(0, 1, step=0.25), 5),
        (Float(3, 3), 50),
        (Int(0, 48), 49),
        (Int(0, 49), 50),
        (Int(0, 50), 50),
        (Int(7, 7), 1),
        (Int(1, 2, log=True), 2),
        (Int(1, 1000, log=True), 11),
        (Categorical(["a"]), 1),
        (Categorical(list(range(80))), 80),
    ],
    ids=repr,
)
def test_cell_counts_by_hand(domain: Float | Int | Categorical, cells: int) -> None:
    """A categorical has a cell per choice, however many; numbers have at most 50."""
    assert grid_of(domain).cells == cells


@pytest.mark.parametrize("domain", NUMERIC, ids=repr)
def test_values_on_and_beside_cell_edges_fall_as_the_formula_says(domain: Float | Int) -> None:
    """An edge belongs to the lower cell, and one ulp above it to the upper."""
    n = slow_cells(domain)
    h = (domain.high - domain.low) / (n - 1)
    values: list[float] = [domain.low, domain.high]
    for cell in range(n):
        for place in (cell * h, (cell + 0.5) * h):
            if isinstance(domain, Int):
                middle = domain.low + int(place)
                near: list[float] = [middle - 1, middle, middle + 1]
            else:
                edge = domain.low + place
                near = [math.nextafter(edge, -math.inf), edge, math.nextafter(edge, math.inf)]
            values += [value for value in near if domain.low <= value <= domain.high]
    assert fast_cells(domain, values) == [slow_cell(domain, value) for value in values]


@pytest.mark.parametrize("domain", LOG, ids=repr)
def test_values_on_a_log_scale_fall_as_the_formula_says(domain: Float | Int) -> None:
    """Each cell's middle, both bounds, and values all along the scale."""
    low, high = math.log(domain.low), math.log(domain.high)
    values: list[float] = [domain.low, domain.high]
    values += [math.exp(low + (high - low) * place / 997) for place in range(1, 997)]
    if isinstance(domain, Int):
        values = [min(max(round(value), domain.low), domain.high) for value in values]
    assert fast_cells(domain, values) == [slow_cell(domain, value) for value in values]


@given(data=st.data(), domain=st.sampled_from(NUMERIC))
def test_any_value_falls_as_the_formula_says(data: st.DataObject, domain: Float | Int) -> None:
    """Random values of every linear domain, to the last bit."""
    value = data.draw(
        st.integers(domain.low, domain.high)
        if isinstance(domain, Int)
        else st.floats(domain.low, domain.high)
    )
    assert fast_cells(domain, [value]) == [slow_cell(domain, value)]


def test_ints_beyond_2_to_the_53_are_told_apart() -> None:
    """Neighbouring ints that are one and the same float get cells of their own."""
    domain = Int(2**60, 2**60 + 40)
    values: list[float] = [2**60 + offset for offset in range(41)]
    assert fast_cells(domain, values) == list(range(41))


@pytest.mark.parametrize("domain", [Int(-(2**62), 2**62), Int(-(2**63), 2**63 - 1)], ids=repr)
def test_int_domains_wider_than_an_int64_do_not_wrap_round(domain: Int) -> None:
    """The distance from low does not fit an int64 here, the cell still must be right."""
    values: list[float] = [domain.low, domain.low // 2, 0, domain.high // 2, domain.high]
    assert fast_cells(domain, values) == [slow_cell(domain, value) for value in values]


def test_values_a_rounding_beyond_the_bounds_stay_in_the_outer_cells() -> None:
    """What a tool computed as a bound may miss it by an ulp."""
    values = [math.nextafter(0.0, -1.0), -1e-10, math.nextafter(1.0, 2.0), 1 + 1e-10]
    assert fast_cells(Float(0, 1), values) == [0, 0, 49, 49]


def test_absent_values_land_in_cell_0() -> None:
    """NaN stands for absent; its cell is one that the caller can count apart."""
    assert fast_cells(Float(0, 1), [math.nan, 1.0]) == [0, 49]


def test_finding_cells_leaves_the_values_alone() -> None:
    """The caller's arrays are read, never written."""
    values = np.array([0.1, 0.9])
    values.setflags(write=False)
    grid = grid_of(Float(0, 1))
    cells_of(values, grid.low, grid.width, 49.0)
    assert values.tolist() == [0.1, 0.9]


@pytest.mark.parametrize(
    ("domain", "cells"),
    [
        (Int(1, 10**30, log=True), 50),
        (Int(2**62, 2**64, log=True), 50),
        (Int(2**80, 2**80 + 3, log=True), 3),
        (Float(-1e308, 1e308, step=1e307), 21),
        (Float(0, 1e308, step=1e-9), 50),
        (Int(-(10**308), 10**308), 50),
        (Int(-(10**308), 10**308, step=10**307), 21),
        (Float(0, 49 * 5e-324, step=5e-324), 50),
        (Int(-(10**300), 10**300, step=10**300), 3),
    ],
)
def test_bounds_whose_differences_no_number_holds_have_cells(
    domain: Float | Int, cells: int
) -> None:
    """Where numpy takes no log of an int, and where a number of steps is infinite."""
    assert grid_of(domain).cells == cells
