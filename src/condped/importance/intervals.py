"""Intervals: how far the numbers would move with other trials of the same kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from statistics import NormalDist
from typing import Literal

import numpy as np

from condped.arrays import FloatArray, IntArray
from condped.count.subsets import (
    Buckets,
    count_subsets,
    fixed_buckets,
    grid_map,
    rank_map,
    ranked_buckets,
)
from condped.errors import SettingsError
from condped.importance.analysis import Analysis
from condped.importance.formula import normalised
from condped.importance.replicates import subset_variances
from condped.trials import TrialTable

Intervals = Literal["half-sampling", "jackknife"]
_HALVES = 200  # half-samples
_GROUPS = 20  # of the jackknife
_FEWEST = 8  # trials, below which halves say nothing


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
    top, table = found.top, found.table
    if target_quantiles is not None and len(table.objectives) > 1:
        raise SettingsError(
            "Intervals need one objective: the order of trials by several changes with every "
            f"subset of them (got {len(table.objectives)}). Name one as the objective."
        )
    # Those outside the region set as well: in a part of the trials they may be inside.
    used = np.arange(len(table)) if top.used is None else np.flatnonzero(top.used)
    if len(used) < _FEWEST or not table.parameters:
        return None
    buckets = (
        fixed_buckets(top, used)
        if target_quantiles is None or top.levels is None
        else ranked_buckets(top, used, target_quantiles, found.settings.region_quantile)
    )
    subsets = _subsets(len(used), intervals, np.random.default_rng(seed))
    variance, kappa = _replicated(found, table, used, buckets, subsets)
    if found.account.pooled:
        # As for the whole: what raw values show, or unit values if they show more.
        pooled = {entry.parameter for entry in found.account.pooled}
        places = [place for place, p in enumerate(table.parameters) if p.name in pooled]
        in_unit, _ = _replicated(found, found.tested, used, buckets, subsets)
        variance[:, :, places] = np.maximum(variance[:, :, places], in_unit[:, :, places])
    # What the whole says is noise has its share in the parts: that it is noise is uncertain, too.
    shares = normalised(variance)
    spread = np.broadcast_to(kappa * (1.0 - kappa), variance.shape)
    explained = np.divide(variance, spread, out=np.zeros_like(variance), where=spread > 0)
    reach = NormalDist().inv_cdf(0.5 + level / 2)
    # Where all trials are alike the parts show nothing but rounding.
    moves = 0.0 if top.all_equal else 1.0
    return Uncertainty(
        importance=_bands(found.importance, moves * shares, intervals, reach, highest=1.0),
        variance=_bands(
            found.estimate.variance, moves * variance, intervals, reach, highest=np.inf
        ),
        eta_squared=_bands(found.eta_squared, moves * explained, intervals, reach, highest=1.0),
    )


def _replicated(
    found: Analysis,
    table: TrialTable,
    used: IntArray,
    buckets: Buckets,
    subsets: Sequence[IntArray],
) -> tuple[FloatArray, FloatArray]:
    """Return (S, T, P) variances and (S, T, 1) shares of the target set in the region set."""
    cells = (
        rank_map(table, found.top, used)
        if found.settings.method == "calibrated"
        else grid_map(table, used)
    )
    variances, kappas = [], []
    for counts in count_subsets(cells, subsets, buckets, len(found.top.target_sizes)):
        variances.append(subset_variances(counts, cells, len(table.parameters), found.settings))
        kappas.append(counts.target_sizes / np.maximum(counts.region_sizes, 1)[:, None])
    return np.concatenate(variances), np.concatenate(kappas)[:, :, None]


def _subsets(trials: int, intervals: Intervals, rng: np.random.Generator) -> list[IntArray]:
    if intervals == "half-sampling":
        return [np.sort(rng.permutation(trials)[: trials // 2]) for _ in range(_HALVES)]
    order = rng.permutation(trials)
    groups = np.array_split(order, min(_GROUPS, trials))
    return [np.sort(np.setdiff1d(order, group)) for group in groups]


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
