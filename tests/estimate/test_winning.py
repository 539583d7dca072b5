"""Whether a group of trials is better, against counting all ways and scipy."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from condped.estimate.statistics.winning import (
    GroupHits,
    chance_of_other_odds,
    chances_of_first_trials,
)


def ways(counts: GroupHits, hits: int) -> int:
    """Return in how many ways the group can have so many hits."""
    others = counts.trials - hits
    if hits < 0 or others < 0:
        return 0
    return math.comb(counts.all_hits, hits) * math.comb(counts.all_trials - counts.all_hits, others)


@pytest.mark.parametrize("seed", range(20))
def test_other_odds_are_counted_exactly(seed: int) -> None:
    """All ways to deal the group's hits out to two studies, in whole numbers."""
    rng = np.random.default_rng(seed)
    pair = []
    for _ in range(2):
        trials = int(rng.integers(10, 60))
        group, hits = (int(rng.integers(1, trials)) for _ in range(2))
        own = int(rng.hypergeometric(hits, trials - hits, group))
        pair.append(GroupHits(own, group, hits, trials))
    one, other = pair
    total = one.hits + other.hits
    dealt = [Fraction(ways(one, k) * ways(other, total - k)) for k in range(total + 1)]
    fewer, more = sum(dealt[: one.hits + 1]), sum(dealt[one.hits :])
    wanted = min(1.0, float(2 * min(fewer, more) / sum(dealt)))
    assert chance_of_other_odds(one, other) == pytest.approx(wanted, rel=1e-9)
    assert chance_of_other_odds(other, one) == pytest.approx(wanted, rel=1e-9)


def test_many_trials_do_not_overflow() -> None:
    """Two large studies in which a group wins alike, and one in which it loses."""
    wins, loses = GroupHits(900, 50_000, 1_000, 100_000), GroupHits(100, 50_000, 1_000, 100_000)
    assert chance_of_other_odds(wins, wins) > 0.9
    assert chance_of_other_odds(wins, loses) < 1e-200


@pytest.mark.parametrize("odds", [1.0, 4.0])
def test_studies_with_one_odds_ratio_rarely_seem_to_differ(odds: float) -> None:
    """Of 1,000 pairs of studies of different sizes, whether the group is better or not."""
    rng = np.random.default_rng(0)
    alarms = 0
    for _ in range(1_000):
        pair = []
        for trials in (80, 240):
            group = rng.random(trials) < 0.4
            hit = rng.random(trials) < np.where(group, odds * 0.1 / (0.9 + odds * 0.1), 0.1)
            pair.append(GroupHits(*(int(n) for n in (
                (group & hit).sum(), group.sum(), hit.sum(), trials))))  # fmt: skip
        alarms += chance_of_other_odds(*pair) <= 0.05
    assert alarms <= 0.05 * 1_000 + 10


def with_luck(z: float) -> float:
    """Return the upper tail of two normal distributions, 1.3 above and below 0."""
    return float(stats.norm.sf(z, [-1.3, 1.3]).mean())


@pytest.mark.parametrize("levels", [4, 1_000_000])
def test_first_trials_are_compared_by_ranks(levels: int) -> None:
    """By scipy's rank-sum test of the first twelve of each, moved by luck either way."""
    rng = np.random.default_rng(levels)
    losses = np.floor(levels * rng.random(100)) / levels
    group = rng.random(100) < 0.3
    first, others = losses[group][:12], losses[~group][:12]
    told = stats.mannwhitneyu(others, first, use_continuity=False, method="asymptotic")
    z = math.copysign(stats.norm.isf(told.pvalue / 2), told.statistic - 72)
    better, worse = chances_of_first_trials(losses[:, None], group)
    assert better == pytest.approx(with_luck(z), rel=1e-6)
    assert worse == pytest.approx(with_luck(-z), rel=1e-6)
    later = np.flatnonzero(group)[12:]
    losses[later] = -1.0
    assert chances_of_first_trials(losses[:, None], group) == (better, worse)


def test_few_trials_and_several_objectives() -> None:
    """As many of the others as there are of the group; better is dominating."""
    losses = np.random.default_rng(1).random((40, 2))
    group = np.arange(40) % 8 == 0
    kept = [*np.flatnonzero(group), *np.flatnonzero(~group)[:5]]

    def dominates(i: int, j: int) -> bool:
        return bool((losses[i] <= losses[j]).all() and (losses[i] < losses[j]).any())

    scores = [sum(dominates(i, j) - dominates(j, i) for j in kept) for i in kept]
    chosen = np.array(
        [np.random.default_rng(k).permutation(scores)[:5].sum() for k in range(4_000)]
    )
    z = sum(scores[:5]) / chosen.std()
    better, _ = chances_of_first_trials(losses, group)
    assert better == pytest.approx(with_luck(z), abs=0.01)
    assert chances_of_first_trials(losses, np.zeros(40, dtype=bool)) == (1.0, 1.0)
    assert chances_of_first_trials(np.ones((40, 1)), group) == (1.0, 1.0)
