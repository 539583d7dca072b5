"""The cells of all parameters at once, for tables so small that calls cost more than trials."""

from __future__ import annotations

from itertools import accumulate
from typing import NamedTuple

import numpy as np

from condped.arrays import IdArray, IntArray
from condped.count.cells.cell_counts import (
    RankEdges,
    grid_places,
    grid_sizes,
    rank_places,
    rank_sizes,
)
from condped.trials.batch import Batch
from condped.trials.regimes import expand_parameter

_FEW_VALUES = 1 << 18  # trials × parameters, up to which places are kept for the next pass


class CellPlaces(NamedTuple):
    """Where trials lie among the cells of P parameters.

    Attributes
    ----------
    places
        (P, trials): the cell of each trial among those of all parameters, one after the other, each
        with absence last.
    starts
        (P + 1,): where the cells of each parameter begin, and how many there are.
    edges
        Those of cells by rank; kept alive, since places are cached by their identity.
    """

    places: IntArray
    starts: tuple[int, ...]
    edges: RankEdges | None

    def counts(self, buckets: IdArray, n_buckets: int) -> list[IntArray]:
        """Return (cells, buckets) for each parameter; the bucket ``n_buckets`` is not counted."""
        width = n_buckets + 1
        flat = np.bincount(
            (self.places * width + buckets).ravel(), minlength=self.starts[-1] * width
        )
        every = flat.reshape(-1, width)[:, :-1]
        ends = zip(self.starts[:-1], self.starts[1:], strict=True)
        return [every[start:end] for start, end in ends]


def has_few_values(batch: Batch, names: tuple[str, ...]) -> bool:
    """Return whether a batch is small enough for the places of all of its trials at once."""
    return 0 < len(batch.table) * len(names) <= _FEW_VALUES


def cell_places(
    batch: Batch, names: tuple[str, ...], edges: RankEdges | None, *, spanned: bool
) -> CellPlaces:
    """Return where the trials of a batch lie; ``edges`` of cells by rank, None: those of grids."""
    key = ("places", batch.table, names, id(edges), spanned)
    found: CellPlaces | None = batch.known.get(key)
    if found is not None:
        return found
    known = {parameter.name: parameter for parameter in batch.table.parameters}
    places, sizes = np.empty((len(names), len(batch.table)), dtype=np.intp), []
    for number, name in enumerate(names):
        parameter = expand_parameter(known[name]) if spanned else known[name]
        if edges is None:
            places[number] = grid_places(parameter)
            sizes.append(sum(grid_sizes(parameter.domains)))
        else:
            places[number] = rank_places(parameter, edges)
            sizes.append(sum(rank_sizes(name, parameter.domains, edges)))
    starts = (0, *accumulate(sizes))
    places += np.array(starts[:-1], dtype=np.intp)[:, None]
    found = CellPlaces(places, starts, edges)
    if has_few_values(batch, names):
        batch.known[key] = found
    return found
