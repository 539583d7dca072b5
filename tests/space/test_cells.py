"""Cells turn back into the values that lie in them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from condped.space.domain import Float, Int
from condped.space.grid import cell_edges, cell_middles, cells_of, grid_of, values_between


def cell(domain: Float | Int, value: float) -> int:
    """Return a value's cell, straight from the grid."""
    grid = grid_of(domain)
    scaled = np.array([math.log(value) if grid.log else value], dtype=float)
    return int(cells_of(scaled, grid.low, grid.width, grid.cells - 1.0)[0])


@st.composite
def stepped(draw: st.DrawFn) -> Float | Int:
    """Draw a domain whose values can be counted."""
    kind = draw(st.sampled_from(["int", "log", "float"]))
    low = draw(st.integers(1, 50))
    if kind == "log":
        return Int(low, low + draw(st.integers(1, 800)), log=True)
    step, count = draw(st.integers(1, 7)), draw(st.integers(1, 300))
    if kind == "int":
        return Int(low, low + step * count, step=step)
    return Float(low / 10, low / 10 + step * count / 10, step=step / 10)


def values(domain: Float | Int) -> list[float]:
    """Return all values of a domain with steps."""
    step = domain.step or 1
    return [domain.low + k * step for k in range(round((domain.high - domain.low) / step) + 1)]


@settings(max_examples=150, deadline=None)
@given(domain=stepped(), data=st.data())
def test_a_range_of_cells_holds_exactly_its_values(
    domain: Float | Int, data: st.DataObject
) -> None:
    """Whole numbers and steps: inside are those whose cells are meant, and no others."""
    cells = grid_of(domain).cells
    first = data.draw(st.integers(0, cells - 1))
    last = data.draw(st.integers(first, cells - 1))
    meant = [value for value in values(domain) if first <= cell(domain, value) <= last]
    found = values_between(domain, first, last)
    if not meant:
        assert found is None
    else:
        assert found == pytest.approx((meant[0], meant[-1]), rel=1e-9)
    if found is not None and isinstance(domain, Int):
        assert all(isinstance(value, int) for value in found)


@pytest.mark.parametrize("domain", [Float(-3, 7), Float(1e-5, 1e-1, log=True)])
def test_edges_part_the_values(domain: Float) -> None:
    """A value just above an edge lies in the cell above it, the edge itself in the cell below."""
    edges, middles = cell_edges(domain), cell_middles(domain)
    assert edges[0] == middles[0] == domain.low
    assert edges[-1] == middles[-1] == domain.high
    for place, edge in enumerate(edges[1:-1]):
        assert cell(domain, edge * (1 + 1e-9 * np.sign(edge))) == place + 1
        assert cell(domain, edge * (1 - 1e-9 * np.sign(edge))) == place
    assert [cell(domain, middle) for middle in middles] == list(range(len(middles)))


def test_a_single_value_has_one_cell() -> None:
    """Whatever the grid says of a domain without width."""
    assert cell_edges(Float(2, 2)).tolist() == [2, 2]
    assert cell_middles(Int(3, 3)).tolist() == [3]
