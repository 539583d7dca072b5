"""Exact order statistics.

Numbers that are in memory, or few, are sorted. Otherwise the range of a series is cut into bins
and counted; the bins that hold a requested rank are cut again, or, once few numbers are left in
them, these numbers are fetched. Nothing is interpolated, and the number of passes does not depend
on how many numbers there are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from condped.arrays import BoolArray, IntArray, ValueArray
from condped.count.counter import MOST_BINS, MOST_LEVELS, Counter
from condped.count.order_statistics.bins import Levels, TooManyLevels
from condped.count.order_statistics.keys import KeyBins, keys_of, values_of
from condped.count.order_statistics.series import ONE_GROUP, Groups, Region, Series

_LOWEST, _HIGHEST = -(1 << 63), (1 << 63) - 1
# Up to this many numbers are gathered and sorted, whatever the source.
_SHORT = 1 << 17
# Up to this many ranks are found by partitioning, more by sorting.
FEW_RANKS = 8
ALONE = np.ones((1, 1), dtype=np.int64)  # one part, one group
_SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """Which ranks of a series to find.

    Attributes
    ----------
    low, high
        Bounds of all its numbers.
    find
        From (parts,), the size of each part, to (parts, ranks), counted from 1.
    members
        (parts, groups): 1 where a group of trials is in a part.
    whole
        Whether the numbers are int64.
    few
        If there are at most this many distinct numbers, return all of them instead.
    """

    low: float
    high: float
    find: Callable[[IntArray], IntArray]
    members: IntArray
    whole: bool = False
    few: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class OrderStatistics:
    """Order statistics, (parts, ranks) each.

    Attributes
    ----------
    values
        The numbers at the ranks.
    below, at_most
        How many numbers of the part are below, and how many below or equal.
    total
        (parts,): how many numbers there are.
    levels
        All numbers, where there are few.
    """

    values: ValueArray
    below: IntArray
    at_most: IntArray
    total: IntArray
    levels: Levels | None = None


@dataclass(slots=True)
class _CountedBins:
    """Counts of bins, and of the numbers below them."""

    bins: KeyBins
    counts: IntArray  # (groups, bins)
    below: IntArray  # (groups,)


@dataclass(slots=True)
class _Search:
    """The search in one series."""

    query: Ranks
    bins: list[KeyBins]
    below: list[IntArray]  # numbers below each of the bins, by group
    pieces: list[_CountedBins] = field(default_factory=list)
    marked: list[BoolArray] = field(default_factory=list)
    total: IntArray | None = None  # (parts,)
    ranks: IntArray | None = None  # (parts, ranks)

    def counted(self, counts: Sequence[IntArray]) -> None:
        """Record the counts of the bins, and mark those that hold a requested rank."""
        self.pieces = [
            _CountedBins(bins, found, under)
            for bins, found, under in zip(self.bins, counts, self.below, strict=True)
        ]
        if self.ranks is None:
            self.total = self.query.members @ sum(one.sum(axis=1) for one in counts)
            self.ranks = self.query.find(self.total)
        self.marked = [self._bins_with_ranks(piece) for piece in self.pieces]

    def _bins_with_ranks(self, piece: _CountedBins) -> BoolArray:
        """Return (bins,): which hold a rank of any part."""
        # (parts, bins + 1): numbers below each bin's end, in each part.
        edges = np.concatenate([np.zeros_like(piece.counts[:, :1]), piece.counts], axis=1)
        reached = self._sums_of_parts(edges.cumsum(axis=1) + piece.below[:, None])
        marked = np.zeros(piece.bins.bins, dtype=bool)
        assert self.ranks is not None
        for part, ranks in zip(reached, self.ranks, strict=True):
            places = np.searchsorted(part, ranks) - 1
            marked[places[(places >= 0) & (places < piece.bins.bins)]] = True
        return marked

    def _sums_of_parts(self, of_groups: IntArray) -> IntArray:
        """Return (parts, …) sums over the groups of each part; as floats, which is exact."""
        found = self.query.members.astype(np.float64) @ of_groups.astype(np.float64)
        return np.asarray(np.rint(found).astype(np.int64))

    @property
    def left(self) -> int:
        """How many numbers are in marked bins that hold more than one key."""
        return sum(
            int(piece.counts[:, marked].sum())
            for piece, marked in zip(self.pieces, self.marked, strict=True)
            if piece.bins.shift
        )

    def refine(self, most: int) -> None:
        """Cut the marked bins again; those of a single key stay as they are."""
        bins, below = [], []
        wide = sum(
            int(marked.sum())
            for piece, marked in zip(self.pieces, self.marked, strict=True)
            if piece.bins.shift
        )
        for piece, marked in zip(self.pieces, self.marked, strict=True):
            under = piece.counts.cumsum(axis=1) - piece.counts + piece.below[:, None]
            for place in np.flatnonzero(marked):
                start = piece.bins.start + (int(place) << piece.bins.shift)
                stop = min(start + (1 << piece.bins.shift) - 1, piece.bins.stop)
                bins.append(
                    bins_between(start, stop, max(most // wide, 2), piece.bins.whole)
                    if piece.bins.shift
                    else KeyBins(start, 0, 1, piece.bins.whole)
                )
                below.append(under[:, place])
        self.bins, self.below = bins, below

    def resolved(self, levels: Levels | None) -> OrderStatistics:
        """Return the order statistics, from bins of one key and from the numbers in the others."""
        ranks = self.ranks
        assert ranks is not None
        assert self.total is not None
        keys, below, at_most = [], [], []
        for piece, marked in zip(self.pieces, self.marked, strict=True):
            under = piece.counts.cumsum(axis=1) - piece.counts + piece.below[:, None]
            for place in np.flatnonzero(marked):
                base = under[:, place]
                start = piece.bins.start + (int(place) << piece.bins.shift)
                stop = min(start + (1 << piece.bins.shift) - 1, piece.bins.stop)
                if not piece.bins.shift:
                    keys.append(np.array([start]))
                    held = piece.counts[:, place, None]
                else:
                    assert levels is not None
                    inside, held = _distinct_keys(levels, start, stop, len(base))
                    keys.append(inside)
                total = held.cumsum(axis=1) + base[:, None]  # (groups, levels)
                at_most.append(self._sums_of_parts(total))
                below.append(self._sums_of_parts(total - held))
        shape = ranks.shape
        if not keys:
            nothing = np.zeros(shape, dtype=np.int64)
            return OrderStatistics(
                values_of(nothing, whole=self.query.whole), nothing, nothing, self.total
            )
        all_keys = np.concatenate(keys)
        low, high = np.concatenate(below, axis=1), np.concatenate(at_most, axis=1)
        places = np.array(
            [
                np.searchsorted(part, part_ranks)
                for part, part_ranks in zip(high, ranks, strict=True)
            ]
        ).reshape(shape)
        places = np.minimum(places, len(all_keys) - 1)
        return OrderStatistics(
            values_of(all_keys[places], whole=self.query.whole),
            np.take_along_axis(low, places, axis=1),
            np.take_along_axis(high, places, axis=1),
            self.total,
        )


def _distinct_keys(levels: Levels, start: int, stop: int, groups: int) -> tuple[IntArray, IntArray]:
    """Return the distinct keys from start to stop, and (groups, keys): how often each occurs."""
    keys = keys_of(levels.values)
    rows = slice(np.searchsorted(keys, start), np.searchsorted(keys, stop, side="right"))
    distinct, places = np.unique(keys[rows], return_inverse=True)
    held = np.zeros((groups, len(distinct)), dtype=np.int64)
    np.add.at(held, (levels.groups[rows], places), levels.counts[rows])
    return distinct, held


def order_statistics(
    counter: Counter,
    queries: Mapping[Series, Ranks],
    within: Region,
    *,
    trials: int,
    groups: Groups = ONE_GROUP,
) -> dict[Series, OrderStatistics]:
    """Return the numbers at the requested ranks of several series, found in the same passes.

    No series has more numbers than ``trials``. The parts of all series consist of the same groups
    of trials.
    """
    if not queries:
        return {}
    if counter.in_memory or trials * len(queries) <= _SHORT:
        gathered = counter.gather(tuple(queries), within, groups)
        return {
            series: _sort_numbers(query, *gathered[series]) for series, query in queries.items()
        }
    most = max(MOST_BINS // (groups.size * len(queries)), 2)
    nothing = np.zeros(groups.size, dtype=np.int64)
    searches = {
        series: _Search(query, [bins_between(*_key_range(query), most, query.whole)], [nothing])
        for series, query in queries.items()
    }
    found: dict[Series, OrderStatistics] = {}
    first = True
    while searches:
        cut = {series: search.bins for series, search in searches.items()}
        counts = counter.histogram(cut, within, groups)
        for series, search in searches.items():
            search.counted(counts[series])
        if first:
            found |= _finish_few(counter, searches, within)
        first = False
        for series in [series for series, search in searches.items() if not search.left]:
            found[series] = searches.pop(series).resolved(None)
        if sum(search.left for search in searches.values()) <= MOST_LEVELS:
            return found | _finish_all(counter, searches, within, groups)
        for search in searches.values():
            search.refine(most)
    return found


def _sort_numbers(query: Ranks, numbers: ValueArray, groups: IntArray | None) -> OrderStatistics:
    """Return the order statistics of numbers in memory, given the group of each."""
    numbers = numbers.astype(np.int64 if query.whole else np.float64, copy=False)
    if groups is not None:
        return _sorted_parts(query, numbers, groups)
    total = np.array([len(numbers)], dtype=np.int64)
    ranks = query.find(total)[0]
    if not query.few and len(ranks) <= FEW_RANKS and len(numbers):
        # With fewer trials than blocks of time the last ranks are beyond the end.
        places = [min(rank, len(numbers)) - 1 for rank in ranks.tolist()]
        values = np.partition(numbers, sorted(set(places)))[places]
        ends = [(np.count_nonzero(numbers < v), np.count_nonzero(numbers <= v)) for v in values]
        below, at_most = np.array(ends).T
        return OrderStatistics(values[None], below[None], at_most[None], total)
    ordered = np.sort(numbers)
    rises = ordered[1:] != ordered[:-1]
    distinct = int(np.count_nonzero(rises)) + 1
    if len(ordered) and distinct <= query.few:
        starts = np.append(0, np.flatnonzero(rises) + 1)
        counts = np.diff(starts, append=len(ordered))
        levels = Levels(ordered[starts], np.zeros(len(starts), dtype=np.int64), counts)
        nothing = np.zeros((1, 0), dtype=np.int64)
        return OrderStatistics(nothing, nothing, nothing, total, levels)
    if not len(ordered) or not len(ranks):
        nothing = np.zeros((1, len(ranks)), dtype=np.int64)
        return OrderStatistics(values_of(nothing, whole=query.whole), nothing, nothing, total)
    ranks = np.minimum(ranks, len(ordered))
    values = ordered[ranks - 1]
    if distinct == len(ordered):
        return OrderStatistics(values[None], (ranks - 1)[None], ranks[None], total)
    return OrderStatistics(
        values[None],
        np.searchsorted(ordered, values)[None],
        np.searchsorted(ordered, values, side="right")[None],
        total,
    )


def _sorted_parts(query: Ranks, numbers: ValueArray, groups: IntArray) -> OrderStatistics:
    """Return the order statistics of parts, each the union of some groups."""
    order = np.argsort(numbers)
    ordered, owners = numbers[order], groups[order]
    total = query.members @ np.bincount(groups, minlength=query.members.shape[1])
    ranks = query.find(total)
    values = np.zeros(ranks.shape, dtype=ordered.dtype)
    below, at_most = np.zeros(ranks.shape, dtype=np.int64), np.zeros(ranks.shape, dtype=np.int64)
    for part, (members, part_ranks) in enumerate(zip(query.members, ranks, strict=True)):
        rows = np.flatnonzero(members[owners])
        if len(rows):
            values[part] = ordered[rows[np.minimum(part_ranks, len(rows)) - 1]]
            ends = [np.searchsorted(ordered, values[part], side) for side in _SIDES]
            below[part], at_most[part] = (np.searchsorted(rows, end) for end in ends)
    return OrderStatistics(values, below, at_most, total)


def _finish_few(
    counter: Counter, searches: dict[Series, _Search], within: Region
) -> dict[Series, OrderStatistics]:
    """Finish the searches in series with few distinct numbers, and remove them."""
    found: dict[Series, OrderStatistics] = {}
    for series, search in list(searches.items()):
        full = [piece.counts.sum(axis=0) > 0 for piece in search.pieces]
        if not 0 < sum(int(np.count_nonzero(one)) for one in full) <= search.query.few:
            continue
        marked = [
            (piece.bins, one) for piece, one in zip(search.pieces, full, strict=True) if one.any()
        ]
        try:
            levels = counter.levels({series: marked}, within)[series]
        except TooManyLevels:
            continue
        if len(levels.values) <= search.query.few:
            del searches[series]
            assert search.total is not None
            nothing = np.zeros((1, 0), dtype=np.int64)
            found[series] = OrderStatistics(nothing, nothing, nothing, search.total, levels)
    return found


def _finish_all(
    counter: Counter, searches: Mapping[Series, _Search], within: Region, groups: Groups
) -> dict[Series, OrderStatistics]:
    """Fetch the numbers that are left, and finish all searches."""
    open_ones = {
        series: [
            (piece.bins, marked)
            for piece, marked in zip(search.pieces, search.marked, strict=True)
            if piece.bins.shift and marked.any()
        ]
        for series, search in searches.items()
    }
    open_ones = {series: entries for series, entries in open_ones.items() if entries}
    levels = counter.levels(open_ones, within, groups) if open_ones else {}
    return {series: search.resolved(levels.get(series)) for series, search in searches.items()}


def bins_between(start: int, stop: int, most: int, whole: bool) -> KeyBins:
    """Return at most ``most`` bins that hold all keys from start to stop."""
    shift = 0
    while ((stop - start) >> shift) + 1 > most:
        shift += 1
    return KeyBins(start, shift, ((stop - start) >> shift) + 1, whole)


def _key_range(query: Ranks) -> tuple[int, int]:
    if query.whole:
        return int(query.low), int(query.high)
    low, high = keys_of(np.array([query.low, query.high], dtype=np.float64)).tolist()
    return max(low, _LOWEST), min(high, _HIGHEST)
