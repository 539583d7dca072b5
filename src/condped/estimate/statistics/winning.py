"""Whether a group of trials is better than the others, and whether that is so in two studies."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from condped.arrays import BoolArray, FloatArray, IntArray

FIRST_TRIALS = 12
# A sampler that learns stays with what was good by luck: z-scores of the first trials of two equal
# branches lie around this or its negative. From runs of TPE on problems whose branches are alike
# (docs/trust/across.md).
_LUCK = 1.3


class GroupHits(NamedTuple):
    """How many of a group's trials are hits, and how many of all."""

    hits: int
    trials: int
    all_hits: int
    all_trials: int

    @property
    def lead(self) -> int:
        """Above 0 if the group has more hits than its share of the trials, below if fewer."""
        return self.hits * self.all_trials - self.trials * self.all_hits


def chance_of_other_odds(one: GroupHits, other: GroupHits) -> float:
    """Return how often two studies with the same odds ratio lie as far apart by chance.

    Zelen's exact test: given the hits and trials of each study, and the group's hits in both
    together, how these are split depends on no unknown parameter. Twice the smaller tail.

    Examples
    --------
    >>> chance_of_other_odds(GroupHits(5, 10, 5, 20), GroupHits(5, 10, 5, 20))
    1.0
    >>> round(chance_of_other_odds(GroupHits(5, 10, 5, 20), GroupHits(0, 10, 5, 20)), 4)
    0.0019
    """
    (first, ways), (last, others) = _log_ways(one), _log_ways(other)
    total = one.hits + other.hits
    low = max(first, total - (last + len(others) - 1))
    high = min(first + len(ways) - 1, total - last)
    dealt = np.arange(low, high + 1)
    together = ways[dealt - first] + others[total - dealt - last]
    chances = np.exp(together - together.max())
    chances /= chances.sum()
    fewer, more = chances[dealt <= one.hits].sum(), chances[dealt >= one.hits].sum()
    return min(1.0, 2.0 * float(min(fewer, more)))


def _log_ways(counts: GroupHits) -> tuple[int, FloatArray]:
    """Return the fewest hits that the group can have, and the log number of ways to each count."""
    hits, drawn, trials = counts.all_hits, counts.trials, counts.all_trials
    low, high = max(0, hits + drawn - trials), min(hits, drawn)
    own = np.arange(low, high + 1)
    factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1.0, trials + 1)))])

    def choose(n: int, k: IntArray) -> FloatArray:
        return np.asarray(factorial[n] - factorial[k] - factorial[n - k])

    return low, choose(hits, own) + choose(trials - hits, drawn - own)


def chances_of_first_trials(losses: FloatArray, group: BoolArray) -> tuple[float, float]:
    """Return how often a sampler that learns gives a group no worse, and no better first trials.

    Later trials in a group that was good by luck are good because the sampler stayed with it. Equal
    numbers of first trials of the group and of the others are compared by the rank-sum test (normal
    approximation), and luck is added, equally likely for and against the group.

    Parameters
    ----------
    losses
        (trials, objectives): in order of time. Better with several objectives: dominating.
    group
        (trials,): which belong to it.

    Examples
    --------
    >>> losses = np.arange(24.0).reshape(-1, 1)
    >>> better, worse = chances_of_first_trials(losses, np.arange(24) < 12)
    >>> round(better, 3), round(worse, 3)
    (0.001, 0.999)
    """
    inside, outside = np.flatnonzero(group), np.flatnonzero(~group)
    number = min(len(inside), len(outside), FIRST_TRIALS)
    both = losses[np.concatenate([inside[:number], outside[:number]])]
    no_worse = (both[:, None] <= both).all(axis=2)
    scores = no_worse.sum(axis=1) - no_worse.sum(axis=0)  # trials it beats less those that beat it
    scatter = number * float((scores**2).sum()) / 2 / max(2 * number - 1, 1)
    if scatter <= 0:
        return 1.0, 1.0
    z = float(scores[:number].sum()) / math.sqrt(scatter)
    return _tail_with_luck(z), _tail_with_luck(-z)


def _tail_with_luck(z: float) -> float:
    return sum(math.erfc((z + luck) / math.sqrt(2.0)) for luck in (-_LUCK, _LUCK)) / 4
