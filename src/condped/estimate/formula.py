"""Theorem 4.2 and its neighbours: arrays in, arrays out.

Shapes: R regimes of all parameters together, T target sets, P parameters.
"""

from __future__ import annotations

import numpy as np

from condped.arrays import FloatArray, IntArray


def pearson(target: FloatArray, reference: FloatArray) -> FloatArray:
    """Return the Pearson divergence Σ q (p/q − 1)² of each row; (…, cells) in, (…) out."""
    return np.asarray((reference * (target / reference - 1.0) ** 2).sum(axis=-1))


def kappa_squared(target_sizes: IntArray, region_size: int) -> FloatArray:
    """Return (T,): κ² with κ = |target set| / |region set| as counted, for γ'/γ."""
    return np.asarray((target_sizes / region_size) ** 2)


def shares(trials: IntArray, set_sizes: IntArray | int) -> FloatArray:
    """Return the share of a set that a regime holds; 0 in an empty set."""
    return np.asarray(trials / np.maximum(set_sizes, 1))


def regime_contributions(
    target_shares: FloatArray, region_shares: FloatArray, divergence: FloatArray, kappa2: FloatArray
) -> FloatArray:
    """Return (R, T): what each regime adds to the within-regime variance."""
    # Theorem 4.2: kappa^2 * alpha_i^2 / beta_i * D_i
    return kappa2 * target_shares**2 / region_shares[:, None] * divergence


def inter_contributions(
    target_shares: FloatArray, region_shares: FloatArray, kappa2: FloatArray
) -> FloatArray:
    """Return (R, T): what each regime adds to the variance between regimes."""
    # Pearson divergence of the regimes' shares: kappa^2 * (alpha_i - beta_i)^2 / beta_i
    beta = region_shares[:, None]
    return np.asarray(kappa2 * (target_shares - beta) ** 2 / beta)


def normalised(variance: FloatArray, rest: FloatArray | float = 0.0) -> FloatArray:
    """Return the variances divided by their sum over parameters (last axis); 0 where that is 0.

    ``rest`` is part of the sum, but of no parameter.
    """
    total = variance.sum(axis=-1, keepdims=True) + np.asarray(rest)[..., None]
    return np.asarray(np.divide(variance, total, out=np.zeros_like(variance), where=total > 0))


def eta_squared(variance: FloatArray, target_sizes: IntArray, region_size: int) -> FloatArray:
    """Return (T, P): the share of the variance of "reaches the target set" that is explained."""
    kappa = (target_sizes / max(region_size, 1))[:, None]
    # Membership is a 0/1 variable: its variance is kappa * (1 - kappa).
    spread = np.broadcast_to(kappa * (1.0 - kappa), variance.shape)
    return np.divide(variance, spread, out=np.zeros_like(variance), where=spread > 0)
