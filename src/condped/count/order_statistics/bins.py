"""Histograms of keys, and distinct keys; those of several workers add up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from condped.arrays import IntArray, ValueArray
from condped.count.order_statistics.keys import KeyBins, values_of

_WHOLE = 0xFFFF_FFFF_FFFF_FFFF
# Steps of the table that marks where bins are.
_STEPS = 1 << 20
# Keys that are buffered before they are merged.
_WAITING = 1 << 20
# This many are always allowed, whatever the limit.
_FEW = 1 << 10


class TooManyLevels(Exception):  # noqa: N818  (a result, not an error)
    """There are more distinct numbers than the limit."""


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """Distinct numbers with how often each group of trials has them.

    Attributes
    ----------
    values
        (entries,): ascending; float64, or int64 where all domains of the parameter are ints.
    groups
        (entries,): all 0 if there is one group. Pairs of value and group are distinct.
    counts
        (entries,).
    """

    values: ValueArray
    groups: IntArray
    counts: IntArray


class BinSet:
    """Several sets of bins that do not overlap, of different widths, numbered consecutively."""

    def __init__(self, bins: Sequence[KeyBins]) -> None:
        self.bins = tuple(bins)
        sizes = np.array([one.bins for one in bins], dtype=np.int64)
        self.ends: IntArray = np.cumsum(sizes)  # of the bin numbers of each set
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
        self.near = np.zeros((apart >> self.shift) + 2, dtype=bool)  # the last is beyond all bins
        for low, high in zip(self._steps(self.starts), self._steps(self.stops), strict=True):
            self.near[low : high + 1] = True

    def __reduce__(self) -> tuple[type[BinSet], tuple[tuple[KeyBins, ...]]]:
        # The tables are rebuilt by the receiver.
        return BinSet, (self.bins,)

    def find(self, keys: IntArray) -> tuple[IntArray | None, IntArray]:
        """Return which keys are in a bin (None: all), and the numbers of their bins."""
        if len(self.bins) == 1:
            (one,) = self.bins
            if not keys.size or (keys.min() >= one.start and keys.max() <= one.stop):
                return None, one.places(keys)
            rows = np.flatnonzero(one.inside(keys))
            return rows, one.places(keys[rows])
        rows = np.flatnonzero(self.near.take(self._steps(keys)))
        near = keys[rows]
        among = np.searchsorted(self.starts, near, side="right") - 1
        inside = near <= self.stops[among]
        rows, near, among = rows[inside], near[inside], among[inside]
        apart = near.view(np.uint64) - self.starts[among].view(np.uint64)
        return rows, self.firsts[among] + (apart >> self.shifts[among]).astype(np.int64)

    def _steps(self, keys: IntArray) -> IntArray:
        # As unsigned integers, keys below the first wrap to far beyond the last.
        steps = keys.view(np.uint64) - np.uint64(int(self.starts[0]) & _WHOLE)
        steps >>= np.uint64(self.shift)
        return np.asarray(np.minimum(steps, np.uint64(len(self.near) - 1)).astype(np.int64))


class Histogram:
    """Counts of keys, by group and bin.

    Keys are buffered until there are about as many as bins: adding a million bins for each small
    chunk would take longer than finding the bins of its keys.
    """

    def __init__(self, bins: BinSet, groups: int) -> None:
        self.bins, self.groups = bins, groups
        self.counted = np.zeros(groups * bins.total, dtype=np.int64)
        self.waiting: list[IntArray] = []

    def add(self, keys: IntArray, group: IntArray | None) -> None:
        """Count keys that are in a bin, by the group of each."""
        rows, places = self.bins.find(keys)
        if group is not None:
            places = places + (group if rows is None else group[rows]) * self.bins.total
        self.waiting.append(places)
        if sum(map(len, self.waiting)) >= len(self.counted):
            self._count()

    def merge(self, other: Histogram) -> None:
        """Add the counts of another worker."""
        self.counted += other.counts().ravel()

    def counts(self) -> IntArray:
        """Return (groups, bins): the counts."""
        self._count()
        return self.counted.reshape(self.groups, -1)

    def __getstate__(self) -> dict[str, Any]:
        """Return what a worker sends back: the counts, without the bins."""
        self._count()
        return {"groups": self.groups, "counted": self.counted, "waiting": []}

    def _count(self) -> None:
        if self.waiting:
            places = np.concatenate(self.waiting)
            self.counted += np.bincount(places, minlength=len(self.counted))
            self.waiting = []


class DistinctPairs:
    """Distinct pairs of key and group, with counts; raises TooManyLevels beyond ``most``."""

    def __init__(self, most: int) -> None:
        self.most = max(most, _FEW)
        self.keys = np.zeros(0, dtype=np.int64)
        self.groups = np.zeros(0, dtype=np.int64)
        self.counts = np.zeros(0, dtype=np.int64)
        self.waiting: list[tuple[IntArray, IntArray, IntArray]] = []

    def add(self, keys: IntArray, groups: IntArray | None, counts: IntArray | None = None) -> None:
        """Add keys; without groups all are in one, without counts each counts once."""
        groups = np.zeros(len(keys), dtype=np.int64) if groups is None else groups
        counts = np.ones(len(keys), dtype=np.int64) if counts is None else counts
        self.waiting.append((keys, groups, counts))
        if sum(len(part[0]) for part in self.waiting) >= max(_WAITING, len(self.keys)):
            self._join()

    def merge(self, other: DistinctPairs) -> None:
        """Add the pairs of another worker."""
        other._join()
        self.add(other.keys, other.groups, other.counts)

    def levels(self, *, whole: bool) -> Levels:
        """Return the distinct numbers so far."""
        self._join()
        return Levels(values_of(self.keys, whole=whole), self.groups, self.counts)

    def __getstate__(self) -> dict[str, Any]:
        """Return what a worker sends back: each pair once, and nothing buffered."""
        self._join()
        return self.__dict__

    def _join(self) -> None:
        if not self.waiting:
            return
        parts = [(self.keys, self.groups, self.counts), *self.waiting]
        keys, groups, counts = (np.concatenate(column) for column in zip(*parts, strict=True))
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
