"""The region set and the target sets of trials that an engine counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from condped.arrays import FloatArray, IntArray
from condped.count.passes import Tally
from condped.trials.topsets import Handling, TrialCounts


@dataclass(frozen=True, slots=True, eq=False)
class EngineSets:
    """The nested sets, as cut-offs of the loss.

    Attributes
    ----------
    cutoffs
        (target sets,): ascending; +inf where trials that count as worst are needed.
    region
        The region set's cut-off; None: all used trials.
    """

    handling: Handling
    tally: Tally
    cutoffs: FloatArray
    region: float | None
    target_sizes: IntArray
    region_size: int

    @property
    def counts(self) -> TrialCounts:
        return self.tally.counts

    @property
    def ordinary(self) -> int:
        """Used trials that stand for themselves."""
        return self.counts.used - self.counts.counted_as_worst

    @property
    def all_equal(self) -> bool:
        if self.counts.counted_as_worst or not self.counts.used:
            return self.ordinary == 0
        return self.tally.lowest == self.tally.highest

    @property
    def levels(self) -> FloatArray:
        """All finite cut-offs, ascending and distinct."""
        every = [*self.cutoffs, *([] if self.region is None else [self.region])]
        return np.unique(np.array([level for level in every if np.isfinite(level)]))

    def nested(self, counted: IntArray) -> IntArray:
        """Return (…, target sets + 1) from (…, buckets) of :attr:`levels`: each set's trials."""
        reached = counted.cumsum(axis=-1)
        levels = self.levels
        region = np.inf if self.region is None else self.region
        return reached[..., np.searchsorted(levels, np.append(self.cutoffs, region))]
