"""Importances at one target quantile."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from condped.count.counts import StudyCounts
from condped.count.memory import count_in_memory
from condped.importance.estimator import Estimate, estimate
from condped.importance.formula import eta_squared, normalised
from condped.importance.result import (
    Account,
    DroppedRegimes,
    ImportanceResult,
    ParameterImportance,
    RegimeImportance,
)
from condped.importance.settings import Measure, Method, Reference, Settings, check_target
from condped.read import Reading, read
from condped.regimes import expand_domains
from condped.topsets import Handling, Infeasible, LeftOut, TopSets, top_sets
from condped.trials import TrialTable


def importance(
    source: Any,
    *,
    target_quantile: float = 0.1,
    region_quantile: float = 1.0,
    method: Method = "paper",
    measure: Measure = "within",
    reference: Reference = "region",
    failed: LeftOut = "drop",
    pruned: LeftOut = "drop",
    nonfinite: LeftOut = "drop",
    infeasible: Infeasible = "keep",
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
    table = read(source, **reading)
    top, counts = count(table, (target_quantile,), settings, handling)
    return _result(
        table, top, counts, target_quantile=target_quantile, settings=settings, handling=handling
    )


def count(
    table: TrialTable,
    target_quantiles: tuple[float, ...],
    settings: Settings,
    handling: Handling,
) -> tuple[TopSets, StudyCounts]:
    """Find the sets and count them: the only part whose cost depends on the number of trials."""
    if settings.measure == "unconditional":
        table = expand_domains(table)
    top = top_sets(table, target_quantiles, settings.region_quantile, handling)
    return top, count_in_memory(table, top)


def varies(counts: StudyCounts) -> bool:
    """Return whether any parameter takes different values inside one of its regimes."""
    return any(
        regime.domain is not None and np.count_nonzero(regime.region) > 1
        for parameter in counts.parameters
        for regime in parameter.regimes
    )


def _undetermined(
    table: TrialTable, top: TopSets, counts: StudyCounts, found: Estimate
) -> str | None:
    """Say why nothing can be told, or None if something can."""
    used, left_out = top.counts.used, f"{top.counts.left_out} of {top.counts.total} left out"
    # In order: an earlier reason explains the later ones.
    reasons = (
        (used == 0, f"there is no trial to learn from ({left_out})."),
        (used == 1, f"there is only one trial to learn from ({left_out})."),
        (not table.parameters, "there are no parameters."),
        (top.all_equal, f"all {used} trials have the same objective."),
        (
            top.target_sizes[0] == top.region_size,
            f"the target set and the region set are the same {top.region_size} trials. "
            "Lower target_quantile, or gather more trials with different objectives.",
        ),
        (not varies(counts), "no parameter takes different values in the region set."),
        (
            not found.variance.any(),
            "no parameter has values that differ between the target set and the region set.",
        ),
    )
    return next((reason for applies, reason in reasons if applies), None)


def _result(
    table: TrialTable,
    top: TopSets,
    counts: StudyCounts,
    *,
    target_quantile: float,
    settings: Settings,
    handling: Handling,
) -> ImportanceResult:
    found = estimate(counts, settings)
    reason = _undetermined(table, top, counts, found)
    eta = eta_squared(found.variance, counts.target_sizes, counts.region_size)[0]
    shares = normalised(found.variance)[0]
    if reason is not None:
        eta, shares = np.zeros_like(eta), np.zeros_like(shares)
    regimes = _regimes(counts, found)
    parameters = [
        ParameterImportance(
            name=parameter.name,
            importance=float(shares[place]),
            variance=float(found.variance[0, place]),
            eta_squared=float(eta[place]),
            within=float(found.within[0, place]),
            inter=float(found.inter[0, place]),
            regimes=tuple(regimes[place]),
        )
        for place, parameter in enumerate(counts.parameters)
    ]
    # Sorting is stable: equal parameters stay in the order of the space.
    parameters.sort(key=lambda parameter: -parameter.variance)
    return ImportanceResult(
        parameters=tuple(parameters),
        target_quantile=target_quantile,
        settings=settings,
        handling=handling,
        account=account_of(table, top, counts),
        status="ok" if reason is None else "undetermined",
        reason=reason,
    )


def account_of(table: TrialTable, top: TopSets, counts: StudyCounts) -> Account:
    """Gather what the numbers are based on."""
    return Account(
        trials=top.counts,
        region_size=top.region_size,
        target_size=int(top.target_sizes[0]),
        dropped_regimes=tuple(
            DroppedRegimes(
                parameter.name, parameter.dropped_region.size, int(parameter.dropped_region.sum())
            )
            for parameter in counts.parameters
            if parameter.dropped_region.size
        ),
        space_inferred=table.space_inferred,
        ignored_columns=table.ignored_columns,
        notes=table.notes,
    )


def _regimes(counts: StudyCounts, found: Estimate) -> list[list[RegimeImportance]]:
    grouped: list[list[RegimeImportance]] = [[] for _ in counts.parameters]
    flat = [regime for parameter in counts.parameters for regime in parameter.regimes]
    for place, regime in enumerate(flat):
        grouped[found.owner[place]].append(
            RegimeImportance(
                domain=regime.domain,
                target_share=float(found.target_shares[place, 0]),
                region_share=float(found.region_shares[place]),
                divergence=float(found.divergence[place, 0]),
                contribution=float(found.contribution[place, 0]),
                target_trials=int(regime.target[0].sum()),
                region_trials=int(regime.region.sum()),
            )
        )
    return grouped
