"""Importances at one target quantile."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Unpack

from condped.analyse.importance.analysis import Analysis, analyse, analyse_outcome
from condped.analyse.importance.densities import densities_of
from condped.analyse.importance.evidence import evidence_at
from condped.analyse.importance.intervals import Uncertainty, check_intervals, uncertainty
from condped.analyse.importance.result import (
    ImportanceResult,
    Interval,
    ParameterImportance,
    ParameterIntervals,
    RegimeImportance,
)
from condped.analyse.importance.robustness import robustness_of
from condped.analyse.opening import open_trials
from condped.count.resampling import Intervals
from condped.errors import SettingsError
from condped.estimate.settings import (
    Measure,
    Method,
    Pooling,
    Reference,
    Sampling,
    Settings,
    check_target,
)
from condped.read.opening import Opening, check_opening
from condped.trials.outcome import Target
from condped.trials.topsets import Handling, LeftOut, Treatment


def importance(
    source: Any,
    *,
    target_quantile: float = 0.1,
    region_quantile: float = 1.0,
    target: Target | None = None,
    method: Method = "paper",
    measure: Measure = "within",
    reference: Reference = "region",
    sampling: Sampling = "adaptive",
    pooling: Pooling = "auto",
    intervals: Intervals | None = None,
    level: float = 0.9,
    seed: int = 0,
    failed: LeftOut = "drop",
    pruned: Treatment = "drop",
    nonfinite: LeftOut = "drop",
    infeasible: Treatment = "keep",
    **opening: Unpack[Opening],
) -> ImportanceResult:
    """Tell which parameters mattered for reaching the best trials.

    Parameters
    ----------
    source
        A TrialTable or anything that :func:`condped.read` takes: an Optuna study, a dataframe,
        a mapping of arrays, the path of a CSV or Parquet file.
    target_quantile
        γ': the best trials of this share are the target set.
    region_quantile
        γ: the importance is measured inside the best trials of this share.
    target
        Something else than good objectives to explain: ``failed``, ``pruned``, ``nonfinite`` or
        ``infeasible``, or a truth value for each trial.
    method, measure, reference, sampling, pooling
        See :class:`~condped.estimate.settings.Settings`.
    intervals
        ``half-sampling`` (200 halves of the trials) or ``jackknife`` (20 groups, faster); none if
        not given.
    level, seed
        How often an interval should hold the truth, and the seed that fixes the subsets.
    failed, pruned, nonfinite, infeasible
        See :class:`~condped.trials.topsets.Handling`.
    **opening
        Options of :func:`condped.read`, such as ``objective``, ``direction`` and ``space``;
        ``engine`` (auto, memory, stream, ibis) and ``backend`` say where the trials are counted.

    Returns
    -------
    ImportanceResult
        Parameters with the most important first, and an account of what was used.

    Examples
    --------
    >>> import condped
    >>> table = condped.problems.get("activation-disjoint").sample(2000, seed=0)
    >>> condped.importance(table).names
    ('x', 'c', 'y')
    """
    settings = Settings(region_quantile, method, measure, reference, sampling, pooling)
    check_target(target_quantile, region_quantile)
    check_intervals(intervals, level, seed)
    handling = Handling(failed, pruned, nonfinite, infeasible)
    check_opening("importance", opening)
    trials = open_trials(source, **opening)
    if target is not None and (region_quantile != 1.0 or handling != Handling()):
        raise SettingsError(
            "An outcome as target is compared with all trials that could have had it: it takes no "
            "region_quantile, failed, pruned, nonfinite or infeasible. Leave them out."
        )
    if target is None:
        found = analyse(trials, (target_quantile,), settings, handling)
    else:
        found = analyse_outcome(trials, target, settings, handling)
    quantiles = None if target is not None else (target_quantile,)
    bands = None
    if intervals is not None:
        bands = uncertainty(found, quantiles, intervals=intervals, level=level, seed=seed)
    account = found.account
    if intervals is not None and bands is None:
        account = replace(account, notes=(*account.notes, "Too few trials for intervals."))
    regimes = _regimes(found)
    parameters = [
        ParameterImportance(
            name=parameter.name,
            importance=float(found.importance[0, place]),
            variance=float(found.estimate.variance[0, place]),
            eta_squared=float(found.eta_squared[0, place]),
            within=float(found.estimate.within[0, place]),
            inter=float(found.estimate.inter[0, place]),
            regimes=tuple(regimes[place]),
            intervals=None if bands is None else _intervals(bands, place),
        )
        for place, parameter in enumerate(found.counts.parameters)
    ]
    # Sorting is stable: equal parameters stay in the order of the space.
    parameters.sort(key=lambda parameter: -parameter.variance)
    (reason,) = found.reasons
    return ImportanceResult(
        parameters=tuple(parameters),
        target_quantile=None if target is not None else target_quantile,
        target_size=int(found.counts.target_sizes[0]),
        settings=settings,
        account=account,
        status="ok" if reason is None else "undetermined",
        reason=reason,
        level=None if bands is None else level,
        find_evidence=lambda: evidence_at(
            found.ranks(), 0, found.tested_p_values, trials.remark_on_repeats()
        ),
        find_densities=lambda evidence: densities_of(found, evidence),
        find_robustness=None
        if target is not None
        else lambda: robustness_of(trials.table("Robustness"), target_quantile, settings, handling),
    )


def _intervals(bands: Uncertainty, place: int) -> ParameterIntervals:
    return ParameterIntervals(
        *(
            Interval(float(b.low[0, place]), float(b.high[0, place]), float(b.error[0, place]))
            for b in (bands.importance, bands.variance, bands.eta_squared)
        )
    )


def _regimes(found: Analysis) -> list[list[RegimeImportance]]:
    """Return the regimes of each parameter."""
    parameters, estimate = found.counts.parameters, found.estimate
    grouped: list[list[RegimeImportance]] = [[] for _ in parameters]
    flat = [regime for parameter in parameters for regime in parameter.regimes]
    for place, regime in enumerate(flat):
        grouped[estimate.owner[place]].append(
            RegimeImportance(
                domain=regime.domain,
                target_share=float(estimate.target_shares[place, 0]),
                region_share=float(estimate.region_shares[place]),
                divergence=float(estimate.divergence[place, 0]),
                contribution=float(estimate.contribution[place, 0]),
                target_trials=int(regime.target[0].sum()),
                region_trials=int(regime.region.sum()),
            )
        )
    return grouped
