"""``searchsorted`` for very many numbers among few edges, by a lookup table."""

from __future__ import annotations

import numpy as np

from condped.arrays import FloatArray, IdArray, IntArray

_STEPS = 1 << 13
_FEWEST = 4  # edges; among fewer, binary search is as fast
_MOST = 6  # edges in one step


class EdgeLookup:
    """Looks numbers up in a table of even steps, then compares with the edges inside the step.

    The step is a monotone function of the number, so edges in lower steps are below it and edges
    in higher steps above it, however the steps are rounded.
    """

    def __init__(self, edges: FloatArray) -> None:
        self.edges = edges
        self.inside: list[FloatArray] = []  # (steps,) each: the first, second … edge; NaN if none
        if len(edges) < _FEWEST:
            return
        with np.errstate(all="ignore"):
            self.scale = (_STEPS - 2) / (edges[-1] - edges[0])
        if not (np.isfinite(self.scale) and self.scale > 0):
            return
        steps = self._steps(edges)
        self.below = np.searchsorted(steps, np.arange(_STEPS)).astype(np.int32)
        among = np.arange(len(edges)) - self.below[steps]
        if among.max() < _MOST:
            for place in range(among.max() + 1):
                self.inside.append(np.full(_STEPS, np.nan))
                self.inside[-1][steps[among == place]] = edges[among == place]

    def places(self, numbers: FloatArray) -> IdArray:
        """Return ``searchsorted(edges, numbers)``; undefined for NaN."""
        if not self.inside:
            return np.searchsorted(self.edges, numbers)
        steps = self._steps(numbers)
        found = self.below.take(steps, mode="clip")
        for edges in self.inside:
            found += numbers > edges.take(steps, mode="clip")
        return found

    def _steps(self, numbers: FloatArray) -> IntArray:
        with np.errstate(over="ignore", invalid="ignore"):
            steps = numbers - self.edges[0]
            steps *= self.scale
            np.clip(steps, -1.0, _STEPS - 2.0, out=steps)
            steps += 1.0
            return np.asarray(steps.astype(np.intp))
