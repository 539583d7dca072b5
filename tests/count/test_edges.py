"""Exact edges put every number where the counter in memory puts it."""

from __future__ import annotations

import numpy as np
import pytest
from condped.count.edges import grid_edges, is_whole
from condped.count.memory import places_of

from condped.arrays import ValueArray
from condped.space.domain import Categorical, Domain, Float, Int
from condped.trials.table import Parameter

DOMAINS: tuple[tuple[Domain, ...], ...] = (
    (Float(0, 1),),
    (Float(1e-5, 1e-1, log=True),),
    (Float(0, 1, step=0.25),),
    (Float(0, 1e-300),),
    (Float(1e300, 1.0000001e300),),
    (Int(1, 1000, log=True),),
    (Int(2**53, 2**53 + 1000),),
    (Int(-(2**62), 2**62),),
    (Float(-7, -2), Float(2, 5)),
    (Float(1e-4, 1, log=True), Float(0, 10)),
    (Int(1, 10), Float(0, 3)),
    (Int(1, 100), Int(1, 64, log=True)),
    (Categorical(["a", "b"]), Categorical(["a", "b", "c"])),
)


@pytest.mark.parametrize("domains", DOMAINS, ids=str)
def test_a_number_beside_an_edge_is_in_the_cell_that_memory_counts_it_in(
    domains: tuple[Domain, ...],
) -> None:
    """On an edge, one unit in the last place beside it, and in between."""
    rng = np.random.default_rng(0)
    found = grid_edges(domains)
    assert set(found) == {p for p, d in enumerate(domains) if not isinstance(d, Categorical)}
    near: ValueArray
    between: ValueArray
    for place, edges in found.items():
        domain = domains[place]
        assert not isinstance(domain, Categorical)
        if is_whole(domains):
            near = np.concatenate([edges, edges - 1, edges + 1])
            between = rng.integers(int(domain.low), int(domain.high), 5000, endpoint=True)
        else:
            beside = [np.nextafter(edges, bound) for bound in (-np.inf, np.inf)]
            near = np.concatenate([edges, *beside])
            between = rng.uniform(domain.low, domain.high, 5000)
        values = np.concatenate([near, between])
        values = values[(values >= domain.low) & (values <= domain.high)]
        ids = np.full(len(values), place, dtype=np.int8)
        places, sizes = places_of(Parameter("x", values, ids, domains))
        cells = places - sum(sizes[:place])
        assert np.array_equal(np.searchsorted(edges, values), cells)
        assert len(edges) == sizes[place] - 1
