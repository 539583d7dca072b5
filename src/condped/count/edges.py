"""Where cells meet, to the last bit: what lets every engine find a cell by comparing alone."""

from __future__ import annotations

import numpy as np

from condped.arrays import BoolArray, IntArray, ValueArray
from condped.count.keys import keys_of, values_of
from condped.count.memory import places_of
from condped.space.domain import Categorical, Domain, Int
from condped.space.grid import grid_of
from condped.trials.table import Parameter


def is_whole(domains: tuple[Domain, ...]) -> bool:
    """Return whether a parameter with these domains has int64 values; float64 otherwise."""
    return all(isinstance(domain, Int) for domain in domains)


def grid_edges(domains: tuple[Domain, ...]) -> dict[int, ValueArray]:
    """Return (cells - 1,) for each numeric domain of a parameter: the upper edges of its cells.

    An edge is the highest number that the counter in memory still puts into the cell, found by
    asking it: ``searchsorted(edges, x)`` is the cell of x, for every x.

    Examples
    --------
    >>> from condped.space.domain import Int
    >>> grid_edges((Int(1, 4),))
    {0: array([1, 2, 3])}
    """
    whole = is_whole(domains)
    numeric = [place for place, d in enumerate(domains) if not isinstance(d, Categorical)]
    ids, cells, lows, highs = [], [], [], []
    for place in numeric:
        domain = domains[place]
        assert not isinstance(domain, Categorical)
        inner = grid_of(domain).cells - 1
        ids += [place] * inner
        cells += list(range(inner))
        lows += [domain.low] * inner
        highs += [domain.high] * inner
    of = np.array(ids, dtype=np.intp)
    dtype = np.int64 if whole else np.float64
    low, high = (keys_of(np.array(bounds, dtype=dtype)) for bounds in (lows, highs))
    starts = np.cumsum([0, *(grid_of(domain).cells for domain in domains)])[of]
    wanted = np.array(cells, dtype=np.intp)

    def reached(keys: IntArray) -> BoolArray:
        values = values_of(keys, whole=whole)
        places, _ = places_of(Parameter("", values, of, domains))
        return np.asarray(places - starts <= wanted)

    while (low < high).any():
        # The middle, rounded up; as unsigned numbers the differences of any two keys fit.
        apart = high.view(np.uint64) - low.view(np.uint64)
        middle = (low.view(np.uint64) + ((apart >> np.uint64(1)) + (apart & np.uint64(1)))).view(
            np.int64
        )
        inside = reached(middle)
        low, high = np.where(inside, middle, low), np.where(inside, high, middle - 1)
    edges = values_of(low, whole=whole)
    return {place: edges[of == place] for place in numeric}
