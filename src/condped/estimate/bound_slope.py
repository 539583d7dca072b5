"""A test of whether objectives still improve at a bound, other parameters being equal.

The normal scores of the losses are regressed on the distance from the bound, its square, and
whatever else may explain them. Given the values that were tried, it does not matter how a sampler
came to try them, so the test needs no model of the sampler.
"""

from __future__ import annotations

import math

import numpy as np

from condped.arrays import FloatArray, IntArray

_FEWEST = 15  # trials
_SPARE = 10  # trials beyond the coefficients
_MOST_OTHERS = 1 / 3  # coefficients of other columns, as a share of the trials
_DEPENDENT = 1e-9  # of the largest singular value


def bound_slope_p_value(place: FloatArray, losses: FloatArray, others: FloatArray) -> float:
    """Return the one-sided p-value of losses falling towards the bound, at the bound.

    Parameters
    ----------
    place
        (trials,): from 0 at the far bound to 1 at the bound in question.
    losses
        (trials,): only their order matters; lower is better.
    others
        (trials, columns): what else may explain the losses. Of too many columns, those most
        correlated with the losses are used.

    Returns
    -------
    1 if there are too few trials.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> place, other = rng.random((2, 100))
    >>> bound_slope_p_value(place, (place - 1.3) ** 2 + other, other[:, None]) < 1e-6
    True
    >>> bound_slope_p_value(place, (place - 0.7) ** 2 + other, other[:, None]) > 0.9
    True
    """
    trials = len(place)
    if trials < _FEWEST or np.ptp(place) == 0.0 or np.ptp(losses) == 0.0:
        return 1.0
    scores = normal_scores(losses)
    distance = place - 1.0
    own = [distance, np.ones(trials)]
    if len(np.unique(place)) > 2:
        own.append(distance**2)
    most = most_others(trials)
    if others.shape[1] > most:
        others = others[:, np.sort(strongest(others, losses)[:most])]
    columns = np.column_stack([*own, others])
    left, sizes, right = np.linalg.svd(columns, full_matrices=False)
    solid = sizes > _DEPENDENT * sizes[0]
    left, sizes, right = left[:, solid], sizes[solid], right[solid]
    freedom = trials - len(sizes)
    # The slope at the bound is estimable only if its unit vector lies in the row space.
    if freedom < _SPARE or (right[:, 0] ** 2).sum() < 1.0 - 1e-6:
        return 1.0
    fitted = left.T @ scores
    slope = float(right[:, 0] @ (fitted / sizes))
    residual = scores - left @ fitted
    spread = float(residual @ residual) / freedom * float(((right[:, 0] / sizes) ** 2).sum())
    if spread <= 0.0:
        return 0.0 if slope < 0.0 else 1.0
    return student_cdf(slope / math.sqrt(spread), freedom)


def normal_scores(losses: FloatArray) -> FloatArray:
    """Return the normal quantiles of the ranks, the mean rank for ties."""
    _, places, counts = np.unique(losses, return_inverse=True, return_counts=True)
    middles = np.cumsum(counts) - counts / 2
    return _normal_quantile(middles[places] / len(losses))


def most_others(trials: int) -> int:
    """Return how many other columns can be used."""
    return int(trials * _MOST_OTHERS)


def strongest(others: FloatArray, losses: FloatArray) -> IntArray:
    """Return the places of the columns, those most correlated with the losses first."""
    scores = normal_scores(losses)
    centred = others - others.mean(axis=0)
    lengths = np.sqrt((centred**2).sum(axis=0))
    strength = np.abs(centred.T @ scores) / np.where(lengths > 0.0, lengths, np.inf)
    return np.argsort(-strength, kind="stable")


def student_cdf(t: float, freedom: int) -> float:
    """Return P(T ≤ t) of Student's distribution, by Wallace's transformation to a normal one.

    Examples
    --------
    >>> round(student_cdf(-2.228, 10), 3)
    0.025
    """
    size = math.sqrt(freedom * math.log1p(t * t / freedom)) * (8 * freedom + 1) / (8 * freedom + 3)
    return 0.5 * math.erfc(math.copysign(size, -t) / math.sqrt(2.0))


def _normal_quantile(shares: FloatArray) -> FloatArray:
    """Return standard normal quantiles, to 0.0005 (26.2.23 of Abramowitz and Stegun)."""
    tail = np.minimum(shares, 1.0 - shares)
    t = np.sqrt(-2.0 * np.log(tail))
    above = 2.515517 + t * (0.802853 + t * 0.010328)
    below = 1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))
    return np.asarray(np.copysign(t - above / below, shares - 0.5))
