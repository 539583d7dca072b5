"""Subsamples of the trials (half-samples, jackknife), for intervals.

Trials are assigned to groups by their numbers; each subsample is some of the groups. Cut-offs are
computed anew in each subsample. Then all are counted in the same pass, in buckets between the
cut-offs of all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from condped.arrays import FloatArray, IntArray
from condped.count.cells.cell_places import cell_places
from condped.count.counter import CountedTrials, Counter, Query
from condped.count.counts import SubsetCounts
from condped.count.order_statistics.exact import Ranks, order_statistics
from condped.count.order_statistics.series import Groups, Region, Series
from condped.count.ranking import ranked
from condped.count.target_sets import NestedSets
from condped.errors import SettingsError
from condped.space.condition import Condition
from condped.trials.batch import Batch
from condped.trials.used_trials import set_size
from condped.trials.where import condition_mask, intersection, with_gates

Intervals = Literal["half-sampling", "jackknife"]
FEWEST = 8  # trials; half-samples of fewer are uninformative
HALVES = 200  # half-samples
HALF_GROUPS = 64  # that half-samples are drawn from
JACKKNIFE_GROUPS = 20
_COUNTS_AT_A_TIME = 1 << 22  # counts in memory at a time
_PLACES_AT_A_TIME = 1 << 18  # trials × parameters × subsamples whose cells are counted at once
_FEW_TRIALS = 1 << 14  # up to which each subsample is counted separately


@dataclass(frozen=True, slots=True, eq=False)
class Subsamples:
    """Subsamples of the trials and their cut-offs.

    Attributes
    ----------
    groups
        The groups that subsamples consist of.
    members
        (subsamples, groups): 1 where a group is in a subsample.
    cutoffs
        (subsamples, target sets + 1): that of the region set last; +inf: all used trials.
    """

    groups: Groups
    members: IntArray
    cutoffs: FloatArray

    @property
    def levels(self) -> FloatArray:
        """All finite cut-offs, ascending and distinct."""
        return np.unique(self.cutoffs[np.isfinite(self.cutoffs)])

    @property
    def some_outside(self) -> bool:
        """Whether a used trial can be outside the region set."""
        return bool(np.isfinite(self.cutoffs[:, -1]).any())


def draw_subsamples(
    counter: Counter,
    sets: NestedSets,
    quantiles: Sequence[float] | None,
    region_quantile: float,
    *,
    intervals: Intervals,
    seed: int,
) -> Subsamples:
    """Assign the trials to groups, and find the cut-offs of each subsample.

    Without quantiles the target set is an outcome, the same in all of them.
    """
    _check_distinct_numbers(counter, sets)
    members = _members(intervals, np.random.default_rng(seed))
    groups = Groups(members.shape[1], seed)
    if quantiles is None:
        cutoffs = np.append(sets.cutoffs, np.inf)
        return Subsamples(groups, members, np.tile(cutoffs, (len(members), 1)))
    used = counter.count(Query(sets.ranking, np.zeros(0), groups=groups)).sizes[:, 0]
    trials = members @ used  # (subsamples,)
    shares = (*quantiles, *([] if region_quantile == 1.0 else [region_quantile]))
    ranks = np.array([[set_size(share, int(n)) for share in shares] for n in trials])
    query = Ranks(
        sets.tally.lowest,
        sets.tally.highest,
        # Ranks beyond the ordinary trials are clipped here, and replaced by +inf below.
        lambda ordinary: np.maximum(np.minimum(ranks, ordinary[:, None]), 1),
        members,
    )
    loss = Series("loss")
    found = order_statistics(
        counter, {loss: query}, Region(sets.ranking), trials=sets.counts.used, groups=groups
    )[loss]
    cutoffs = np.where(ranks > found.total[:, None], np.inf, found.values)
    if region_quantile == 1.0:
        cutoffs = np.concatenate([cutoffs, np.full((len(cutoffs), 1), np.inf)], axis=1)
    return Subsamples(groups, members, cutoffs)


def _check_distinct_numbers(counter: Counter, sets: NestedSets) -> None:
    """Raise if the trials' numbers cannot all be distinct: groups would not be random."""
    if not counter.schema.ordered:
        raise SettingsError(
            "Intervals assign trials to groups by their numbers, and these rows have none: they "
            f"come in any order (source: {counter.schema.source}). Name a column of whole numbers, "
            "different for each trial, as the order."
        )
    tally = sets.tally
    room = tally.latest - tally.earliest + 1
    if room < tally.counts.total:
        raise SettingsError(
            f"Intervals assign trials to groups by their numbers, which must be distinct: "
            f"{tally.counts.total:,} trials have numbers from {tally.earliest} to {tally.latest} "
            "only. Name a column as the order that numbers the trials."
        )


def _members(intervals: Intervals, rng: np.random.Generator) -> IntArray:
    if intervals == "jackknife":
        return 1 - np.eye(JACKKNIFE_GROUPS, dtype=np.int64)
    members = np.zeros((HALVES, HALF_GROUPS), dtype=np.int64)
    for row in members:
        row[rng.permutation(HALF_GROUPS)[: HALF_GROUPS // 2]] = 1
    return members


def subset_counts(
    counter: Counter, sets: NestedSets, subsamples: Subsamples, query: Query, cells: int
) -> Iterator[SubsetCounts]:
    """Iterate over the counts of the subsamples in ``cells`` cells, a few subsamples at a time.

    Few trials are counted once for each subsample. Many are counted once for each group, and the
    counts of the groups are then added.
    """
    few = sets.counts.used <= _FEW_TRIALS
    each = cells * subsamples.cutoffs.shape[1] * (1 if few else subsamples.groups.size)
    per_chunk = max(_COUNTS_AT_A_TIME // max(each, 1), 1)
    for first in range(0, len(subsamples.members), per_chunk):
        rows = slice(first, first + per_chunk)
        chunk = Subsamples(subsamples.groups, subsamples.members[rows], subsamples.cutoffs[rows])
        if few:
            fold = SubsampleFold(query, chunk, cells, counter.conditions)
            yield _as_subsets(chunk, counter.source.fold(fold))
        else:
            grouped = counter.count(replace(query, cutoffs=chunk.levels, groups=chunk.groups))
            yield _add_groups(chunk, grouped)


@dataclass(frozen=True, slots=True)
class SubsampleFold:
    """Counts the trials of each subsample; the state is (subsamples, target sets + 2, cells + 1).

    After the target sets come the rest of the region set and what is outside it; the last cell
    counts the trials themselves.
    """

    query: Query
    subsamples: Subsamples
    cells: int
    conditions: tuple[Condition, ...] = ()
    what: str = "Counting subsamples"

    @property
    def parameters(self) -> tuple[str, ...]:
        return with_gates(self.query.parameters, self.conditions)

    def start(self) -> IntArray:
        subsamples, sets = self.subsamples.cutoffs.shape
        return np.zeros((subsamples, sets + 1, self.cells + 1), dtype=np.int64)

    def add(self, state: IntArray, batch: Batch) -> None:
        levels, used, _, _ = ranked(batch, self.query.ranking)
        used_rows = intersection(used, condition_mask(batch, self.conditions))
        found = cell_places(
            batch, self.query.parameters, self.query.edges, spanned=self.query.spanned
        )
        # The trial itself counts in a last cell.
        every = np.append(found.places, np.full((1, len(levels)), self.cells), axis=0)
        groups, subsamples = self.subsamples.groups.of(batch), self.subsamples
        if used_rows is not None:
            rows = np.flatnonzero(used_rows)
            every, groups, levels = every[:, rows], groups[rows], levels[rows]
        # Far from all cut-offs it is enough to know the group.
        near = subsamples.cutoffs if subsamples.some_outside else subsamples.cutoffs[:, :-1]
        far = levels > near.max(initial=-np.inf)
        place = -1 if subsamples.some_outside else -2
        state[:, place] += _members_of(every[:, far], groups[far], subsamples, state.shape[2])
        every, groups, levels = every[:, ~far], groups[~far], levels[~far]
        distinct, ids = np.unique(levels, return_inverse=True)
        at_a_time = max(_PLACES_AT_A_TIME // max(every.size, 1), 1)
        for first in range(0, len(state), at_a_time):
            some = slice(first, first + at_a_time)
            part = state[some]
            buckets = _buckets(distinct, subsamples.cutoffs[some])
            subsample, row = np.nonzero(subsamples.members[some, groups])
            rows = subsample * part.shape[1] + buckets[subsample, ids[row]]
            flat = rows * part.shape[2] + every[:, row]
            part += np.bincount(flat.ravel(), minlength=part.size).reshape(part.shape)

    def merge(self, state: IntArray, other: IntArray) -> None:
        state += other


def _buckets(levels: FloatArray, cutoffs: FloatArray) -> IntArray:
    """Return (subsamples, levels): how many cut-offs of a subsample each level is above."""
    subsamples, width = len(cutoffs), len(levels) + 1
    first_above = np.searchsorted(levels, cutoffs, side="right")
    flat = (np.arange(subsamples)[:, None] * width + first_above).ravel()
    counted = np.bincount(flat, minlength=subsamples * width)
    return counted.reshape(subsamples, width).cumsum(axis=1)


def _members_of(places: IntArray, groups: IntArray, subsamples: Subsamples, cells: int) -> IntArray:
    """Return (subsamples, cells): the trials of each, from (parameters, trials) places."""
    of = subsamples.groups.size
    flat = np.bincount((groups * cells + places).ravel(), minlength=of * cells)
    # As floats, whose products are fast and exact.
    counted = subsamples.members.astype(np.float64) @ flat.reshape(of, cells).astype(np.float64)
    return np.rint(counted).astype(np.int64)


def _as_subsets(subsamples: Subsamples, counted: IntArray) -> SubsetCounts:
    """Return the sets of each subsample from (subsamples, target sets + 2, cells + 1)."""
    nested = counted[:, : subsamples.cutoffs.shape[1]]
    for place in range(1, nested.shape[1]):  # faster than cumsum over few sets and many cells
        nested[:, place] += nested[:, place - 1]
    found, numbers = nested[:, :, :-1], nested[:, :, -1]
    return SubsetCounts(found[:, :-1], found[:, -1], numbers[:, :-1], numbers[:, -1])


def _add_groups(subsamples: Subsamples, grouped: CountedTrials) -> SubsetCounts:
    """Return the sets of each subsample from counts of the groups in buckets of all cut-offs."""
    places = np.searchsorted(subsamples.levels, subsamples.cutoffs)  # (subsamples, target sets + 1)
    reached = grouped.sizes.cumsum(axis=-1)
    # (groups, buckets, cells of all parameters): as floats, whose products are fast and exact.
    every = np.concatenate([np.swapaxes(one[:, 0], 1, 2) for one in grouped.parameters], axis=2)
    nested = every.cumsum(axis=1, dtype=np.float64)
    members = subsamples.members.astype(np.float64)
    found = np.empty((*places.shape, nested.shape[2]), dtype=np.int64)  # (subsamples, sets, cells)
    for bucket in np.unique(places):
        subsample, of = np.nonzero(places == bucket)
        found[subsample, of] = np.rint(members[subsample] @ nested[:, bucket])
    numbers = np.array(
        [row @ reached[:, buckets] for row, buckets in zip(subsamples.members, places, strict=True)]
    )
    return SubsetCounts(found[:, :-1], found[:, -1], numbers[:, :-1], numbers[:, -1])
