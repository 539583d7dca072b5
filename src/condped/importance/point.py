"""Importances at one target quantile."""

from __future__ import annotations

from typing import Any, Unpack

from condped.importance.analysis import Analysis, analyse
from condped.importance.result import (
    ImportanceResult,
    ParameterImportance,
    RegimeImportance,
)
from condped.importance.settings import Measure, Method, Reference, Settings, check_target
from condped.read import Reading, check_reading, read
from condped.topsets import Handling, LeftOut, Treatment


def importance(
    source: Any,
    *,
    target_quantile: float = 0.1,
    region_quantile: float = 1.0,
    method: Method = "paper",
    measure: Measure = "within",
    reference: Reference = "region",
    failed: LeftOut = "drop",
    pruned: Treatment = "drop",
    nonfinite: LeftOut = "drop",
    infeasible: Treatment = "keep",
    **reading: Unpack[Reading],
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
    method, measure, reference
        See :class:`~condped.importance.settings.Settings`.
    failed, pruned, nonfinite, infeasible
        See :class:`~condped.topsets.Handling`.
    **reading
        Options of :func:`condped.read`, such as ``objective``, ``direction`` and ``space``.

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
    settings = Settings(region_quantile, method, measure, reference)
    check_target(target_quantile, region_quantile)
    handling = Handling(failed, pruned, nonfinite, infeasible)
    check_reading("importance", reading)
    found = analyse(read(source, **reading), (target_quantile,), settings, handling)
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
        )
        for place, parameter in enumerate(found.counts.parameters)
    ]
    # Sorting is stable: equal parameters stay in the order of the space.
    parameters.sort(key=lambda parameter: -parameter.variance)
    (reason,) = found.reasons
    return ImportanceResult(
        parameters=tuple(parameters),
        target_quantile=target_quantile,
        target_size=int(found.counts.target_sizes[0]),
        settings=settings,
        account=found.account,
        status="ok" if reason is None else "undetermined",
        reason=reason,
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
