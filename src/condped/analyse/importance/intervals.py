"""Intervals: how far the numbers would move with other trials of the same kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from statistics import NormalDist

import numpy as np

from condped.analyse.importance.analysis import Analysis
from condped.arrays import FloatArray
from condped.count.resampling import Intervals
from condped.count.trials import Trials
from condped.errors import SettingsError
from condped.estimate.formula import normalised
from condped.estimate.replicates import subset_variances


@dataclass(frozen=True, slots=True, eq=False)
class Bands:
    """Intervals of T target sets and P parameters.

    Attributes
    ----------
    error
        (T, P): the standard error.
    low, high
        (T, P): the ends, inside what the number can be.
    """

    error: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Uncertainty:
    """Intervals of the three numbers that a parameter has."""

    importance: Bands
    variance: Bands
    eta_squared: Bands


def check_intervals(intervals: object, level: object, seed: object) -> None:
    """Refuse kinds of intervals that there are not, levels and seeds that are none."""
    if intervals not in (None, "half-sampling", "jackknife"):
        raise SettingsError(
            f"intervals must be 'half-sampling', 'jackknife' or None (got {intervals!r})."
        )
    if isinstance(level, bool) or not isinstance(level, Real) or not 0 < float(level) < 1:
        raise SettingsError(f"level must be a number between 0 and 1 (got {level!r}).")
    if isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0:
        raise SettingsError(f"seed must be a whole number, 0 or above (got {seed!r}).")


def uncertainty(
    found: Analysis,
    target_quantiles: Sequence[float] | None,
    *,
    intervals: Intervals,
    level: float,
    seed: int,
) -> Uncertainty | None:
    """Return intervals around an analysis; None where there are too few trials to halve.

    ``target_quantiles`` are those of the analysis, None for an outcome. Cut-offs are found anew in
    each subset; cells are those of the whole.
    """
    variance_and_kappa = _replicated(
        found, found.trials, target_quantiles, intervals=intervals, seed=seed
    )
    if variance_and_kappa is None:
        return None
    variance, kappa = variance_and_kappa
    if found.account.pooled:
        # As for the whole: what raw values show, or unit values if they show more.
        pooled = {entry.parameter for entry in found.account.pooled}
        places = [place for place, name in enumerate(found.trials.names) if name in pooled]
        again = _replicated(found, found.tested, target_quantiles, intervals=intervals, seed=seed)
        assert again is not None
        variance[:, :, places] = np.maximum(variance[:, :, places], again[0][:, :, places])
    # What the whole says is noise has its share in the parts: that it is noise is uncertain, too.
    shares = normalised(variance)
    spread = np.broadcast_to(kappa * (1.0 - kappa), variance.shape)
    explained = np.divide(variance, spread, out=np.zeros_like(variance), where=spread > 0)
    reach = NormalDist().inv_cdf(0.5 + level / 2)
    # Where all trials are alike the parts show nothing but rounding.
    moves = 0.0 if found.top.all_equal else 1.0
    return Uncertainty(
        importance=_bands(found.importance, moves * shares, intervals, reach, highest=1.0),
        variance=_bands(
            found.estimate.variance, moves * variance, intervals, reach, highest=np.inf
        ),
        eta_squared=_bands(found.eta_squared, moves * explained, intervals, reach, highest=1.0),
    )


def _replicated(
    found: Analysis,
    trials: Trials,
    target_quantiles: Sequence[float] | None,
    *,
    intervals: Intervals,
    seed: int,
) -> tuple[FloatArray, FloatArray] | None:
    """Return (S, T, P) variances and (S, T, 1) shares of the target set in the region set."""
    settings = found.settings
    parts = trials.subsets(
        found.top,
        target_quantiles,
        settings.region_quantile,
        intervals=intervals,
        seed=seed,
        by_rank=settings.method == "calibrated",
    )
    if parts is None:
        return None
    variances, kappas = [], []
    for counts in parts.counts:
        variances.append(subset_variances(counts, parts.ranges, len(trials.names), settings))
        kappas.append(counts.target_sizes / np.maximum(counts.region_sizes, 1)[:, None])
    return np.concatenate(variances), np.concatenate(kappas)[:, :, None]


def _bands(
    whole: FloatArray, parts: FloatArray, intervals: Intervals, reach: float, *, highest: float
) -> Bands:
    """Return the standard error from (S, T, P) parts, and what lies within reach of the whole."""
    if intervals == "half-sampling":
        # Half of the trials, drawn without replacement, scatter as much as the whole does.
        error = parts.std(axis=0, ddof=1)
    else:
        groups = len(parts)
        error = np.sqrt((groups - 1) / groups * ((parts - parts.mean(axis=0)) ** 2).sum(axis=0))
    low = np.maximum(whole - reach * error, 0.0)
    # Around what the parts show where the whole was set to 0 for lack of evidence.
    middle = np.where(whole > 0, whole, parts.mean(axis=0))
    high = np.maximum(np.minimum(middle + reach * error, highest), whole)
    return Bands(error, low, high)
