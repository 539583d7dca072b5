"""The quick search finds what numpy's finds, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from condped.count.cells.fast_searchsorted import EdgeLookup


@pytest.mark.parametrize("edges", [0, 1, 3, 5, 99, 5000])
@pytest.mark.parametrize("power", [1, 3])
def test_numbers_are_found_as_numpy_finds_them(edges: int, power: int) -> None:
    """Edges, their neighbours and the ends of all floats fall where they belong."""
    rng = np.random.default_rng(edges)
    numbers = rng.normal(size=20_000) ** power
    cuts = np.unique(rng.choice(numbers, edges))
    beside = [np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf)]
    ends = [np.inf, -np.inf, 1.7e308, -1.7e308, 0.0, -0.0]
    looked_up = np.concatenate([numbers, cuts, *beside, ends])
    np.testing.assert_array_equal(
        EdgeLookup(cuts).places(looked_up), np.searchsorted(cuts, looked_up)
    )


@pytest.mark.parametrize(
    "cuts", [[1, 2, 3, 4, np.inf], [-1.7e308, 0, 1, 1.7e308], [1, 1 + 2e-16, 1 + 4e-16, 2, 3]]
)
def test_odd_edges_are_no_trouble(cuts: list[float]) -> None:
    """Infinite, far and close edges are found as well."""
    edges = np.unique(np.array(cuts))
    numbers = np.concatenate([edges, edges / 2, np.nextafter(edges, 0), [0.0, np.inf]])
    np.testing.assert_array_equal(
        EdgeLookup(edges).places(numbers), np.searchsorted(edges, numbers)
    )


def test_what_is_no_number_is_no_trouble() -> None:
    """NaN, which nobody counts, is neither an error nor a warning."""
    EdgeLookup(np.arange(9.0)).places(np.array([np.nan, 1.0]))
