"""The hypergeometric distribution: hits among trials drawn without replacement."""

from __future__ import annotations

import math

from condped.estimate.statistics.log_choose import log_choose


def chance_of_hits(number: int, *, trials: int, hits: int, drawn: int) -> float:
    """Return the chance of so many hits among those drawn from trials of which some are hits.

    Examples
    --------
    >>> round(chance_of_hits(2, trials=5, hits=3, drawn=2), 6)
    0.3
    """
    ways = log_choose(hits, number) + log_choose(trials - hits, drawn - number)
    return math.exp(ways - log_choose(trials, drawn))
