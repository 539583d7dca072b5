"""Counts of a parameter's domains put together in the one domain that spans them all."""

from __future__ import annotations

import numpy as np

from condped.arrays import IntArray, ValueArray
from condped.count.edges import grid_edges
from condped.count.passes import Wanted
from condped.space.domain import Categorical, Domain
from condped.trials.regimes import spanning_domain


def edges_of(
    wanted: Wanted, place: int, name: str, domains: tuple[Domain, ...]
) -> dict[int, ValueArray]:
    """Return the edges of the cells that a parameter's domains are counted in."""
    if wanted.spanned and len(domains) > 1:
        # All domains get the same edges: their cells are added up once they are counted.
        if wanted.edges is None:
            edges = grid_edges((spanning_domain(name, domains),)).get(0)
        else:
            edges = wanted.edges.get((place, 0))
        numeric = [k for k, domain in enumerate(domains) if not isinstance(domain, Categorical)]
        return {} if edges is None else dict.fromkeys(numeric, edges)
    if wanted.edges is None:
        return grid_edges(domains)
    return {domain: edges for (p, domain), edges in wanted.edges.items() if p == place}


def put_together(
    counts: IntArray, wanted: Wanted, name: str, domains: tuple[Domain, ...]
) -> IntArray:
    """Return (places, slots) of the spanning domain, if that is what is wanted."""
    if not wanted.spanned or len(domains) == 1:
        return counts
    spanning = spanning_domain(name, domains)
    if not isinstance(spanning, Categorical):
        cells = counts[:-1].reshape(len(domains), -1, counts.shape[1])
        return np.concatenate([cells.sum(axis=0), counts[-1:]])
    places = [
        spanning.choices.index(choice)
        for domain in domains
        if isinstance(domain, Categorical)
        for choice in domain.choices
    ]
    whole = np.zeros((len(spanning.choices) + 1, counts.shape[1]), dtype=np.int64)
    np.add.at(whole, [*places, len(spanning.choices)], counts)
    return whole
