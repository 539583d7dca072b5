"""Student's t distribution, which numpy lacks: its tail and its quantiles."""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist

_TERMS = 300
_SMALL = 1e-300
_NEARLY_NORMAL = 1e6


def student_tail(t: float, freedom: float) -> float:
    """Return P(|T| ≥ |t|) for these degrees of freedom; infinity means the normal distribution.

    Examples
    --------
    >>> round(student_tail(2.571, 5), 4)
    0.05
    """
    if freedom > _NEARLY_NORMAL:
        return math.erfc(abs(t) / math.sqrt(2.0))
    return _incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5)


@cache
def student_quantile(share: float, freedom: float) -> float:
    """Return the quantile of a share above one half.

    Examples
    --------
    >>> round(student_quantile(0.975, 5), 3)
    2.571
    """
    if freedom > _NEARLY_NORMAL:
        return NormalDist().inv_cdf(share)
    low, high = 0.0, 1.0
    while student_tail(high, freedom) > 2 * (1 - share):
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        if student_tail(middle, freedom) > 2 * (1 - share):
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function, by its continued fraction."""
    if x <= 0.0 or x >= 1.0:
        return float(x >= 1.0)
    if x > (a + 1) / (a + b + 2):  # where the fraction of the other side converges quickly
        return 1.0 - _incomplete_beta(1.0 - x, b, a)
    scale = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    c, d = 1.0, 1.0 / (1.0 - (a + b) * x / (a + 1) or _SMALL)
    fraction = d
    for m in range(1, _TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for step in (even, odd):
            d = 1.0 / (1.0 + step * d or _SMALL)
            c = 1.0 + step / c or _SMALL
            fraction *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return scale * fraction / a
