"""How many keys fall into each of very many bins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from condped.arrays import IntArray
from condped.count.keys import KeyBins

_WHOLE = 0xFFFF_FFFF_FFFF_FFFF
# Steps of the table that tells keys in one of several bins from all others.
_STEPS = 1 << 20


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
