"""Finding the region set and the target sets: exact cut-offs of the loss, ties included."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from condped.count.cells.rank_cells import ALONE
from condped.count.count_fold import Query
from condped.count.counter import Counter
from condped.count.order_statistics.exact import Ranks, order_statistics
from condped.count.order_statistics.series import Region, Series
from condped.count.ranking import PrecomputedRanking, Ranked, Ranking, rank_by_outcome
from condped.count.tally import Tally
from condped.count.target_sets import Sets
from condped.trials.outcome import Target, outcome_of
from condped.trials.pareto import pareto_positions
from condped.trials.table import TrialTable
from condped.trials.used_trials import Handling, classify_trials, set_size


def find_sets(
    counter: Counter,
    ranking: Ranking,
    tally: Tally,
    target_quantiles: Sequence[float],
    region_quantile: float,
    *,
    all_equal: bool | None = None,
) -> Sets:
    """Find the region set and, inside it, a target set for each (ascending) quantile.

    ``all_equal`` says whether all used trials have the same objectives; None: the tally says it.
    """
    used, whole = tally.counts.used, region_quantile == 1.0
    # The region set of gamma = 1 is everything: no order statistic is needed.
    quantiles = [*target_quantiles, *([] if whole else [region_quantile])]
    sizes = [set_size(quantile, used) for quantile in quantiles]
    cutoffs, reached = np.full(len(sizes), np.inf), np.full(len(sizes), used)
    # Larger sets include trials that count as worst, and so all others.
    places = [place for place, size in enumerate(sizes) if size <= tally.ordinary]
    if used and places:
        ranks = np.array([[sizes[place] for place in places]])
        query = Ranks(tally.lowest, tally.highest, lambda _: ranks, ALONE)
        loss = Series("loss")
        found = order_statistics(counter, {loss: query}, Region(ranking), trials=used)
        cutoffs[places] = found[loss].values[0]
        reached[places] = found[loss].at_most[0]
    targets = len(target_quantiles)
    return Sets(
        ranking=ranking,
        tally=tally,
        cutoffs=cutoffs[:targets],
        region=None if whole else float(cutoffs[-1]),
        target_sizes=reached[:targets],
        region_size=used if whole else int(reached[-1]),
        all_equal=tally.all_equal if all_equal is None else all_equal,
    )


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
    return PrecomputedRanking(Ranked(levels, used, ordinary, counts)), all_equal


def rank_by_given_outcome(table: TrialTable, target: Target) -> PrecomputedRanking:
    """Rank trials by an outcome that the caller gives for each of them."""
    found = outcome_of(table, target)
    ranks = rank_by_outcome(found.target, found.considered, np.asarray(table.states))
    return PrecomputedRanking(ranks, outcome=True)


def find_outcome_sets(counter: Counter, ranking: Ranking, tally: Tally) -> Sets:
    """Return trials with an outcome as the target set, all that could have it as the region."""
    hits = int(counter.count(Query(ranking, np.zeros(1))).sizes[0, 0])
    return Sets(
        ranking=ranking,
        tally=tally,
        cutoffs=np.zeros(1),
        region=None,
        target_sizes=np.array([hits]),
        region_size=tally.counts.used,
        all_equal=hits in (0, tally.counts.used),
    )
