"""The calibrated estimator: from counts by rank to variances without bias and p-values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from condped.arrays import BoolArray, FloatArray
from condped.count.counts import RankedStudy, StudyCounts, is_ordered
from condped.estimate.estimator import (
    Estimate,
    inter_variance,
    nothing_estimated,
    per_parameter,
    regime_sizes,
)
from condped.estimate.formula import kappa_squared, shares
from condped.estimate.independence_test import (
    CellTable,
    Deviation,
    adjusted,
    deviations,
    kernel_of_test,
    no_deviation,
)
from condped.estimate.leave_one_out import twiced_excess

FALSE_DISCOVERIES = 0.1  # of Benjamini and Hochberg, among parameters that matter
# Among parameters with an importance. An estimate loses more by leaving out a real effect than by
# giving a small share to none; a verdict is a claim, and stricter.
_FALSE_ESTIMATES = 0.25


def calibrated_estimate(
    counts: StudyCounts, p_values: FloatArray, bias: FloatArray | None = None
) -> Estimate:
    """Return variances that are 0 on average where membership is random, gated by the test.

    Parameters
    ----------
    counts
        By rank.
    p_values
        (T, P): NaN where a parameter could not be tested. Parameters that do not pass have no
        variance of their own; what they seem to explain is the rest.
    bias
        (R, T): each regime's contribution to the variance due to the sampler alone, which is
        subtracted; None: nothing.
    """
    regimes, owner, target_trials, region_trials = regime_sizes(counts)
    if not regimes:
        return nothing_estimated(counts)
    thresholds, parameters = len(counts.target_sizes), len(counts.parameters)
    contribution = np.zeros((len(regimes), thresholds))
    groups: dict[tuple[bool, int, int], list[int]] = {}  # that can be smoothed together
    for place, regime in enumerate(regimes):
        if len(regime.region) > 1:
            alike = is_ordered(regime.domain), len(regime.region), int(region_trials[place])
            groups.setdefault(alike, []).append(place)
    for (ordered, _, trials), places in groups.items():
        region, target = (
            np.array([getattr(regimes[place], of) for place in places])
            for of in ("region", "target")
        )
        contribution[places] = twiced_excess(region, target, trials, ordered=ordered)
    contribution /= max(counts.region_size, 1)
    if bias is not None:
        contribution -= bias
    # Clipped per parameter: its regimes may offset each other.
    every = per_parameter(contribution, owner, parameters)
    # A sampler that learns amplifies what passes by chance: there only what matters is included.
    included = passes(p_values) if bias is None else adjusted(p_values) <= FALSE_DISCOVERIES
    within = np.where(included, np.maximum(every, 0.0), 0.0)
    # Chance adds as much as it takes away: the sum is unbiased, however many have no effect.
    rest = np.maximum(every.sum(axis=1) - within.sum(axis=1), 0.0)
    kappa2 = kappa_squared(counts.target_sizes, max(counts.region_size, 1))
    alpha = shares(target_trials, counts.target_sizes)
    beta = shares(region_trials, counts.region_size)
    inter = inter_variance(counts, alpha, beta, owner, kappa2)
    weights = kappa2 * alpha**2 / beta[:, None]
    return Estimate(
        within=within,
        inter=inter,
        variance=within,
        owner=owner,
        target_trials=target_trials,
        region_trials=region_trials,
        target_shares=alpha,
        region_shares=beta,
        divergence=np.divide(
            contribution, weights, out=np.zeros_like(contribution), where=weights > 0
        ),
        contribution=contribution,
        rest=rest,
    )


def passes(p_values: FloatArray) -> BoolArray:
    """Return which parameters, along the last axis, get an importance.

    Storey's q-values: those of Benjamini and Hochberg times the estimated share of parameters
    without an effect. NaN (not tested) neither counts nor passes.

    Examples
    --------
    >>> passes(np.array([0.01, 0.2, 0.3, 0.9])).tolist()
    [True, False, False, False]
    >>> passes(np.array([0.01, 0.02, 0.2, 0.3, np.nan])).tolist()
    [True, True, True, True, False]
    """
    tested = np.isfinite(p_values)
    number = np.maximum(tested.sum(axis=-1, keepdims=True), 1)
    # Above 0.5, hardly any have an effect.
    above = (tested & (p_values > 0.5)).sum(axis=-1, keepdims=True)
    null_share = np.minimum((1 + above) / (0.5 * number), 1.0)
    order = np.argsort(p_values, axis=-1)  # NaN last
    ascending = np.take_along_axis(np.where(tested, p_values, np.inf), order, axis=-1)
    q_values = null_share * number * ascending / np.arange(1, p_values.shape[-1] + 1)
    lowest = np.minimum.accumulate(q_values[..., ::-1], axis=-1)[..., ::-1]
    found = np.zeros(p_values.shape, dtype=bool)
    np.put_along_axis(found, order, lowest <= _FALSE_ESTIMATES, axis=-1)
    return found


Deviations = Sequence[Sequence[Deviation]]  # of each regime of each parameter


def regime_deviations(study: RankedStudy) -> Deviations:
    """Compare the target sets with their regions in every regime; all p-values come from this.

    Trials are compared within blocks of time.
    """
    tables = [
        CellTable(
            regime.region,
            regime.target,
            kernel_of_test(
                regime.region.shape[1], int(regime.region.sum()), ordered=regime.ordered
            ),
        )
        for regimes in study.blocks
        for regime in regimes
    ]
    found = iter(deviations(tables))
    return [[next(found) for _ in regimes] for regimes in study.blocks]


def parameter_p_values(found: Deviations, target_sets: int) -> FloatArray:
    """Return (T, P): the p-value of each parameter."""
    return _p_values([sum(regimes, no_deviation(target_sets)) for regimes in found], target_sets).T


def regime_p_values(found: Deviations, p_values: FloatArray) -> list[list[FloatArray]]:
    """Return (T,) p-values for each regime of each parameter."""
    several = [regime for regimes in found if len(regimes) > 1 for regime in regimes]
    each = iter(_p_values(several, len(p_values)))
    return [
        # A parameter's only regime has the parameter's p-values.
        [p_values[:, place]] if len(regimes) == 1 else [next(each) for _ in regimes]
        for place, regimes in enumerate(found)
    ]


def _p_values(found: Sequence[Deviation], target_sets: int) -> FloatArray:
    """Return (deviations, T) p-values, all at once."""
    parts = (
        np.array([getattr(one, of) for one in found]).reshape(-1, target_sets)
        for of in ("statistic", "mean", "variance", "exact")
    )
    return Deviation(*parts).p_value
