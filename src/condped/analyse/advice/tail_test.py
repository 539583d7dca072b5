"""How likely so few hits are by chance: the tail of a hypergeometric distribution, by blocks."""

from __future__ import annotations

import math

import numpy as np

from condped.arrays import BoolArray, FloatArray, IntArray


def chance_of_so_few(group: BoolArray, hit: BoolArray, block: IntArray) -> float:
    """Return the chance that a group of trials has no more hits than it has.

    Hits are dealt out at random among the trials of each block (stretch of time), as many as
    there are; the group's hits are summed over the blocks. All arrays: (trials,).

    Examples
    --------
    >>> group = np.arange(20) < 10
    >>> round(chance_of_so_few(group, ~group, np.zeros(20, int)) * math.comb(20, 10), 6)
    1.0
    """
    most = int(np.count_nonzero(group & hit))
    chances = np.zeros(most + 1)
    chances[0] = 1.0
    for one in np.unique(block):
        rows = block == one
        chances = np.convolve(
            chances,
            _chances(
                trials=int(np.count_nonzero(rows)),
                hits=int(np.count_nonzero(rows & hit)),
                drawn=int(np.count_nonzero(rows & group)),
                most=most,
            ),
        )[: most + 1]
    return float(min(1.0, chances.sum()))


def _chances(*, trials: int, hits: int, drawn: int, most: int) -> FloatArray:
    """Return the chance of 0, 1, … ``most`` hits among those drawn."""
    everything = _log_choose(trials, drawn)
    return np.array(
        [
            math.exp(_log_choose(hits, k) + _log_choose(trials - hits, drawn - k) - everything)
            for k in range(most + 1)
        ]
    )


def _log_choose(n: int, k: int) -> float:
    if not 0 <= k <= n:
        return -math.inf
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
