"""The median and its exact interval, from order statistics."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from condped.arrays import FloatArray
from condped.estimate.statistics.log_choose import log_choose

_REACH = 9.0  # standard deviations of a binomial, beyond which its tail is negligible


class Median(NamedTuple):
    """The median of some values; ``low`` and ``high`` are None if there are too few."""

    value: float
    low: float | None
    high: float | None


def median_of(values: FloatArray, level: float) -> Median | None:
    """Return the median of values with an interval of at least this level; None without values.

    The interval runs between two order statistics: how many values lie below the true median is
    binomial, whatever their distribution. With ties its coverage is higher.

    Examples
    --------
    >>> median_of(np.array([5.0, 1.0, 2.0, 4.0, 3.0]), 0.9)
    Median(value=3.0, low=1.0, high=5.0)
    """
    count = len(values)
    if not count:
        return None
    ordered = np.sort(values)
    middle = float((ordered[(count - 1) // 2] + ordered[count // 2]) / 2)
    rank = interval_rank(count, level)
    if not rank:
        return Median(middle, None, None)
    return Median(middle, float(ordered[rank - 1]), float(ordered[count - rank]))


@lru_cache(maxsize=4096)
def interval_rank(count: int, level: float) -> int:
    """Return the rank, from either end, of the interval's ends; 0 if there is no interval.

    Of ``count`` draws, fewer than this lie below the true median with a probability of at most
    (1 - level) / 2.

    Examples
    --------
    >>> [interval_rank(count, 0.9) for count in (4, 5, 10, 100)]
    [0, 1, 2, 42]
    """
    # Chances of 0 … half of the draws below, from the largest down; those left out are below 1e-18.
    half = count // 2
    lowest = max(0, int(half - _REACH * math.sqrt(count) / 2) - 1)
    largest = math.exp(log_choose(count, half) - count * math.log(2.0))
    steps = np.arange(half, lowest, -1, dtype=np.float64)
    chances = largest * np.cumprod(np.append(1.0, steps / (count - steps + 1)))
    below = np.cumsum(chances[::-1])  # at most lowest, lowest + 1, … draws
    fits = np.count_nonzero(below <= (1.0 - level) / 2)
    return lowest + int(fits) if fits else 0
