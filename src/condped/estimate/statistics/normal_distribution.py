"""The normal distribution's cumulative function over arrays, which numpy lacks."""

from __future__ import annotations

import numpy as np

from condped.arrays import FloatArray

_COEFFICIENTS = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)


def normal_cdf(x: FloatArray) -> FloatArray:
    """Return P(X ≤ x) to 1.5e-7 (formula 7.1.26 of Abramowitz and Stegun).

    Examples
    --------
    >>> normal_cdf(np.array([-1.96, 0.0, 1.0])).round(4).tolist()
    [0.025, 0.5, 0.8413]
    """
    size = np.abs(x) / np.sqrt(2.0)
    t = 1.0 / (1.0 + 0.3275911 * size)
    series = np.zeros_like(t)
    for coefficient in _COEFFICIENTS:
        series = (series + coefficient) * t
    tail = 0.5 * series * np.exp(-(size**2))
    return np.asarray(np.where(x > 0, 1.0 - tail, tail))
