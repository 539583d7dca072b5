"""Counting by rank: each regime's values in order, on cells that hold about as many trials each.

What a monotone change of scale leaves alone, the counts on these cells leave alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from condped.arrays import BoolArray, IntArray, ValueArray
from condped.count.counts import ParameterCounts, RegimeCounts, StudyCounts
from condped.count.memory import SMALLEST_REGIME
from condped.space.domain import Categorical, Domain
from condped.trials.table import Parameter, TrialTable
from condped.trials.topsets import TopSets

MOST_CELLS = 50


@dataclass(frozen=True, slots=True, eq=False)
class RankedRegime:
    """Trials of one regime, those outside the region set too, and the cell of each.

    Attributes
    ----------
    domain
        None where the parameter is absent.
    rows, cells
        (trials of the regime,): their places in the table, and their cells.
    n_cells
        How many cells there are; 1 where nothing can vary.
    ordered
        Whether neighbouring cells hold neighbouring values.
    """

    domain: Domain | None
    rows: IntArray
    cells: IntArray
    n_cells: int
    ordered: bool


@dataclass(frozen=True, slots=True, eq=False)
class RankedCounts:
    """Trials in each cell of a regime, by stretches of time.

    Attributes
    ----------
    ordered
        Whether neighbouring cells hold neighbouring values.
    region
        (blocks, cells): trials of the region set.
    target
        (target sets, blocks, cells): trials of each target set.
    """

    ordered: bool
    region: IntArray
    target: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class RankedStudy:
    """Counts by rank: over the whole time, as every estimator takes them, and block by block."""

    counts: StudyCounts
    blocks: tuple[tuple[RankedCounts, ...], ...]  # of each parameter's regimes, in their order


def count_ranked(table: TrialTable, top: TopSets, blocks: int) -> RankedStudy:
    """Count the trials of each set in each cell by rank.

    ``blocks`` cut the region set's trials into as many stretches of time, equal in length.
    """
    in_region = np.asarray(top.buckets <= len(top.target_sizes))
    passed = np.cumsum(in_region) - 1
    block_of = np.clip(passed * blocks // max(top.region_size, 1), 0, blocks - 1)
    parameters: list[ParameterCounts] = []
    by_block: list[tuple[RankedCounts, ...]] = []
    for parameter in table.parameters:
        kept: list[RegimeCounts] = []
        counted: list[RankedCounts] = []
        small: list[IntArray] = []  # (target sets + 1,) each
        for regime in ranked_regimes(parameter, in_region):
            nested = _nested(regime, top, in_region, block_of, blocks)
            whole = nested.sum(axis=1)
            if whole[-1].sum() >= SMALLEST_REGIME:
                kept.append(RegimeCounts(regime.domain, whole[-1], whole[:-1]))
                counted.append(RankedCounts(regime.ordered, nested[-1], nested[:-1]))
            elif whole[-1].sum():
                small.append(whole.sum(axis=1))
        dropped = np.array(small, dtype=np.int64).reshape(len(small), len(top.target_sizes) + 1)
        parameters.append(
            ParameterCounts(parameter.name, tuple(kept), dropped[:, -1], dropped[:, :-1].T)
        )
        by_block.append(tuple(counted))
    counts = StudyCounts(tuple(parameters), top.region_size, top.target_sizes)
    return RankedStudy(counts, tuple(by_block))


def ranked_regimes(parameter: Parameter, in_region: BoolArray) -> list[RankedRegime]:
    """Return the regimes of a parameter that have a trial in the region set."""
    found = []
    for place in (*range(len(parameter.domains)), -1):
        rows = np.flatnonzero(parameter.domain_ids == place)
        inside = in_region[rows]
        if not inside.any():
            continue
        domain = None if place < 0 else parameter.domains[place]
        if domain is None or domain.single:
            nowhere = np.zeros(len(rows), dtype=np.intp)
            found.append(RankedRegime(domain, rows, nowhere, 1, ordered=False))
        elif isinstance(domain, Categorical):
            codes = parameter.values[rows].astype(np.intp)
            found.append(RankedRegime(domain, rows, codes, len(domain.choices), ordered=False))
        else:
            cells, count = _rank_cells(parameter.values[rows], inside)
            found.append(RankedRegime(domain, rows, cells, count, ordered=True))
    return found


def _rank_cells(values: ValueArray, inside: BoolArray) -> tuple[IntArray, int]:
    """Return the cell of each value by the ranks of those ``inside``; ties share a cell."""
    levels, counts = np.unique(values[inside], return_counts=True)
    cell_of_level = np.arange(len(levels))
    if len(levels) > MOST_CELLS:
        middle = np.cumsum(counts) - counts / 2  # mid-ranks
        cell_of_level = (middle * MOST_CELLS / counts.sum()).astype(np.intp)
    # A value that none inside has goes with the next lower one.
    nearest = np.clip(np.searchsorted(levels, values, side="right") - 1, 0, len(levels) - 1)
    return cell_of_level[nearest], int(cell_of_level[-1]) + 1


def _nested(
    regime: RankedRegime, top: TopSets, in_region: BoolArray, block_of: IntArray, blocks: int
) -> IntArray:
    """Return (target sets + 1, blocks, cells): trials of each set, the region set last."""
    sets, size = len(top.target_sizes) + 1, blocks * regime.n_cells
    inside = in_region[regime.rows]
    rows = regime.rows[inside]
    places = block_of[rows] * regime.n_cells + regime.cells[inside]
    flat = np.bincount(top.buckets[rows].astype(np.intp) * size + places, minlength=sets * size)
    return flat.reshape(sets, blocks, regime.n_cells).cumsum(axis=0)
