"""The calibrated estimator: from counts by rank to variances without bias and p-values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from condped.arrays import FloatArray
from condped.count.counts import RankedCounts, RankedStudy, StudyCounts, is_ordered
from condped.estimate.estimator import (
    Estimate,
    inter_variance,
    nothing_estimated,
    per_parameter,
    regime_sizes,
)
from condped.estimate.formula import kappa_squared, shares
from condped.estimate.independence_test import Deviation, adjusted, deviation, no_deviation
from condped.estimate.leave_one_out import excess, neighbourhood

# Shares of Scott's bandwidth: the estimator looks closely, the test gathers more.
NEAR, _FAR = 0.25, 0.5
FALSE_DISCOVERIES = 0.1  # of Benjamini and Hochberg, among what is said to matter


def calibrated_estimate(counts: StudyCounts, p_values: FloatArray) -> Estimate:
    """Return variances that are 0 on average where membership is random, gated by the test.

    ``counts`` are by rank. A parameter that does not pass the test at its place among all others
    has none.
    """
    regimes, owner, target_trials, region_trials = regime_sizes(counts)
    if not regimes:
        return nothing_estimated(counts)
    thresholds, parameters = len(counts.target_sizes), len(counts.parameters)
    contribution = np.zeros((len(regimes), thresholds))
    for place, regime in enumerate(regimes):
        kernel = neighbourhood(
            len(regime.region), int(region_trials[place]), NEAR, ordered=is_ordered(regime.domain)
        )
        if len(regime.region) > 1:
            contribution[place] = excess(regime.region, regime.target, kernel)
    contribution /= max(counts.region_size, 1)
    # Clipped as a whole: what one regime lacks another may make up for.
    within = np.maximum(per_parameter(contribution, owner, parameters), 0.0)
    within = np.where(adjusted(p_values) <= FALSE_DISCOVERIES, within, 0.0)
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
    )


Deviations = Sequence[Sequence[Deviation]]  # of each regime of each parameter


def deviations(study: RankedStudy) -> Deviations:
    """Compare the target sets with their regions in every regime: what all p-values come from."""
    target_sets = len(study.counts.target_sizes)
    return [[_deviation(regime, target_sets) for regime in regimes] for regimes in study.blocks]


def parameter_p_values(found: Deviations, target_sets: int) -> FloatArray:
    """Return (T, P): how often chance alone gives as much as each parameter shows."""
    p_values = [sum(regimes, no_deviation(target_sets)).p_value for regimes in found]
    return np.array(p_values).reshape(len(found), target_sets).T


def regime_p_values(found: Deviations, p_values: FloatArray) -> list[list[FloatArray]]:
    """Return the same, (T,), for each regime of each parameter."""
    return [
        # By itself a parameter's only regime shows what the parameter shows.
        [p_values[:, place]] if len(regimes) == 1 else [regime.p_value for regime in regimes]
        for place, regimes in enumerate(found)
    ]


def _deviation(regime: RankedCounts, target_sets: int) -> Deviation:
    """Return the deviation in one regime, each stretch of time compared with itself."""
    cells = regime.region.shape[1]
    if cells < 2:
        return no_deviation(target_sets)
    kernel = neighbourhood(cells, int(regime.region.sum()), _FAR, ordered=regime.ordered)
    return deviation(regime.region, regime.target, kernel)
