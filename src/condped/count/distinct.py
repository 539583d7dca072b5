"""Which keys there are, and how often each group has them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from condped.arrays import IntArray
from condped.count.keys import values_of
from condped.count.passes import Levels, TooManyLevels

# Keys that wait before they are put together.
_WAITING = 1 << 20
# So many are no trouble, whatever the limit.
_FEW = 1 << 10


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
