"""Numbers of T target sets and P parameters, estimated from counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from condped.analyse.importance.account import Account
from condped.analyse.importance.set_counts import SetCounts
from condped.arrays import BoolArray, FloatArray, IntArray
from condped.count.counts import StudyCounts
from condped.estimate.calibrated_estimator import calibrated_estimate
from condped.estimate.estimator import Estimate, estimate
from condped.estimate.formula import eta_squared, normalised
from condped.estimate.settings import Settings

_SIGNIFICANT = 0.05
_HAD = {  # verbs by outcome
    "failed": "failed",
    "pruned": "were pruned",
    "nonfinite": "had an objective that is not finite",
    "infeasible": "were infeasible",
}
Reasons = tuple[str | None, ...]  # (T,): why the importances are undetermined; None if they are not


@dataclass(frozen=True, slots=True, eq=False)
class ImportanceEstimates:
    """The numbers that every result is made from, whatever the method."""

    names: tuple[str, ...]
    importance: FloatArray  # (T, P): normalised; 0 where undetermined
    unattributed: FloatArray  # (T,): share that no parameter gets, so that all sum to 1
    variance: FloatArray  # (T, P)
    eta_squared: FloatArray  # (T, P): 0 where undetermined; NaN if the method has none
    within: FloatArray  # (T, P)
    inter: FloatArray  # (T, P)
    target_sizes: IntArray  # (T,)
    reasons: Reasons

    @property
    def determined(self) -> BoolArray:
        """(T,): where the importances are determined."""
        return np.array([reason is None for reason in self.reasons], dtype=bool)


def shared_out(
    variance: FloatArray, reasons: Reasons, rest: FloatArray | float = 0.0
) -> dict[str, FloatArray]:
    """Return (T, P) importances, and (T,) what is unattributed; 0 where undetermined.

    Together they sum to 1.
    """
    known = np.array([reason is None for reason in reasons])
    shares = np.where(known[:, None], normalised(variance, rest), 0.0)
    whole = variance.sum(axis=-1) + rest
    left = np.divide(rest, whole, out=np.zeros_like(whole), where=known & (whole > 0))
    return {"importance": shares, "unattributed": left}


def numbers_of(
    found: Estimate, counts: StudyCounts, settings: Settings, account: Account, *, all_equal: bool
) -> ImportanceEstimates:
    """Return an estimate as importances, with reasons where they are undetermined."""
    reasons = _reasons(found, counts, settings, account, all_equal=all_equal)
    known = np.array([[reason is None] for reason in reasons])
    explained = eta_squared(found.variance, counts.target_sizes, counts.region_size)
    return ImportanceEstimates(
        names=tuple(parameter.name for parameter in counts.parameters),
        **shared_out(found.variance, reasons, found.rest),
        variance=found.variance,
        eta_squared=np.where(known, explained, 0.0),
        within=found.within,
        inter=found.inter,
        target_sizes=counts.target_sizes,
        reasons=reasons,
    )


def estimated(counts: SetCounts, settings: Settings, pooled: Sequence[str]) -> Estimate:
    """Return the estimate by the requested method; for ``pooled`` parameters the higher of two.

    Raw values show the effect of a value, unit values that of its place between moving bounds. A
    pooled parameter without a significant effect gets 0: what it shows may be due to its bounds.
    """
    raw = _estimate(counts, settings, unit=False)
    if not pooled:
        return raw
    unit = _estimate(counts, settings, unit=True)
    parameters = counts.by(settings.method).parameters
    places = [place for place, one in enumerate(parameters) if one.name in pooled]
    real = counts.p_values[:, places] <= _SIGNIFICANT
    within = raw.within.copy()
    higher = np.maximum(within[:, places], unit.within[:, places])
    within[:, places] = np.where(real, higher, 0.0)
    # Regimes keep their proportions; the variance between regimes stays as it is.
    scale = np.divide(within, raw.within, out=np.zeros_like(within), where=raw.within > 0)
    return replace(
        raw,
        within=within,
        variance=within + (raw.variance - raw.within),
        contribution=raw.contribution * scale.T[raw.owner],
    )


def _estimate(counts: SetCounts, settings: Settings, *, unit: bool) -> Estimate:
    own = counts.by(settings.method, unit=unit)
    if settings.method == "calibrated":
        return calibrated_estimate(own, counts.p_values, counts.bias)
    return estimate(own, settings)


def _reasons(
    found: Estimate, counts: StudyCounts, settings: Settings, account: Account, *, all_equal: bool
) -> Reasons:
    """Return for each target set why the importances are undetermined; None if they are not."""
    trials, sizes = account.trials, counts.target_sizes
    equal = f"all {trials.used} trials have the same objective."
    if account.outcome is not None:
        share = "none" if not sizes[0] else "all"
        had = _HAD.get(account.outcome, "had the outcome")
        equal = f"{share} of the {trials.used} trials that count {had}."
    left_out = f"{trials.left_out} of {trials.total} left out"
    # In order: an earlier reason explains the later ones.
    everywhere = (
        (not trials.total, "there are no trials yet."),
        (trials.used == 0, f"there is no trial to learn from ({left_out})."),
        (trials.used == 1, f"there is only one trial to learn from ({left_out})."),
        (not counts.parameters, "there are no parameters."),
        (all_equal, equal),
        (not _varies(counts), "no parameter takes different values in the region set."),
    )
    for applies, reason in everywhere:
        if applies:
            return (reason,) * len(sizes)
    same = (
        f"the target set and the region set are the same {counts.region_size} trials. "
        "Lower target_quantile, or gather more trials with different objectives."
    )
    nothing = "no parameter has values that differ between the target set and the region set."
    if settings.method == "calibrated":
        nothing = "there is no evidence of an effect of any parameter."
    return tuple(
        same if size == counts.region_size else None if variance.any() else nothing
        for size, variance in zip(sizes, found.variance, strict=True)
    )


def _varies(counts: StudyCounts) -> bool:
    """Return whether any parameter takes different values inside one of its regimes."""
    return any(
        regime.domain is not None and np.count_nonzero(regime.region) > 1
        for parameter in counts.parameters
        for regime in parameter.regimes
    )
