"""Numbers of several studies, each with its error: their mean, their spread, which one is odd."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from condped.arrays import FloatArray, IntArray
from condped.estimate.statistics.gamma_distribution import tail_at
from condped.estimate.statistics.student_distribution import student_quantile, student_tail

# Of what parameters without an effect seem to explain: 1.0, with a tail like that of 1.2, on the
# problems of docs/trust/statistics.md.
_SKEWNESS = 1.2
# Errors are on the safe side for tests: there, the true ones were as low as this share of them. The
# upper end of a spread allows for it, since errors that are too large hide spread.
_LOWEST_ERRORS = 0.7
_NEARLY_NONE = 0.05
# From this many studies on, their own spread shows how far apart studies lie that are not odd.
MANY_STUDIES = 7


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
    deviation, low, high
        The standard deviation between studies that their errors do not explain, and an interval.
    p_value
        How often studies that do not differ lie as far apart by chance; NaN for a single one, and
        without errors.
    """

    deviation: float
    low: float
    high: float
    p_value: float


def errors_if_alike(sampling: FloatArray, chance: FloatArray, trials: IntArray) -> FloatArray:
    """Return (K,) standard errors of studies that share one true value.

    Parameters
    ----------
    sampling
        (K,): variances in proportion to 1 / trials, each estimated from few numbers, so that some
        are below 0. Their mean is used: it is less noisy, and unlike each study's own does not
        depend on which study happens to have the largest value.
    chance
        (K,): variances that are known.
    trials
        (K,): how many each study has.
    """
    shared = max(float((sampling * trials).mean()), 0.0) if len(trials) else 0.0
    return np.sqrt(shared / trials + chance)


def mean_of(values: FloatArray, errors: FloatArray, level: float) -> Mean:
    """Return the unweighted mean, with an interval for other studies like these.

    Weights by precision would favour studies in which a number is small, since its error is small
    there, too. The typical error of one study is added to Student's interval, in quadrature: the
    bias of an estimator with so many trials is common to all studies, and more of them do not help.
    On the problems of docs/trust/statistics.md it is up to three quarters of an error.

    Examples
    --------
    >>> found = mean_of(np.array([0.2, 0.3, 0.4]), np.zeros(3), 0.9)
    >>> round(found.value, 3), round(found.low, 3), round(found.high, 3)
    (0.3, 0.131, 0.469)
    """
    studies, value, share = len(values), float(values.mean()), 0.5 + level / 2
    own = float(errors.mean())
    if studies == 1:
        reach = student_quantile(share, math.inf) * own
    else:
        between = float(values.std(ddof=1)) / math.sqrt(studies)
        reach = math.hypot(student_quantile(share, studies - 1) * between, own)
    return Mean(value, value - reach, value + reach)


def spread_of(values: FloatArray, errors: FloatArray, level: float = 0.9) -> Spread:
    """Return the spread between studies (Paule and Mandel) and Cochran's test of it.

    Cochran's Q with the spread added to the errors is distributed as χ², so the spread that makes
    it equal to the mean or a quantile is an estimate or the end of an interval (Viechtbauer's
    Q-profile).

    Examples
    --------
    >>> spread_of(np.array([0.1, 0.9]), np.array([0.1, 0.1])).p_value < 1e-6
    True
    >>> spread_of(np.array([0.5, 0.5]), np.array([0.1, 0.1])).p_value
    1.0

    An error of 0 is one that could not be estimated: nothing is said then.
    """
    freedom = len(values) - 1
    if freedom < 1 or not (errors > 0).all():
        return Spread(0.0, 0.0, math.nan, math.nan)
    low, high = (
        _chi_square_quantile(share, freedom) for share in (0.5 + level / 2, 0.5 - level / 2)
    )
    return Spread(
        _spread_with(values, errors, float(freedom)),
        _spread_with(values, errors, low),
        _spread_with(values, _LOWEST_ERRORS * errors, high),
        _chi_square_tail(_cochran(values, errors, 0.0), freedom),
    )


def _cochran(values: FloatArray, errors: FloatArray, deviation: float) -> float:
    """Return Cochran's Q of studies that also differ by this standard deviation."""
    weights = 1.0 / (errors**2 + deviation**2)
    middle = (weights * values).sum() / weights.sum()
    return float((weights * (values - middle) ** 2).sum())


def _spread_with(values: FloatArray, errors: FloatArray, q: float) -> float:
    """Return the standard deviation between studies that gives Q this value; 0 if none does."""
    if _cochran(values, errors, 0.0) <= q:
        return 0.0
    low, high = 0.0, 1.0
    while _cochran(values, errors, high) > q:
        high *= 2
    return _bisect(lambda deviation: _cochran(values, errors, deviation) > q, low, high)


def _chi_square_tail(value: float, freedom: int) -> float:
    return tail_at(value, float(freedom), 2.0 * freedom)


@cache
def _chi_square_quantile(share: float, freedom: int) -> float:
    high = 10.0 * freedom + 100.0
    return _bisect(lambda value: _chi_square_tail(value, freedom) > 1.0 - share, 0.0, high)


def _bisect(below: Callable[[float], bool], low: float, high: float) -> float:
    """Return the number up to which ``below`` holds."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return (low + high) / 2


def odd_p_values(values: FloatArray, errors: FloatArray, chance: FloatArray) -> FloatArray:
    """Return for each study the p-value of its distance from all others.

    By the errors, and by how far the others lie apart (Student's, of one more like them), which may
    be further than errors explain: the larger p-value counts. NaN for fewer than three studies.
    ``chance`` is the part of the error variances that is due to chance alone, which is skewed.
    """
    studies = len(values)
    if studies < 3:
        return np.full(studies, np.nan)
    others = studies - 1
    # Of the others of each study: means of values and of error variances, and variances of values.
    mean = (values.sum() - values) / others
    known = ((errors**2).sum() - errors**2) / others
    squares = ((values - values.mean()) ** 2).sum()
    scattered = (squares - (values - mean) ** 2 * others / studies) / (others - 1)
    apart = values - mean
    by_errors = errors**2 + known / others
    larger_error = np.maximum(errors**2 - known, 0.0)
    by_others = np.maximum(scattered, 0.0) * (1 + 1 / others) + larger_error
    return np.array(
        [
            max(
                skew_tail(far, first, random),
                skew_tail(far, second, random),
                student_tail(far / math.sqrt(second) if second > 0 else 0.0, others - 1),
            )
            for far, first, second, random in zip(
                *(part.tolist() for part in (apart, by_errors, by_others, chance)), strict=True
            )
        ]
    )


def unlike_every_other(
    values: FloatArray, sampling: FloatArray, chance: FloatArray, trials: IntArray
) -> FloatArray:
    """Return the p-value of the study that is most unlike every other of a few; NaN for the rest.

    The largest p-value of its comparisons by pairs; 1 if it is no further from the nearest other
    study than the others are from each other. Since it has to differ from all, a study is named by
    chance as rarely as two are found to differ: one test per parameter. Of three, two are always
    closer to each other, which does not show how far apart studies lie, so each of the three counts
    as a test. The arrays are those of :func:`errors_if_alike`.

    Examples
    --------
    >>> unlike_every_other(
    ...     np.array([0.1, 0.2, 0.9]), np.zeros(3), np.full(3, 0.01), np.full(3, 100)
    ... ).round(4).tolist()
    [nan, nan, 0.0003]
    """
    studies = len(values)
    found = np.full(studies, np.nan)
    if studies < 3:
        return found
    largest = np.zeros(studies)
    for one, other in combinations(range(studies), 2):
        pair = np.array([one, other])
        errors = errors_if_alike(sampling[pair], chance[pair], trials[pair])
        higher = pair[np.argmax(values[pair])]
        apart = float(np.ptp(values[pair]))
        p_value = skew_tail(apart, float((errors**2).sum()), float(chance[higher]))
        largest[pair] = np.maximum(largest[pair], p_value)
    odd = int(np.argmin(largest))
    others = np.delete(values, odd)
    far = float(np.abs(others - values[odd]).min()) > float(np.ptp(others))
    tests = studies if studies == 3 else 1
    found[odd] = min(1.0, tests * largest[odd]) if far else 1.0
    return found


def skew_tail(deviation: float, variance: float, chance: float) -> float:
    """Return twice the probability of as much on the same side by chance; 1 without variance.

    What chance adds is a sum of squares less its mean, so its upper tail is that of a gamma
    distribution; the rest of the variance is taken as normal.
    """
    if variance <= 0:
        return 1.0
    place = deviation / math.sqrt(variance)
    skewness = _SKEWNESS * min(chance / variance, 1.0) ** 1.5
    if place <= 0 or skewness < _NEARLY_NONE:
        return student_tail(place, math.inf)
    shape = 4.0 / skewness**2
    return min(1.0, 2.0 * tail_at(shape + place * math.sqrt(shape), shape, shape))


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
