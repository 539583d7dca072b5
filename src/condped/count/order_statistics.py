"""Exact order statistics of numbers that stay where they are.

The range of a series is cut into bins and counted; the bins that hold a wanted rank are cut again,
or, once few numbers are left in them, these numbers are asked for. Nothing is interpolated, and the
passes needed do not depend on how many numbers there are.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from condped.arrays import BoolArray, FloatArray, IntArray, ValueArray
from condped.count.keys import KeyBins, keys_of, values_of
from condped.count.passes import Levels, Passes, Series, TooManyLevels, Within

_LOWEST, _HIGHEST = -(1 << 63), (1 << 63) - 1
# An engine that can count so many bins does so fastest if they are all of one width; for one that
# cannot, bins are cut to measure.
_MANY_BINS = 1 << 16
# How many times more numbers than on average a bin may hold.
_UNEVEN = 16
# ... and sooner than it has sorted more numbers than this.
_SHORT = 1 << 17


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """Which ranks of a series to look for.

    Attributes
    ----------
    low, high
        Bounds of all its numbers.
    find
        From (parts,) how many numbers each part has to (parts, ranks), counted from 1.
    members
        (parts, groups): 1 where a group of trials is in a part.
    whole
        Whether the numbers are int64.
    few
        Where there are at most so many different numbers, all of them are wanted instead.
    """

    low: float
    high: float
    find: Callable[[IntArray], IntArray]
    members: IntArray
    whole: bool = False
    few: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Order statistics, (parts, ranks) each.

    Attributes
    ----------
    values
        The numbers at the ranks.
    below, at_most
        How many numbers of the part are below, and how many are not above.
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
class _Piece:
    """Bins that have been counted, and what lies below them."""

    bins: KeyBins
    counts: IntArray  # (groups, bins)
    below: IntArray  # (groups,)


@dataclass(slots=True)
class _Search:
    """The search in one series."""

    asked: Ranks
    bins: list[KeyBins]
    below: list[IntArray] | None = None  # of each of the bins; None: they follow on each other
    pieces: list[_Piece] = field(default_factory=list)
    marked: list[BoolArray] = field(default_factory=list)
    total: IntArray | None = None  # (parts,)
    ranks: IntArray | None = None  # (parts, ranks)

    def counted(self, counts: Sequence[IntArray]) -> None:
        """Take in the counts of the bins, and mark those that hold a wanted rank."""
        below = self.below
        if below is None:
            totals = np.array([one.sum(axis=1) for one in counts])
            below = list(np.cumsum(np.vstack([np.zeros_like(totals[:1]), totals]), axis=0)[:-1])
        self.pieces = [
            _Piece(bins, found, under)
            for bins, found, under in zip(self.bins, counts, below, strict=True)
        ]
        if self.ranks is None:
            self.total = self.asked.members @ sum(one.sum(axis=1) for one in counts)
            self.ranks = self.asked.find(self.total)
        self.marked = [self._holding(piece) for piece in self.pieces]

    def _holding(self, piece: _Piece) -> BoolArray:
        """Return (bins,): which hold a rank of any part."""
        # (parts, bins + 1): numbers below each bin's end, in each part.
        edges = np.concatenate([np.zeros_like(piece.counts[:, :1]), piece.counts], axis=1)
        reached = self.asked.members @ (edges.cumsum(axis=1) + piece.below[:, None])
        marked = np.zeros(piece.bins.bins, dtype=bool)
        assert self.ranks is not None
        for part, ranks in zip(reached, self.ranks, strict=True):
            places = np.searchsorted(part, ranks) - 1
            marked[places[(places >= 0) & (places < piece.bins.bins)]] = True
        return marked

    @property
    def left(self) -> int:
        """How many numbers are in marked bins that hold more than one key."""
        return sum(
            int(piece.counts[:, marked].sum())
            for piece, marked in zip(self.pieces, self.marked, strict=True)
            if piece.bins.shift
        )

    def refine(self, most: int, *, even: bool) -> None:
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
                cut = [KeyBins(start, 0, 1, piece.bins.whole)]
                if piece.bins.shift:
                    cut = bins_between(
                        start, stop, max(most // wide, 2), piece.bins.whole, even=even
                    )
                bins += cut
                # Known for the first only; the others follow on it.
                below += [under[:, place] if one is cut[0] else None for one in cut]
        self.bins, self._known = bins, below
        self.below = None

    _known: list[IntArray | None] = field(default_factory=list)

    def recounted(self, counts: Sequence[IntArray]) -> None:
        """Take in the counts of bins that were cut again."""
        below: list[IntArray] = []
        for place, known in enumerate(self._known):
            below.append(known if known is not None else below[-1] + counts[place - 1].sum(axis=1))
        self.below = below
        self.counted(counts)

    def resolved(self, levels: Levels | None) -> Found:
        """Return the order statistics, from bins of one key and from the numbers in the others."""
        members, ranks = self.asked.members, self.ranks
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
                    inside, held = _inside(levels, start, stop, len(base))
                    keys.append(inside)
                total = held.cumsum(axis=1) + base[:, None]  # (groups, levels)
                at_most.append(members @ total)
                below.append(members @ (total - held))
        shape = ranks.shape
        if not keys:
            nothing = np.zeros(shape, dtype=np.int64)
            return Found(values_of(nothing, whole=self.asked.whole), nothing, nothing, self.total)
        all_keys = np.concatenate(keys)
        low, high = np.concatenate(below, axis=1), np.concatenate(at_most, axis=1)
        places = np.array(
            [np.searchsorted(part, wanted) for part, wanted in zip(high, ranks, strict=True)]
        ).reshape(shape)
        places = np.minimum(places, len(all_keys) - 1)
        return Found(
            values_of(all_keys[places], whole=self.asked.whole),
            np.take_along_axis(low, places, axis=1),
            np.take_along_axis(high, places, axis=1),
            self.total,
        )


def _inside(levels: Levels, start: int, stop: int, groups: int) -> tuple[IntArray, IntArray]:
    """Return the distinct keys from start to stop, and (groups, keys) how often each has them."""
    keys = keys_of(levels.values)
    rows = slice(np.searchsorted(keys, start), np.searchsorted(keys, stop, side="right"))
    distinct, places = np.unique(keys[rows], return_inverse=True)
    held = np.zeros((groups, len(distinct)), dtype=np.int64)
    np.add.at(held, (levels.groups[rows], places), levels.counts[rows])
    return distinct, held


def order_statistics(
    passes: Passes,
    wanted: Mapping[Series, Ranks],
    within: Within,
    *,
    trials: int,
    seed: int = 0,
) -> dict[Series, Found]:
    """Return the numbers at wanted ranks of several series, found in the same passes.

    No series has more numbers than there are ``trials``. All have parts of the same groups of
    trials.
    """
    groups = max((asked.members.shape[1] for asked in wanted.values()), default=1)
    even = passes.most_bins >= _MANY_BINS
    short = min(passes.most_levels, _SHORT) if even else passes.most_levels
    if trials * len(wanted) <= short:
        return _all_asked_for(passes, wanted, within, groups, seed)
    most = max(passes.most_bins // (groups * max(len(wanted), 1)), 2)
    if not even:  # a long query takes its time, too
        most = min(most, _enough(passes, wanted, trials))
    searches = {
        series: _Search(asked, bins_between(*_key_range(asked), most, asked.whole, even=even))
        for series, asked in wanted.items()
    }
    found: dict[Series, Found] = {}
    first = True
    while searches:
        counts = passes.histogram(
            {series: search.bins for series, search in searches.items()}, within, groups, seed
        )
        for series, search in searches.items():
            (search.counted if first else search.recounted)(counts[series])
        if first:
            found |= _few(passes, searches, within)
        first = False
        for series in [series for series, search in searches.items() if not search.left]:
            found[series] = searches.pop(series).resolved(None)
        if sum(search.left for search in searches.values()) <= passes.most_levels:
            return found | _ended(passes, searches, within, groups, seed)
        for search in searches.values():
            search.refine(most, even=even)
    return found


def _enough(passes: Passes, wanted: Mapping[Series, Ranks], trials: int) -> int:
    """Return with how many bins of a series few enough numbers will be left."""
    ranks = sum(a.find(np.full(len(a.members), trials)).size for a in wanted.values())
    return max(_UNEVEN * ranks * trials // passes.most_levels, 2)


def _all_asked_for(
    passes: Passes, wanted: Mapping[Series, Ranks], within: Within, groups: int, seed: int
) -> dict[Series, Found]:
    """Return order statistics of series that are short enough to ask for all of their numbers."""
    if not wanted:
        return {}
    everything = {}
    for series, asked in wanted.items():
        start, stop = _key_range(asked)
        bins = KeyBins(start, (stop - start).bit_length(), 1, asked.whole)
        everything[series] = [(bins, np.ones(1, dtype=bool))]
    levels = passes.levels(everything, within, groups, seed)
    return {series: _settled(asked, levels[series], groups) for series, asked in wanted.items()}


def _settled(asked: Ranks, levels: Levels, groups: int) -> Found:
    """Return the order statistics of a series of which all numbers are known."""
    keys, held = _inside(levels, *_key_range(asked), groups)
    total = asked.members @ held.sum(axis=1)
    if 0 < len(keys) <= asked.few:
        nothing = np.zeros((1, 0), dtype=np.int64)
        return Found(nothing, nothing, nothing, total, levels)
    ranks = asked.find(total)
    if not len(keys) or not ranks.size:
        nothing = np.zeros(ranks.shape, dtype=np.int64)
        return Found(values_of(nothing, whole=asked.whole), nothing, nothing, total)
    at_most = asked.members @ held.cumsum(axis=1)
    below = at_most - asked.members @ held
    places = np.array([np.searchsorted(p, r) for p, r in zip(at_most, ranks, strict=True)])
    places = np.minimum(places, len(keys) - 1)
    return Found(
        values_of(keys[places], whole=asked.whole),
        np.take_along_axis(below, places, axis=1),
        np.take_along_axis(at_most, places, axis=1),
        total,
    )


def _few(passes: Passes, searches: dict[Series, _Search], within: Within) -> dict[Series, Found]:
    """Settle the searches in series that have few different numbers, and take them out."""
    found: dict[Series, Found] = {}
    for series, search in list(searches.items()):
        full = [piece.counts.sum(axis=0) > 0 for piece in search.pieces]
        if not 0 < sum(int(np.count_nonzero(one)) for one in full) <= search.asked.few:
            continue
        marked = [
            (piece.bins, one) for piece, one in zip(search.pieces, full, strict=True) if one.any()
        ]
        try:
            levels = passes.levels({series: marked}, within)[series]
        except TooManyLevels:
            continue
        if len(levels.values) <= search.asked.few:
            del searches[series]
            assert search.total is not None
            nothing = np.zeros((1, 0), dtype=np.int64)
            found[series] = Found(nothing, nothing, nothing, search.total, levels)
    return found


def _ended(
    passes: Passes, searches: Mapping[Series, _Search], within: Within, groups: int, seed: int
) -> dict[Series, Found]:
    """Ask for the numbers that are left, and settle all searches."""
    open_ones = {
        series: [
            (piece.bins, marked)
            for piece, marked in zip(search.pieces, search.marked, strict=True)
            if piece.bins.shift and marked.any()
        ]
        for series, search in searches.items()
    }
    open_ones = {series: entries for series, entries in open_ones.items() if entries}
    levels = passes.levels(open_ones, within, groups, seed) if open_ones else {}
    return {series: search.resolved(levels.get(series)) for series, search in searches.items()}


def bins_between(start: int, stop: int, most: int, whole: bool, *, even: bool) -> list[KeyBins]:
    """Return at most so many bins that hold all keys from start to stop; ``even``: of one width."""
    if even or stop - start < most:
        shift = 0
        while ((stop - start) >> shift) + 1 > most:
            shift += 1
        return [KeyBins(start, shift, ((stop - start) >> shift) + 1, whole)]
    return _cut_to_measure(start, stop, most, whole)


def _cut_to_measure(start: int, stop: int, most: int, whole: bool) -> list[KeyBins]:
    """Return few bins, half of them narrow on the scale of the numbers, half in their digits."""
    width = max((stop - start).bit_length(), 1)
    pieces: list[tuple[float, int, int]] = []
    for by_value in (True, False):
        heap = pieces or [(0.0, start, width)]
        heap = [(-_weight(s, w, stop, whole, by_value), s, w) for _, s, w in heap]
        heapq.heapify(heap)
        while len(heap) < (most // 2 if by_value else most):
            weight, at, bits = heapq.heappop(heap)
            if bits == 0 or weight == 0:
                heapq.heappush(heap, (weight, at, bits))
                break
            for half in (at, at + (1 << (bits - 1))):
                if half <= stop:
                    size = _weight(half, bits - 1, stop, whole, by_value)
                    heapq.heappush(heap, (-size, half, bits - 1))
        pieces = heap
    return [KeyBins(at, bits, 1, whole) for _, at, bits in sorted(pieces, key=lambda p: p[1])]


def _weight(start: int, bits: int, stop: int, whole: bool, by_value: bool) -> float:
    """Return how wide a piece is, in numbers or in keys; 0 if it cannot be cut."""
    last = min(start + (1 << bits) - 1, stop)
    if last == start:
        return 0.0
    if whole or not by_value:
        return float(last - start)
    low, high = values_of(np.array([start, last]), whole=False)
    wide: FloatArray = np.minimum(high, 1e300) - np.maximum(low, -1e300)
    return float(wide)


def _key_range(asked: Ranks) -> tuple[int, int]:
    if asked.whole:
        return int(asked.low), int(asked.high)
    low, high = keys_of(np.array([asked.low, asked.high], dtype=np.float64)).tolist()
    return max(low, _LOWEST), min(high, _HIGHEST)
