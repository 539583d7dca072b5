"""Bins of a parameter's values: cells of the densities' grid, merged until trials suffice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from condped.analyse.values import range_label
from condped.arrays import BoolArray, IntArray, ValueArray
from condped.space.domain import Categorical, Domain, choice_labels
from condped.space.grid import cell_edges, cells_within, values_between

MOST_BINS = 8
FEWEST = 10  # trials of a bin of numbers


@dataclass(frozen=True, slots=True, eq=False)
class Bin:
    """Certain values of a regime, and which of its trials have them.

    Attributes
    ----------
    rows
        (trials of the regime,): which have these values.
    low, high, left, right, choice
        As in :class:`ValueGroup`.
    """

    label: str
    rows: BoolArray
    low: float | None = None
    high: float | None = None
    left: float | None = None
    right: float | None = None
    choice: int | None = None


def bins_of(domain: Domain, values: ValueArray) -> list[Bin]:
    """Return the bins of a regime, given its trials' values (positions of choices)."""
    if isinstance(domain, Categorical):
        labels = choice_labels(domain.choices)
        return [Bin(label, values == place, choice=place) for place, label in enumerate(labels)]
    cells = cells_within(domain, values)
    edges = cell_edges(domain)
    counts = np.bincount(cells, minlength=len(edges) - 1)
    found = []
    for first, last in joined_cells(counts):
        between = (domain.low, domain.high)
        if not domain.single:
            between = values_between(domain, first, last) or (edges[first], edges[last + 1])
        low, high = between
        rows = (cells >= first) & (cells <= last)
        left, right = float(edges[first]), float(edges[last + 1])
        found.append(Bin(range_label(low, high), rows, float(low), float(high), left, right))
    return found


def joined_cells(counts: IntArray) -> list[tuple[int, int]]:
    """Return the first and last cell of each bin: about equally many trials, and at least ten.

    Cells without trials at a bin's end belong to it.

    Examples
    --------
    >>> joined_cells(np.array([20, 5, 5, 3, 50, 2, 2]))
    [(0, 0), (1, 2), (3, 6)]
    """
    left = int(counts.sum())
    bins = max(1, min(MOST_BINS, left // FEWEST))
    found: list[tuple[int, int]] = []
    first, inside = 0, 0
    for cell, more in enumerate(counts.tolist()):
        aim = left / bins  # trials of this bin, if those left share them evenly
        # A cell joins the bin unless that takes it farther from the aim than ending it.
        if more and bins > 1 and inside >= FEWEST and inside + more - aim > aim - inside:
            found.append((first, cell - 1))
            first, left, bins, inside = cell, left - inside, bins - 1, 0
        inside += more
    if found and inside < FEWEST:
        first = found.pop()[0]
    return [*found, (first, len(counts) - 1)]
