"""What one target quantile and a sweep of them share: sets, counts, estimates, status."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from condped.arrays import BoolArray, FloatArray
from condped.count.counts import StudyCounts
from condped.count.memory import count_in_memory
from condped.importance.account import Account, DroppedRegimes, Explained
from condped.importance.estimator import Estimate, estimate
from condped.importance.formula import eta_squared, normalised
from condped.importance.settings import Settings
from condped.regimes import expand_domains
from condped.topsets import Handling, TopSets, top_sets
from condped.trials import TrialTable


@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """Estimates of T target sets and P parameters."""

    counts: StudyCounts
    estimate: Estimate
    importance: FloatArray  # (T, P): normalised; 0 where undetermined
    eta_squared: FloatArray  # (T, P): 0 where undetermined
    reasons: tuple[str | None, ...]  # (T,): why nothing can be told, None where something can
    account: Account

    @property
    def determined(self) -> BoolArray:
        """(T,): where something can be told."""
        return np.array([reason is None for reason in self.reasons], dtype=bool)


def analyse(
    table: TrialTable,
    target_quantiles: tuple[float, ...],
    settings: Settings,
    handling: Handling,
) -> Analysis:
    """Find the sets, count them, estimate. Only the counting depends on the number of trials."""
    if settings.measure == "unconditional":
        table = expand_domains(table)
    top = top_sets(table, target_quantiles, settings.region_quantile, handling)
    counts = count_in_memory(table, top)
    found = estimate(counts, settings)
    reasons = _reasons(top, counts, found)
    known = np.array([[reason is None] for reason in reasons])
    return Analysis(
        counts=counts,
        estimate=found,
        importance=np.where(known, normalised(found.variance), 0.0),
        eta_squared=np.where(
            known, eta_squared(found.variance, counts.target_sizes, counts.region_size), 0.0
        ),
        reasons=reasons,
        account=_account(table, top, counts, handling),
    )


def _reasons(top: TopSets, counts: StudyCounts, found: Estimate) -> tuple[str | None, ...]:
    """Say for each target set why nothing can be told, or None if something can."""
    used, left_out = top.counts.used, f"{top.counts.left_out} of {top.counts.total} left out"
    # In order: an earlier reason explains the later ones.
    everywhere = (
        (used == 0, f"there is no trial to learn from ({left_out})."),
        (used == 1, f"there is only one trial to learn from ({left_out})."),
        (not counts.parameters, "there are no parameters."),
        (top.all_equal, f"all {used} trials have the same objective."),
        (not _varies(counts), "no parameter takes different values in the region set."),
    )
    for applies, reason in everywhere:
        if applies:
            return (reason,) * len(top.target_sizes)
    same = (
        f"the target set and the region set are the same {top.region_size} trials. "
        "Lower target_quantile, or gather more trials with different objectives."
    )
    nothing = "no parameter has values that differ between the target set and the region set."
    return tuple(
        same if size == top.region_size else None if variance.any() else nothing
        for size, variance in zip(top.target_sizes, found.variance, strict=True)
    )


def _varies(counts: StudyCounts) -> bool:
    """Return whether any parameter takes different values inside one of its regimes."""
    return any(
        regime.domain is not None and np.count_nonzero(regime.region) > 1
        for parameter in counts.parameters
        for regime in parameter.regimes
    )


def _account(table: TrialTable, top: TopSets, counts: StudyCounts, handling: Handling) -> Account:
    return Account(
        objectives=tuple(Explained(o.name, o.direction) for o in table.objectives),
        trials=top.counts,
        handling=handling,
        region_size=top.region_size,
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
