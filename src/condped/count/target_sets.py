"""The region set and the target sets inside it, as cut-offs, ties included."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from condped.arrays import BoolArray, FloatArray, IntArray
from condped.count.ranking import ByOutcome, PrecomputedRanking, Ranking, ranked
from condped.count.tally import Tally
from condped.trials.batch import Batch
from condped.trials.used_trials import TrialCounts


@dataclass(frozen=True, eq=False)
class Sets:
    """The nested sets.

    Attributes
    ----------
    ranking, tally
        What trials are ranked by, and how they were treated.
    cutoffs
        (target sets,): the highest level in each, ascending; +inf where it includes trials
        that count as worst.
    region
        The region set's highest level; None: all used trials.
    target_sizes, region_size
        (target sets,), ascending, and the trials in the region set.
    all_equal
        Whether all used trials have the same objective.
    """

    ranking: Ranking
    tally: Tally
    cutoffs: FloatArray
    region: float | None
    target_sizes: IntArray
    region_size: int
    all_equal: bool

    @property
    def counts(self) -> TrialCounts:
        """How all trials were treated."""
        return self.tally.counts

    @property
    def of_outcome(self) -> bool:
        """Whether the target set is an outcome rather than the best trials."""
        return isinstance(self.ranking, ByOutcome) or (
            isinstance(self.ranking, PrecomputedRanking) and self.ranking.outcome
        )

    @cached_property
    def levels(self) -> FloatArray:
        """All finite cut-offs, ascending and distinct."""
        every = [*self.cutoffs.tolist(), np.inf if self.region is None else self.region]
        return np.array(sorted({level for level in every if np.isfinite(level)}))

    @cached_property
    def _places(self) -> IntArray | None:
        """(target sets + 1,): the last bucket of each set; None: one bucket for each."""
        region = np.inf if self.region is None else self.region
        found = np.searchsorted(self.levels, np.append(self.cutoffs, region))
        return None if found.tolist() == list(range(len(self.levels) + 1)) else found

    def nested(self, counted: IntArray) -> IntArray:
        """Return (…, target sets + 1) from (…, buckets) of :attr:`levels`: each set's trials."""
        reached = counted.cumsum(axis=-1)
        return reached if self._places is None else reached[..., self._places]

    def members(self, batch: Batch) -> tuple[BoolArray, BoolArray, BoolArray]:
        """Return (trials,) which are used, in the region set, and in the tightest target set."""
        levels, used, _, _ = ranked(batch, self.ranking)
        taken = np.ones(len(levels), dtype=bool) if used is None else used
        region = taken if self.region is None else taken & (levels <= self.region)
        return taken, region, region & (levels <= self.cutoffs[0])
