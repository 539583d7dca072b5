"""How many keys fall into each of very many bins."""

from __future__ import annotations

import numpy as np

from condped.arrays import IntArray
from condped.count.keys import KeyBins


class Histogram:
    """Counts of keys, by group and bin.

    Keys wait until there are about as many as bins: going through a million bins for each small
    chunk would take longer than finding its keys' places.
    """

    def __init__(self, bins: KeyBins, groups: int) -> None:
        self.bins = bins
        self.shape = (groups, bins.bins)
        self.counted = np.zeros(groups * bins.bins, dtype=np.int64)
        self.waiting: list[IntArray] = []

    def add(self, keys: IntArray, group: IntArray | None) -> None:
        """Count keys that are in the bins; ``group`` says of each where it belongs."""
        if not keys.size:
            return
        if keys.min() < self.bins.start or keys.max() > self.bins.stop:
            inside = self.bins.inside(keys)
            keys, group = keys[inside], None if group is None else group[inside]
        places = self.bins.places(keys)
        self.waiting.append(places if group is None else places + group * self.bins.bins)
        if sum(map(len, self.waiting)) >= len(self.counted):
            self._count()

    def counts(self) -> IntArray:
        """Return (groups, bins)."""
        self._count()
        return self.counted.reshape(self.shape)

    def _count(self) -> None:
        if self.waiting:
            places = np.concatenate(self.waiting)
            self.counted += np.bincount(places, minlength=len(self.counted))
            self.waiting = []
