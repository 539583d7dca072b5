"""Where cells meet, to the last bit: found by asking in which cell a number is."""

from __future__ import annotations

import numpy as np

from condped.arrays import ValueArray
from condped.count.cells.cell_counts import grid_places
from condped.count.order_statistics.keys import keys_of, values_of
from condped.space.domain import Float, Int
from condped.space.grid import grid_of
from condped.trials.table import Parameter


def grid_edges(domain: Float | Int) -> ValueArray:
    """Return (cells - 1,): the highest number that is still in each cell but the last."""
    whole = isinstance(domain, Int)
    cells = np.arange(grid_of(domain).cells - 1)
    bounds = np.array([domain.low, domain.high], dtype=np.int64 if whole else np.float64)
    # Python's own numbers: differences of two keys need not fit into 64 bits.
    low, high = ([int(key)] * len(cells) for key in keys_of(bounds))
    while any(a < b for a, b in zip(low, high, strict=True)):
        middle = [(a + b + 1) // 2 for a, b in zip(low, high, strict=True)]
        values = values_of(np.array(middle, dtype=np.int64), whole=whole)
        ids = np.zeros(len(cells), dtype=np.int8)
        inside = grid_places(Parameter("", values, ids, (domain,))) <= cells
        low = [m if here else a for m, here, a in zip(middle, inside, low, strict=True)]
        high = [b if here else m - 1 for m, here, b in zip(middle, inside, high, strict=True)]
    return values_of(np.array(low, dtype=np.int64), whole=whole)
