"""Parts of the trials, for intervals.

Trials are dealt into groups by their numbers; each part is some of the groups. Cut-offs are found
anew in each part. Then all parts are counted in the same pass, in buckets between the cut-offs of
all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from condped.arrays import FloatArray, IntArray
from condped.count.counter import Counter
from condped.count.counting import Query
from condped.count.counts import SubsetCounts
from condped.count.order import Ranks, order_statistics
from condped.count.series import Groups, Series, Within
from condped.count.sets import Sets
from condped.errors import SettingsError
from condped.trials.topsets import set_size

Intervals = Literal["half-sampling", "jackknife"]
FEWEST = 8  # trials, below which halves say nothing
HALVES = 200  # half-samples
HALF_GROUPS = 64  # that half-samples are put together from
JACKKNIFE_GROUPS = 20
_TOGETHER = 1 << 23  # counts held at a time


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
    if not counter.schema.ordered:
        raise SettingsError(
            "Intervals deal trials into groups by their numbers, and these rows have none: they "
            f"come in any order (source: {counter.schema.source}). Name a column of whole numbers, "
            "different for each trial, as the order."
        )
    tally = sets.tally
    room = tally.latest - tally.earliest + 1
    if room < tally.counts.total:
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


def slices_of(parts: Parts, cells: int) -> Iterator[Parts]:
    """Iterate over the parts, as many at a time as their counts in so many cells fit."""
    sets = parts.cutoffs.shape[1]
    together = max(_TOGETHER // max(cells * parts.groups.size * sets, 1), 1)
    for first in range(0, len(parts.members), together):
        some = slice(first, first + together)
        yield Parts(parts.groups, parts.members[some], parts.cutoffs[some])


def subset_counts(parts: Parts, sizes: IntArray, counted: Sequence[IntArray]) -> SubsetCounts:
    """Put the parts together from (groups, buckets) sizes and (groups, cells, buckets) counts."""
    places = np.searchsorted(parts.levels, parts.cutoffs)  # (parts, target sets + 1)
    reached = sizes.cumsum(axis=-1)
    # (groups, buckets, cells of all parameters): as floats, whose products are fast and exact.
    every = np.concatenate([np.swapaxes(counts, 1, 2) for counts in counted], axis=2)
    nested = every.cumsum(axis=1, dtype=np.float64)
    members = parts.members.astype(np.float64)
    found = np.empty((*places.shape, nested.shape[2]), dtype=np.int64)  # (S, sets, cells)
    for bucket in np.unique(places):
        part, of = np.nonzero(places == bucket)
        found[part, of] = np.rint(members[part] @ nested[:, bucket])
    numbers = np.array(
        [own @ reached[:, wanted] for own, wanted in zip(parts.members, places, strict=True)]
    )
    return SubsetCounts(found[:, :-1], found[:, -1], numbers[:, :-1], numbers[:, -1])
