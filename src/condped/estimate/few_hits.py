"""The exact p-value of the independence test for one or two hits, which a gamma is too far from.

A single hit has as many places as there are trials, so no p-value may be smaller than one in so
many; the gamma's tail takes no account of that.
"""

from __future__ import annotations

import numpy as np

from condped.arrays import FloatArray, IntArray

FEW = 2  # hits, or misses, of all strata together
_MOST = 50_000  # ways to place them
_SAME = 1e-9  # relative difference of statistics that are the same


def exact_p_value(
    region: IntArray, target: IntArray, form: FloatArray, statistic: float
) -> float | None:
    """Return how often random membership gives such a statistic; None if there are too many ways.

    Parameters
    ----------
    region, target
        (strata, cells): trials, and those that are hits.
    form
        (cells, cells): the statistic's quadratic form.
    """
    trials, hits = region.sum(axis=1), target.sum(axis=1)
    # Hits and misses deviate by the same, in opposite directions: the fewer are placed.
    fewer = np.minimum(hits, trials - hits)
    if not 0 < fewer.sum() <= FEW:
        return None
    strata = np.flatnonzero(fewer)
    sign = np.where(hits <= trials - hits, 1.0, -1.0)[strata]
    expected = (sign * fewer[strata] / trials[strata]) @ region[strata]
    first = np.flatnonzero(region[strata[0]])
    second = np.flatnonzero(region[strata[-1]])
    if len(first) * (len(second) if fewer.sum() == 2 else 1) > _MOST:
        return None
    counts, others = region[strata[0], first], region[strata[-1], second]
    linear = form @ expected
    constant = expected @ linear
    own = np.diagonal(form) - 2.0 * sign[0] * linear
    if fewer.sum() == 1:
        found, weight = own[first] + constant, counts
    else:
        other = np.diagonal(form) - 2.0 * sign[-1] * linear
        found = own[first][:, None] + other[second] + constant
        found += 2.0 * sign[0] * sign[-1] * form[np.ix_(first, second)]
        weight = np.outer(counts, others)
        if len(strata) == 1:  # two of the same trials, without replacement
            weight -= np.diag(counts)
    extreme = found >= statistic * (1.0 - _SAME)
    return float(weight[extreme].sum() / weight.sum())
