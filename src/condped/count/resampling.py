"""Parts of the trials, for intervals.

Trials are dealt into groups by their numbers; each part is some of the groups. Cut-offs are found
anew in each part. Then all parts are counted in the same pass, in buckets between the cut-offs of
all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from condped.arrays import FloatArray, IntArray
from condped.count.cells.cell_counts import grid_places, grid_sizes, rank_places, rank_sizes
from condped.count.condition_masks import both, selected
from condped.count.count_fold import Counted, Query
from condped.count.counter import Counter
from condped.count.counts import SubsetCounts
from condped.count.order_statistics.exact import Ranks, order_statistics
from condped.count.order_statistics.series import Groups, Series, Within
from condped.count.ranking import ranked
from condped.count.target_sets import Sets
from condped.errors import SettingsError
from condped.space.condition import Condition
from condped.trials.batch import Batch
from condped.trials.regimes import expand_parameter
from condped.trials.topsets import set_size

Intervals = Literal["half-sampling", "jackknife"]
FEWEST = 8  # trials, below which halves say nothing
HALVES = 200  # half-samples
HALF_GROUPS = 64  # that half-samples are put together from
JACKKNIFE_GROUPS = 20
_TOGETHER = 1 << 22  # counts held at a time
_FEW_TRIALS = 1 << 14  # that are counted again for each part


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """Parts of the trials and their cut-offs.

    Attributes
    ----------
    groups
        What the parts are put together from.
    members
        (parts, groups): 1 where a group is in a part.
    cutoffs
        (parts, target sets + 1): the region set's last; +inf: everything that is used.
    """

    groups: Groups
    members: IntArray
    cutoffs: FloatArray

    @property
    def levels(self) -> FloatArray:
        """All finite cut-offs, ascending and distinct."""
        return np.unique(self.cutoffs[np.isfinite(self.cutoffs)])


def parts_of(
    counter: Counter,
    sets: Sets,
    quantiles: Sequence[float] | None,
    region_quantile: float,
    *,
    intervals: Intervals,
    seed: int,
) -> Parts:
    """Deal the trials into groups, and find the cut-offs of each part.

    Without quantiles the target set is an outcome, and stays what it is.
    """
    _refuse_repeated(counter, sets)
    members = _members(intervals, np.random.default_rng(seed))
    groups = Groups(members.shape[1], seed)
    if quantiles is None:
        cutoffs = np.append(sets.cutoffs, np.inf)
        return Parts(groups, members, np.tile(cutoffs, (len(members), 1)))
    used = counter.count(Query(sets.ranking, np.zeros(0), groups=groups)).sizes[:, 0]
    trials = members @ used  # (parts,)
    shares = (*quantiles, *([] if region_quantile == 1.0 else [region_quantile]))
    ranks = np.array([[set_size(share, int(n)) for share in shares] for n in trials])
    asked = Ranks(
        sets.tally.lowest,
        sets.tally.highest,
        # What no ordinary trial has is looked for at the last one, and not used.
        lambda ordinary: np.maximum(np.minimum(ranks, ordinary[:, None]), 1),
        members,
    )
    loss = Series("loss")
    found = order_statistics(
        counter, {loss: asked}, Within(sets.ranking), trials=sets.counts.used, groups=groups
    )[loss]
    cutoffs = np.where(ranks > found.total[:, None], np.inf, found.values)
    if region_quantile == 1.0:
        cutoffs = np.concatenate([cutoffs, np.full((len(cutoffs), 1), np.inf)], axis=1)
    return Parts(groups, members, cutoffs)


def _refuse_repeated(counter: Counter, sets: Sets) -> None:
    """Raise if the trials' numbers cannot all be different: groups would not be random."""
    tally = sets.tally
    room = tally.latest - tally.earliest + 1
    if counter.schema.ordered and room < tally.counts.total:
        raise SettingsError(
            f"Intervals deal trials into groups by their numbers, which must be different: "
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
    counter: Counter, sets: Sets, parts: Parts, query: Query, cells: int
) -> Iterator[SubsetCounts]:
    """Iterate over the counts of the parts in so many cells, some parts at a time.

    Few trials are counted once for each part. Many are counted once for each group, of which the
    parts are then put together.
    """
    few = sets.counts.used <= _FEW_TRIALS
    each = cells * parts.cutoffs.shape[1] * (1 if few else parts.groups.size)
    together = max(_TOGETHER // max(each, 1), 1)
    for first in range(0, len(parts.members), together):
        rows = slice(first, first + together)
        some = Parts(parts.groups, parts.members[rows], parts.cutoffs[rows])
        if few:
            states = counter.source.fold(PartsFold(query, some, cells, counter.conditions))
            yield _as_subsets(some, np.sum(states, axis=0))
        else:
            grouped = counter.count(replace(query, cutoffs=some.levels, groups=some.groups))
            yield _put_together(some, grouped)


@dataclass(frozen=True, slots=True)
class PartsFold:
    """Counts the trials of each part; the state is (parts, target sets + 2, cells + 1).

    Behind the target sets there are the rest of the region set and what is outside of it; the last
    place takes the trials themselves.
    """

    query: Query
    parts: Parts
    cells: int
    conditions: tuple[Condition, ...] = ()
    what: str = "Counting parts"

    @property
    def parameters(self) -> tuple[str, ...]:
        named = (name for condition in self.conditions for name in condition.names)
        return tuple(dict.fromkeys((*self.query.parameters, *named)))

    def start(self) -> IntArray:
        parts, sets = self.parts.cutoffs.shape
        return np.zeros((parts, sets + 1, self.cells + 1), dtype=np.int64)

    def add(self, state: IntArray, batch: Batch) -> None:
        levels, used, _, _ = ranked(batch, self.query.ranking)
        taken = both(used, selected(batch, self.conditions))
        known = {parameter.name: parameter for parameter in batch.table.parameters}
        places, start = [], 0
        for name in self.query.parameters:
            parameter = expand_parameter(known[name]) if self.query.spanned else known[name]
            if self.query.edges is None:
                own, sizes = grid_places(parameter), grid_sizes(parameter.domains)
            else:
                own = rank_places(parameter, self.query.edges)
                sizes = rank_sizes(name, parameter.domains, self.query.edges)
            places.append(own + start)
            start += sum(sizes)
        places.append(np.full(len(levels), start))  # the trial itself
        every = np.stack(places, axis=1)
        groups = self.parts.groups.of(batch)
        for part, (members, cutoffs) in enumerate(
            zip(self.parts.members, self.parts.cutoffs, strict=True)
        ):
            inside = members[groups] > 0
            rows = np.flatnonzero(inside if taken is None else inside & taken)
            buckets = np.searchsorted(cutoffs[:-1], levels[rows])
            buckets[levels[rows] > cutoffs[-1]] = len(cutoffs)
            flat = (buckets * state.shape[2])[:, None] + every[rows]
            found = np.bincount(flat.ravel(), minlength=state[part].size)
            state[part] += found.reshape(state.shape[1:])


def _as_subsets(parts: Parts, counted: IntArray) -> SubsetCounts:
    """Return the sets of each part from (parts, target sets + 2, cells + 1)."""
    nested = counted[:, : parts.cutoffs.shape[1]].cumsum(axis=1)
    found, numbers = nested[:, :, :-1], nested[:, :, -1]
    return SubsetCounts(found[:, :-1], found[:, -1], numbers[:, :-1], numbers[:, -1])


def _put_together(parts: Parts, grouped: Counted) -> SubsetCounts:
    """Return the sets of each part from counts of the groups in buckets of all cut-offs."""
    places = np.searchsorted(parts.levels, parts.cutoffs)  # (parts, target sets + 1)
    reached = grouped.sizes.cumsum(axis=-1)
    # (groups, buckets, cells of all parameters): as floats, whose products are fast and exact.
    every = np.concatenate([np.swapaxes(one[:, 0], 1, 2) for one in grouped.parameters], axis=2)
    nested = every.cumsum(axis=1, dtype=np.float64)
    members = parts.members.astype(np.float64)
    found = np.empty((*places.shape, nested.shape[2]), dtype=np.int64)  # (parts, sets, cells)
    for bucket in np.unique(places):
        part, of = np.nonzero(places == bucket)
        found[part, of] = np.rint(members[part] @ nested[:, bucket])
    numbers = np.array(
        [own @ reached[:, wanted] for own, wanted in zip(parts.members, places, strict=True)]
    )
    return SubsetCounts(found[:, :-1], found[:, -1], numbers[:, :-1], numbers[:, -1])
