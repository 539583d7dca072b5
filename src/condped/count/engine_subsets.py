"""Parts of the trials, for intervals where an engine counts.

The engine deals the trials into groups by their numbers; each part is some of the groups. Cut-offs
are found anew in each part. Then all parts are counted in the same pass, in buckets between the
cut-offs of all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from condped.arrays import FloatArray, IntArray
from condped.count.countable import GROUPS, HALVES, Intervals
from condped.count.order_statistics import Ranks, order_statistics
from condped.count.passes import Passes, Series, Tally, Wanted, Within
from condped.count.subsets import SubsetCounts
from condped.errors import SettingsError
from condped.trials.topsets import Handling, set_size

HALF_GROUPS = 64  # that half-samples are put together from
_TOGETHER = 1 << 23  # counts held at a time


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """Parts of the trials and their cut-offs.

    Attributes
    ----------
    members
        (parts, groups): 1 where a group is in a part.
    cutoffs
        (parts, target sets + 1): the region set's last; +inf: everything that is used.
    """

    members: IntArray
    cutoffs: FloatArray

    @property
    def levels(self) -> FloatArray:
        """All finite cut-offs, ascending and distinct."""
        return np.unique(self.cutoffs[np.isfinite(self.cutoffs)])


def parts_of(
    passes: Passes,
    tally: Tally,
    handling: Handling,
    quantiles: Sequence[float],
    region_quantile: float,
    *,
    intervals: Intervals,
    seed: int,
) -> Parts:
    """Deal the trials into groups, and find the cut-offs of each part."""
    _refuse_repeated(passes, tally)
    members = _members(intervals, np.random.default_rng(seed))
    groups = members.shape[1]
    within = Within(handling)
    used = passes.count(Wanted(within, np.zeros(0), groups=groups, seed=seed, parameters=())).sizes[
        :, 0
    ]
    trials = members @ used  # (parts,)
    shares = (*quantiles, *([] if region_quantile == 1.0 else [region_quantile]))
    ranks = np.array([[set_size(share, int(n)) for share in shares] for n in trials])
    asked = Ranks(
        tally.lowest,
        tally.highest,
        # What no ordinary trial has is looked for at the last one, and not used.
        lambda ordinary: np.maximum(np.minimum(ranks, ordinary[:, None]), 1),
        members,
    )
    loss = Series("loss")
    everything = tally.counts.used
    found = order_statistics(passes, {loss: asked}, within, trials=everything, seed=seed)[loss]
    cutoffs = np.where(ranks > found.total[:, None], np.inf, found.values)
    if region_quantile == 1.0:
        cutoffs = np.concatenate([cutoffs, np.full((len(cutoffs), 1), np.inf)], axis=1)
    return Parts(members, cutoffs)


def _refuse_repeated(passes: Passes, tally: Tally) -> None:
    """Refuse numbers of trials that cannot all be different: groups of them would be no chance."""
    room = tally.latest - tally.earliest + 1
    if passes.outline.ordered and room < tally.counts.total:
        raise SettingsError(
            f"Intervals deal trials into groups by their numbers, which must be different: "
            f"{tally.counts.total:,} trials have numbers from {tally.earliest} to {tally.latest} "
            "only. Name a column as the order that numbers the trials."
        )


def _members(intervals: Intervals, rng: np.random.Generator) -> IntArray:
    if intervals == "jackknife":
        return 1 - np.eye(GROUPS, dtype=np.int64)
    members = np.zeros((HALVES, HALF_GROUPS), dtype=np.int64)
    for row in members:
        row[rng.permutation(HALF_GROUPS)[: HALF_GROUPS // 2]] = 1
    return members


def refuse_too_many(passes: Passes, parts: Parts, places: int) -> None:
    """Refuse parts whose counts would not fit."""
    buckets = len(parts.levels) + 1
    counts = parts.members.shape[1] * buckets * places
    if counts > passes.most_counts:
        raise SettingsError(
            f"Intervals at {parts.cutoffs.shape[1] - 1} target quantiles need {counts:,} counts of "
            f"one parameter, more than the engine {passes.outline.engine!r} gathers at a time "
            f"({passes.most_counts:,}). Ask for fewer target quantiles, for intervals by the "
            "jackknife rather than by halves, or use the engine 'stream' on files."
        )


def subset_counts(
    parts: Parts, sizes: IntArray, counted: Sequence[IntArray]
) -> Iterator[SubsetCounts]:
    """Put the parts together from (groups, buckets) sizes and (groups, cells, buckets) counts."""
    places = np.searchsorted(parts.levels, parts.cutoffs)  # (parts, target sets + 1)
    reached = sizes.cumsum(axis=-1)
    nested = [counts.cumsum(axis=-1) for counts in counted]
    cells = sum(counts.shape[1] for counts in counted)
    sets = parts.cutoffs.shape[1]
    step = max(1, _TOGETHER // max(cells * sets, 1))
    for first in range(0, len(parts.members), step):
        rows = slice(first, first + step)
        of_sets, of_cells = [], []
        for members, wanted in zip(parts.members[rows], places[rows], strict=True):
            of_sets.append(members @ reached[:, wanted])
            of_cells.append(
                np.concatenate(
                    [np.tensordot(members, one[:, :, wanted], axes=1).T for one in nested], axis=1
                )
            )
        numbers, found = np.array(of_sets), np.array(of_cells)  # (S, sets), (S, sets, cells)
        yield SubsetCounts(found[:, :-1], found[:, -1], numbers[:, :-1], numbers[:, -1])
