"""Numbers of several studies, each with its error: their mean, their spread, which one is odd."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from condped.arrays import FloatArray
from condped.estimate.statistics.gamma_distribution import upper_tail
from condped.estimate.statistics.student_distribution import student_quantile, student_tail

_AT_A_TIME = 256  # studies


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean over studies like these, and an interval around it."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Spread:
    """How far studies lie apart beyond chance.

    Attributes
    ----------
    deviation
        The estimated standard deviation between studies that their errors do not explain.
    p_value
        How often studies that do not differ lie as far apart by chance; NaN for a single one.
    """

    deviation: float
    p_value: float


def mean_of(values: FloatArray, errors: FloatArray, level: float) -> Mean:
    """Return the mean, every study counting alike, with an interval for other studies like these.

    Weights by precision would favour studies in which a number is small, since its error is small
    there, too. The interval is Student's, and never below what the errors alone give.

    Examples
    --------
    >>> found = mean_of(np.array([0.2, 0.3, 0.4]), np.zeros(3), 0.9)
    >>> round(found.value, 3), round(found.low, 3), round(found.high, 3)
    (0.3, 0.131, 0.469)
    """
    studies, value = len(values), float(values.mean())
    share = 0.5 + level / 2
    reach = student_quantile(share, math.inf) * math.sqrt(float((errors**2).sum())) / studies
    if studies > 1:
        between = float(values.std(ddof=1)) / math.sqrt(studies)
        reach = max(reach, student_quantile(share, studies - 1) * between)
    return Mean(value, value - reach, value + reach)


def spread_of(values: FloatArray, errors: FloatArray) -> Spread:
    """Return the spread between studies (DerSimonian and Laird) and Cochran's test of it.

    Examples
    --------
    >>> spread_of(np.array([0.1, 0.9]), np.array([0.1, 0.1])).p_value < 1e-6
    True
    >>> spread_of(np.array([0.5, 0.5]), np.array([0.1, 0.1]))
    Spread(deviation=0.0, p_value=1.0)
    """
    studies = len(values)
    if studies < 2:
        return Spread(0.0, math.nan)
    if not (errors > 0).all():
        alike = bool(np.ptp(values) == 0)
        return Spread(0.0, 1.0 if alike else math.nan)
    weights = errors**-2.0
    middle = float((weights * values).sum() / weights.sum())
    statistic = float((weights * (values - middle) ** 2).sum())
    freedom = studies - 1
    scale = float(weights.sum() - (weights**2).sum() / weights.sum())
    tail = upper_tail(np.array(statistic), np.array(float(freedom)), np.array(2.0 * freedom))
    return Spread(math.sqrt(max(0.0, (statistic - freedom) / scale)), float(tail))


def odd_p_values(values: FloatArray, errors: FloatArray) -> FloatArray:
    """Return for each study how often it lies as far from all others by chance.

    The others' own spread counts as chance. NaN where fewer than three studies can tell.
    """
    studies = len(values)
    found = np.full(studies, np.nan)
    if studies < 3 or not (errors > 0).all():
        return found
    spreads = _spreads_of_others(values, errors)
    rest = studies - 1
    # Of the mean of the others, and of one more study like them.
    variances = ((errors**2).sum() - errors**2) / rest**2 + spreads * (1 + 1 / rest) + errors**2
    apart = (values - (values.sum() - values) / rest) / np.sqrt(variances)
    for place, (distance, spread) in enumerate(zip(apart.tolist(), spreads.tolist(), strict=True)):
        found[place] = student_tail(distance, studies - 2 if spread > 0 else math.inf)
    return found


def _spreads_of_others(values: FloatArray, errors: FloatArray) -> FloatArray:
    """Return for each study the variance between all others (DerSimonian and Laird)."""
    weights, studies = errors**-2.0, len(values)
    found = np.empty(studies)
    for start in range(0, studies, _AT_A_TIME):
        # Summed anew for each: taken out of a sum, a study with a tiny error would leave rounding.
        own = np.arange(start, min(start + _AT_A_TIME, studies))
        others = np.where(own[:, None] == np.arange(studies), 0.0, weights)
        total = others.sum(axis=1)
        middle = others @ values / total
        statistic = (others * (values - middle[:, None]) ** 2).sum(axis=1)
        scale = total - (others**2).sum(axis=1) / total
        found[own] = np.maximum(0.0, (statistic - (studies - 2)) / scale)
    return found


def holm(p_values: FloatArray) -> FloatArray:
    """Return p-values adjusted so that the chance of any false alarm is bounded; NaN stays.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03, np.nan])).tolist()
    [0.03, 0.06, 0.06, nan]
    """
    adjusted = np.full(p_values.shape, np.nan)
    tested = np.flatnonzero(np.isfinite(p_values))
    order = tested[np.argsort(p_values[tested], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(p_values[order] * factors), 1.0)
    return adjusted
