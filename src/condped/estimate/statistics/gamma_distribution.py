"""The gamma distribution's tail, for p-values; arrays in, arrays out.

scipy has it, but nothing else here needs scipy.
"""

from __future__ import annotations

import math

import numpy as np

from condped.arrays import FloatArray

_TERMS = 500
_SMALL = 1e-300
_NEARLY_NORMAL = 2e4


def upper_tail(x: FloatArray, mean: FloatArray, variance: FloatArray) -> FloatArray:
    """Return P(X ≥ x) for gamma variables with these means and variances.

    Where mean or variance is not above 0 nothing can deviate: the tail is 1.

    Examples
    --------
    >>> upper_tail(np.array([1.0, 3.0]), np.array([1.0, 1.0]), np.array([1.0, 1.0])).round(6)
    array([0.367879, 0.049787])
    """
    x, mean, variance = np.broadcast_arrays(x, mean, variance)
    usable = (mean > 0) & (variance > 0) & (x > 0)
    safe_variance = np.where(usable, variance, 1.0)
    shape = np.where(usable, mean**2 / safe_variance, 1.0)
    scaled = np.where(usable, x * mean / safe_variance, 0.0)
    pairs = zip(shape.ravel().tolist(), scaled.ravel().tolist(), strict=True)
    tails = [_regularised(a, t) for a, t in pairs]
    return np.where(usable, np.clip(np.reshape(tails, x.shape), 0.0, 1.0), 1.0)


def tail_at(x: float, mean: float, variance: float) -> float:
    """Return :func:`upper_tail` of one number, without the cost of arrays."""
    if not (mean > 0 and variance > 0 and x > 0):
        return 1.0
    return min(max(_regularised(mean**2 / variance, x * mean / variance), 0.0), 1.0)


def _regularised(a: float, x: float) -> float:
    """Return Q(a, x), the upper incomplete gamma function over the complete one."""
    if x <= 0:
        return 1.0
    if a > _NEARLY_NORMAL:  # Wilson and Hilferty: the cube root is nearly normal
        place = ((x / a) ** (1 / 3) - 1 + 1 / (9 * a)) * math.sqrt(9 * a)
        return 0.5 * math.erfc(place / math.sqrt(2.0))
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:  # the series of the lower part converges quickly
        term = total = 1 / a
        for n in range(1, _TERMS):
            term *= x / (a + n)
            total += term
            if term < total * 1e-16:
                break
        return 1 - total * scale
    # The continued fraction of the upper part, by Lentz's method.
    b = x + 1 - a
    c, d = 1 / _SMALL, 1 / (b or _SMALL)
    fraction = d
    for n in range(1, _TERMS):
        numerator = -n * (n - a)
        b += 2
        d = 1 / (numerator * d + b or _SMALL)
        c = b + numerator / c or _SMALL
        fraction *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return fraction * scale
