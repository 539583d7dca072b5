"""The region set and the target sets inside it: exact cut-offs of the loss, ties included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from condped.arrays import BoolArray, FloatArray, IntArray
from condped.count.counter import MOST_LEVELS, Counter, Query
from condped.count.order_statistics.exact import ALONE, FEW_RANKS, Ranks, order_statistics
from condped.count.order_statistics.series import Region, Series
from condped.count.ranking import (
    ByOutcome,
    PrecomputedRanking,
    RankedBatch,
    Ranking,
    rank_by_outcome,
    ranked,
)
from condped.count.tally import SAMPLED, Tally
from condped.trials.batch import Batch
from condped.trials.outcome import Target, outcome_of
from condped.trials.pareto import pareto_positions
from condped.trials.table import TrialTable
from condped.trials.used_trials import Handling, TrialCounts, classify_trials, set_size

_FEWEST_SAMPLED = 1000  # losses; a smaller sample would not save a pass over the rest
_FEWEST_SORTED = 20  # trials; fewer may be in order by chance
_STANDARD_ERRORS = 5  # of a sampled quantile, within which the exact one is looked for


@dataclass(frozen=True, eq=False)
class NestedSets:
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

    @property
    def sorted_by_objective(self) -> bool:
        """Whether the trials are sorted by their objective rather than by time."""
        if self.of_outcome or self.counts.used < _FEWEST_SORTED:
            return False
        return self.tally.sorted_by_loss

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
        if counted.shape[-1] == 2:  # one target set; cumsum over so few takes longer
            reached = np.array(counted, order="C")
            reached[..., 1] += reached[..., 0]
        else:
            reached = counted.cumsum(axis=-1)
        return reached if self._places is None else reached[..., self._places]

    def members(self, batch: Batch) -> tuple[BoolArray, BoolArray, BoolArray]:
        """Return (trials,) which are used, in the region set, and in the tightest target set."""
        levels, used, _, _ = ranked(batch, self.ranking)
        taken = np.ones(len(levels), dtype=bool) if used is None else used
        region = taken if self.region is None else taken & (levels <= self.region)
        return taken, region, region & (levels <= self.cutoffs[0])


def find_sets(
    counter: Counter,
    ranking: Ranking,
    tally: Tally,
    target_quantiles: Sequence[float],
    region_quantile: float,
    *,
    all_equal: bool | None = None,
) -> NestedSets:
    """Find the region set and, inside it, a target set for each (ascending) quantile.

    ``all_equal``: whether all used trials have the same objectives; None: taken from the tally.
    """
    used, whole = tally.counts.used, region_quantile == 1.0
    # The region set of gamma = 1 is everything: no order statistic is needed.
    quantiles = target_quantiles if whole else [*target_quantiles, region_quantile]
    sizes = [set_size(quantile, used) for quantile in quantiles]
    # Larger sets include trials that count as worst, and so all others.
    ranks = [size for size in sizes if size <= tally.ordinary]
    cutoffs, reached = np.zeros(0), np.zeros(0, dtype=np.int64)
    if used and ranks:
        found = _near_the_sampled(counter, ranking, tally, ranks)
        if found is None:
            loss, requested = Series("loss"), np.array([ranks])
            query = Ranks(tally.lowest, tally.highest, lambda _: requested, ALONE)
            exact = order_statistics(counter, {loss: query}, Region(ranking), trials=used)[loss]
            found = exact.values[0], exact.at_most[0]
        cutoffs, reached = found
    missing = len(sizes) - len(cutoffs)
    if missing:
        cutoffs = np.append(cutoffs, np.full(missing, np.inf))
        reached = np.append(reached, np.full(missing, used))
    targets = len(target_quantiles)
    return NestedSets(
        ranking=ranking,
        tally=tally,
        cutoffs=cutoffs[:targets],
        region=None if whole else float(cutoffs[-1]),
        target_sizes=reached[:targets],
        region_size=used if whole else int(reached[-1]),
        all_equal=tally.all_equal if all_equal is None else all_equal,
    )


def _near_the_sampled(
    counter: Counter, ranking: Ranking, tally: Tally, ranks: Sequence[int]
) -> tuple[FloatArray, IntArray] | None:
    """Find a few cut-offs, exactly, in one pass over the losses near those of the sample.

    Also return how many losses are at or below each. None if they are elsewhere, if too many losses
    are near them, or if there are few losses at all.
    """
    if counter.in_memory or len(ranks) > FEW_RANKS:
        return None
    sample = np.sort(np.concatenate(tally.sample))
    if len(sample) < _FEWEST_SAMPLED:
        return None
    share = np.array(ranks) / tally.ordinary
    reach = _STANDARD_ERRORS * np.sqrt(share * (1 - share) / len(sample)) + 1 / len(sample)
    ends = np.array([np.floor((share - reach) * len(sample)), (share + reach) * len(sample)])
    first, last = np.clip(ends, 0, len(sample) - 1).astype(np.intp)
    low = np.where(ends[0] < 0, -np.inf, sample[first])
    high = np.where(ends[1] >= len(sample), np.inf, sample[last])
    near = np.searchsorted(sample, high, side="right") - np.searchsorted(sample, low)
    if (near * SAMPLED > MOST_LEVELS / 2).any():
        return None
    cutoffs, reached = [], []
    ranges = list(zip(low.tolist(), high.tolist(), strict=True))
    found = counter.between(Series("loss"), ranges, Region(ranking))
    for rank, part in zip(ranks, found, strict=True):
        if part.inside is None or not part.below < rank <= part.below + sum(map(len, part.inside)):
            return None
        inside = np.concatenate(part.inside)
        place = rank - part.below - 1
        cutoffs.append(float(np.partition(inside, place)[place]))
        reached.append(part.below + int(np.count_nonzero(inside <= cutoffs[-1])))
    return np.array(cutoffs), np.array(reached)


def rank_by_pareto_order(
    table: TrialTable, quantiles: Sequence[float], handling: Handling
) -> tuple[PrecomputedRanking, bool]:
    """Rank trials by several objectives, which needs all of them at once.

    Also return whether all used trials have the same objectives.
    """
    used, worst, counts = classify_trials(table, handling)
    ordinary = np.ones(len(table), dtype=bool) if used is None else used.copy()
    if worst is not None:
        ordinary &= ~worst
    levels = np.full(len(table), np.inf)
    losses = np.column_stack([objective.losses[ordinary] for objective in table.objectives])
    all_equal = worst is None or not ordinary.any()
    if len(losses):
        sizes = [set_size(quantile, counts.used) for quantile in quantiles]
        levels[ordinary] = pareto_positions(losses, sizes)
        all_equal = worst is None and bool((losses == losses[0]).all())
    return PrecomputedRanking(RankedBatch(levels, used, ordinary, counts)), all_equal


def rank_by_given_outcome(table: TrialTable, target: Target) -> PrecomputedRanking:
    """Rank trials by an outcome that the caller gives for each of them."""
    found = outcome_of(table, target)
    ranks = rank_by_outcome(found.target, found.considered, np.asarray(table.states))
    return PrecomputedRanking(ranks, outcome=True)


def find_outcome_sets(counter: Counter, ranking: Ranking, tally: Tally) -> NestedSets:
    """Return trials with an outcome as the target set, all that could have it as the region."""
    hits = int(counter.count(Query(ranking, np.zeros(1))).sizes[0, 0])
    return NestedSets(
        ranking=ranking,
        tally=tally,
        cutoffs=np.zeros(1),
        region=None,
        target_sizes=np.array([hits]),
        region_size=tally.counts.used,
        all_equal=hits in (0, tally.counts.used),
    )
