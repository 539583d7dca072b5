"""Keys in bins, and distinct keys: what several workers find adds up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from condped.arrays import IntArray, ValueArray
from condped.count.order_statistics.keys import KeyBins, values_of

_WHOLE = 0xFFFF_FFFF_FFFF_FFFF
# Steps of the table that tells keys in one of several bins from all others.
_STEPS = 1 << 20
# Keys that wait before they are put together.
_WAITING = 1 << 20
# So many are no trouble, whatever the limit.
_FEW = 1 << 10


class TooManyLevels(Exception):  # noqa: N818  (an answer, not an error)
    """There are more different numbers than can be held."""


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """Distinct numbers with how often each group of trials has them.

    Attributes
    ----------
    values
        (entries,): ascending; float64, or int64 where all domains of the parameter are ints.
    groups
        (entries,): all 0 if there is one group. A pair of value and group stands once.
    counts
        (entries,).
    """

    values: ValueArray
    groups: IntArray
    counts: IntArray


class BinSet:
    """Several bins that do not overlap, each of its own width, numbered on in the order given."""

    def __init__(self, bins: Sequence[KeyBins]) -> None:
        self.bins = tuple(bins)
        sizes = np.array([one.bins for one in bins], dtype=np.int64)
        self.ends: IntArray = np.cumsum(sizes)  # of the numbers of each
        self.total = int(self.ends[-1])
        if len(bins) == 1:
            return
        order = sorted(range(len(bins)), key=lambda place: bins[place].start)
        self.starts = np.array([bins[place].start for place in order], dtype=np.int64)
        self.stops = np.array([bins[place].stop for place in order], dtype=np.int64)
        self.shifts = np.array([bins[place].shift for place in order], dtype=np.uint64)
        self.firsts: IntArray = (self.ends - sizes)[order]
        self.shift = 0
        apart = int(self.stops[-1]) - int(self.starts[0])
        while apart >> self.shift >= _STEPS:
            self.shift += 1
        self.near = np.zeros((apart >> self.shift) + 2, dtype=bool)  # the last is beyond them all
        for low, high in zip(self._steps(self.starts), self._steps(self.stops), strict=True):
            self.near[low : high + 1] = True

    def find(self, keys: IntArray) -> tuple[IntArray | None, IntArray]:
        """Return which keys are in one of the bins (None: all), and the numbers of their bins."""
        if len(self.bins) == 1:
            (one,) = self.bins
            if not keys.size or (keys.min() >= one.start and keys.max() <= one.stop):
                return None, one.places(keys)
            rows = np.flatnonzero(one.inside(keys))
            return rows, one.places(keys[rows])
        rows = np.flatnonzero(self.near.take(self._steps(keys)))
        some = keys[rows]
        among = np.searchsorted(self.starts, some, side="right") - 1
        inside = some <= self.stops[among]
        rows, some, among = rows[inside], some[inside], among[inside]
        apart = some.view(np.uint64) - self.starts[among].view(np.uint64)
        return rows, self.firsts[among] + (apart >> self.shifts[among]).astype(np.int64)

    def _steps(self, keys: IntArray) -> IntArray:
        # As unsigned numbers, those below the first are far beyond the last.
        steps = keys.view(np.uint64) - np.uint64(int(self.starts[0]) & _WHOLE)
        steps >>= np.uint64(self.shift)
        return np.asarray(np.minimum(steps, np.uint64(len(self.near) - 1)).astype(np.int64))


class Histogram:
    """Counts of keys, by group and bin.

    Keys wait until there are about as many as bins: going through a million bins for each small
    chunk would take longer than finding its keys' places.
    """

    def __init__(self, bins: BinSet, groups: int) -> None:
        self.bins, self.groups = bins, groups
        self.counted = np.zeros(groups * bins.total, dtype=np.int64)
        self.waiting: list[IntArray] = []

    def add(self, keys: IntArray, group: IntArray | None) -> None:
        """Count keys that are in the bins; ``group`` says of each where it belongs."""
        rows, places = self.bins.find(keys)
        if group is not None:
            places = places + (group if rows is None else group[rows]) * self.bins.total
        self.waiting.append(places)
        if sum(map(len, self.waiting)) >= len(self.counted):
            self._count()

    def counts(self) -> IntArray:
        """Return (groups, bins), the bins numbered on."""
        self._count()
        return self.counted.reshape(self.groups, -1)

    def _count(self) -> None:
        if self.waiting:
            places = np.concatenate(self.waiting)
            self.counted += np.bincount(places, minlength=len(self.counted))
            self.waiting = []


class Distinct:
    """Distinct pairs of key and group, with counts; refuses more than ``most`` of them."""

    def __init__(self, most: int) -> None:
        self.most = max(most, _FEW)
        self.keys = np.zeros(0, dtype=np.int64)
        self.groups = np.zeros(0, dtype=np.int64)
        self.counts = np.zeros(0, dtype=np.int64)
        self.waiting: list[tuple[IntArray, IntArray, IntArray]] = []

    def add(self, keys: IntArray, groups: IntArray | None, counts: IntArray | None = None) -> None:
        """Take keys in; without groups all are of one, without counts each stands once."""
        groups = np.zeros(len(keys), dtype=np.int64) if groups is None else groups
        counts = np.ones(len(keys), dtype=np.int64) if counts is None else counts
        self.waiting.append((keys, groups, counts))
        if sum(len(part[0]) for part in self.waiting) >= max(_WAITING, len(self.keys)):
            self._join()

    def levels(self, *, whole: bool) -> Levels:
        """Return what was taken in."""
        self._join()
        return Levels(values_of(self.keys, whole=whole), self.groups, self.counts)

    def _join(self) -> None:
        if not self.waiting:
            return
        parts = [(self.keys, self.groups, self.counts), *self.waiting]
        keys, groups, counts = (np.concatenate(some) for some in zip(*parts, strict=True))
        self.waiting = []
        order = np.lexsort((groups, keys)) if groups.any() else np.argsort(keys)
        keys, groups, counts = keys[order], groups[order], counts[order]
        first = np.ones(len(keys), dtype=bool)
        first[1:] = (keys[1:] != keys[:-1]) | (groups[1:] != groups[:-1])
        starts = np.flatnonzero(first)
        if len(starts) > self.most:
            raise TooManyLevels
        self.keys, self.groups = keys[starts], groups[starts]
        self.counts = np.add.reduceat(counts, starts) if len(starts) else counts

    @classmethod
    def joined(cls, parts: Iterable[Distinct], most: int) -> Distinct:
        """Put together what several workers took in."""
        whole = cls(most)
        for part in parts:
            part._join()
            whole.add(part.keys, part.groups, part.counts)
        return whole
