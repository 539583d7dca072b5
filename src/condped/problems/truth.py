"""The exact importances of a problem, from its distribution rather than from trials."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from condped.arrays import FloatArray
from condped.errors import SettingsError
from condped.estimate.formula import normalised
from condped.estimate.settings import Measure
from condped.safe_text import brief


@dataclass(frozen=True, slots=True)
class Truth:
    """Exact variances at one pair of quantiles.

    Attributes
    ----------
    names
        The parameters.
    within, inter
        (parameters,): the variance within the regimes of each, and between them.
    unweighted
        (parameters,): κ² Σ Dᵢ, without the regimes' weights: the paper's second ablation.
    kappa
        κ = γ' / γ.

    Examples
    --------
    >>> import condped
    >>> truth = condped.problems.get("nested").truth(target_quantile=0.2)
    >>> max(truth.to_dict(), key=truth.to_dict().get)
    'x'
    """

    names: tuple[str, ...]
    within: FloatArray
    inter: FloatArray
    unweighted: FloatArray
    kappa: float

    def variance(self, measure: Measure = "within") -> FloatArray:
        """Return (parameters,): the exact variances by a measure."""
        if measure == "within":
            return self.within
        if measure == "standard":
            return np.asarray(self.within + self.inter)
        if measure == "unweighted":
            return self.unweighted
        raise SettingsError(
            "The exact truth is known for the measures within, standard and unweighted "
            f"(got {brief(measure)})."
        )

    def to_dict(self, *, normalize: bool = True, measure: Measure = "within") -> dict[str, float]:
        """Return name → exact importance, or name → exact variance, by a measure."""
        values = self.variance(measure)
        values = normalised(values) if normalize else values
        return dict(zip(self.names, values.tolist(), strict=True))

    @property
    def eta_squared(self) -> dict[str, float]:
        """Name → share of the variance of "reaches the target set" that it explains."""
        shares = self.within / (self.kappa * (1 - self.kappa))
        return dict(zip(self.names, shares.tolist(), strict=True))


def branch_shares(
    weights: FloatArray, cdf: Callable[[float], FloatArray], t_target: float, t_region: float
) -> tuple[FloatArray, FloatArray]:
    """Return each branch's share β of the region and its chance q of reaching the target.

    ``cdf`` gives, for a loss, each branch's chance of being at or below it.
    """
    in_region = cdf(t_region)
    share = weights * in_region
    chance = np.divide(cdf(t_target), in_region, out=np.zeros_like(share), where=in_region > 0)
    return share / share.sum(), chance


def spread(share: FloatArray, chance: FloatArray, groups: list[list[int]]) -> float:
    """Return the variance between groups of branches: Σ β_g q_g² minus that of their union."""
    total, mass, reach = 0.0, 0.0, 0.0
    for group in groups:
        beta = float(share[group].sum())
        if beta > 0:
            hit = float((share[group] * chance[group]).sum())
            total, mass, reach = total + hit * hit / beta, mass + beta, reach + hit
    return max(0.0, total - (reach * reach / mass if mass > 0 else 0.0))


def without_shares(
    variance: float, share: FloatArray, chance: FloatArray, branches: list[int]
) -> float:
    """Return κ² D of a regime from κ² α²/β D, what it adds to the variance within regimes."""
    hit = float((share[branches] * chance[branches]).sum())  # kappa * alpha
    if hit <= 0:
        return 0.0  # no target trials: the regime contributes nothing
    kappa, beta = float((share * chance).sum()), float(share[branches].sum())
    return variance * beta * (kappa / hit) ** 2
