"""From counts to variances, for all parameters and all target sets at once."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, chain

import numpy as np

from condped.arrays import FloatArray, IntArray
from condped.count.counts import RegimeCounts, StudyCounts
from condped.estimate.density import categorical_masses, numeric_masses
from condped.estimate.formula import (
    inter_contributions,
    kappa_squared,
    pearson,
    regime_contributions,
    shares,
)
from condped.estimate.settings import Settings
from condped.space.domain import Categorical

# Added to every mass, so that no ratio divides by zero; the reference's number.
EPSILON = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """Variances of T target sets and P parameters, and the R regimes they are made of."""

    within: FloatArray  # (T, P)
    inter: FloatArray  # (T, P)
    variance: FloatArray  # (T, P): by the requested measure
    owner: IntArray  # (R,): the parameter of each regime
    target_trials: IntArray  # (R, T)
    region_trials: IntArray  # (R,)
    target_shares: FloatArray  # (R, T): alpha
    region_shares: FloatArray  # (R,): beta
    divergence: FloatArray  # (R, T)
    contribution: FloatArray  # (R, T): to the variance, without the inter part
    rest: FloatArray  # (T,): variance that cannot be attributed to a parameter


def estimate(counts: StudyCounts, settings: Settings) -> Estimate:
    """Apply the formulas to the counts."""
    thresholds, parameters = len(counts.target_sizes), len(counts.parameters)
    regimes, owner, target_trials, region_trials = regime_sizes(counts)
    if not regimes:
        return nothing_estimated(counts)
    kappa2 = kappa_squared(counts.target_sizes, counts.region_size)
    alpha = shares(target_trials, counts.target_sizes)
    beta = shares(region_trials, counts.region_size)
    divergence = _divergences(regimes, thresholds, settings)
    # A regime without target trials contributes nothing, whatever its prior says.
    divergence[target_trials == 0] = 0.0

    contribution = regime_contributions(alpha, beta, divergence, kappa2)
    within = per_parameter(contribution, owner, parameters)
    inter = inter_variance(counts, alpha, beta, owner, kappa2)
    if settings.measure == "standard":
        variance = within + inter
    elif settings.measure == "within":
        variance = within
    else:  # the plain sum: kappa^2 * sum_i D_i
        contribution = kappa2 * divergence
        variance = per_parameter(contribution, owner, parameters)
    return Estimate(
        within, inter, variance, owner, target_trials, region_trials, alpha, beta, divergence,
        contribution, np.zeros(thresholds),
    )  # fmt: skip


def regime_sizes(
    counts: StudyCounts,
) -> tuple[list[RegimeCounts], IntArray, IntArray, IntArray]:
    """Return all regimes, (R,) the parameter of each, and their (R, T) and (R,) trials."""
    regimes = list(chain.from_iterable(p.regimes for p in counts.parameters))
    owner = np.repeat(
        np.arange(len(counts.parameters)), [len(p.regimes) for p in counts.parameters]
    )
    if not regimes:
        thresholds = len(counts.target_sizes)
        return [], owner, np.zeros((0, thresholds), dtype=np.int64), np.zeros(0, dtype=np.int64)
    starts = [0, *accumulate(len(regime.region) for regime in regimes[:-1])]
    region = np.concatenate([regime.region for regime in regimes])
    target = np.concatenate([regime.target for regime in regimes], axis=1)
    return (
        regimes,
        owner,
        np.add.reduceat(target, starts, axis=1).T,
        np.add.reduceat(region, starts),
    )


def nothing_estimated(counts: StudyCounts) -> Estimate:
    """Return the estimate of a study in which no regime has enough trials."""
    thresholds, parameters = len(counts.target_sizes), len(counts.parameters)
    none, empty = np.zeros((thresholds, parameters)), np.zeros((0, thresholds))
    _, owner, target_trials, region_trials = regime_sizes(counts)
    return Estimate(
        none, none, none, owner, target_trials, region_trials, empty, np.zeros(0), empty, empty,
        np.zeros(thresholds),
    )  # fmt: skip


def inter_variance(
    counts: StudyCounts, alpha: FloatArray, beta: FloatArray, owner: IntArray, kappa2: FloatArray
) -> FloatArray:
    """Return (T, P): the variance between regimes, including those too small to keep."""
    terms = inter_contributions(alpha, beta, kappa2)
    inter = per_parameter(terms, owner, len(counts.parameters))
    for place, parameter in enumerate(counts.parameters):
        if parameter.dropped_region.size:
            lost_target = shares(parameter.dropped_target.T, counts.target_sizes)
            lost_region = shares(parameter.dropped_region, counts.region_size)
            inter[:, place] += inter_contributions(lost_target, lost_region, kappa2).sum(axis=0)
    return inter


def per_parameter(terms: FloatArray, owner: IntArray, parameters: int) -> FloatArray:
    """Sum (R, T) terms over the regimes of each parameter: (T, P)."""
    sums = np.zeros((parameters, terms.shape[1]))
    np.add.at(sums, owner, terms)
    return sums.T.copy()


def _divergences(regimes: list[RegimeCounts], thresholds: int, settings: Settings) -> FloatArray:
    """Return (R, T): the Pearson divergence of each regime, 0 where nothing can vary."""
    divergence = np.zeros((len(regimes), thresholds))
    alike: dict[tuple[bool, int], list[int]] = {}
    for place, regime in enumerate(regimes):
        if regime.domain is not None and not regime.domain.single:
            kind = (isinstance(regime.domain, Categorical), len(regime.region))
            alike.setdefault(kind, []).append(place)
    # Regimes with the same kind of grid are smoothed together: few calls, whatever their number.
    for (categorical, cells), places in alike.items():
        masses_of = categorical_masses if categorical else numeric_masses
        target = np.concatenate([regimes[place].target for place in places])
        if settings.reference == "region":
            region = np.stack([regimes[place].region for place in places])
            masses = masses_of(np.concatenate([target, region]))
            reference = masses[len(target) :, None, :] + EPSILON
        else:
            masses = masses_of(target)
            reference = np.full((1, 1, cells), 1.0 / cells)
        targets = masses[: len(target)].reshape(len(places), thresholds, cells) + EPSILON
        divergence[places] = pearson(targets, reference)
    return divergence
