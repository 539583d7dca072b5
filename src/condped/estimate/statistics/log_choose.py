"""Binomial coefficients, as logarithms."""

from __future__ import annotations

import math


def log_choose(n: int, k: int) -> float:
    """Return the log of how many ways there are to choose ``k`` of ``n``."""
    if not 0 <= k <= n:
        return -math.inf
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
