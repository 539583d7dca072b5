"""What one target quantile and a sweep of them share: sets, counts, estimates, status."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from condped.arrays import BoolArray, FloatArray
from condped.count.counts import StudyCounts
from condped.count.memory import count_in_memory
from condped.count.ranks import RankedStudy, count_ranked
from condped.importance.account import Account, DroppedRegimes, Explained
from condped.importance.calibrated import calibrated_estimate, parameter_p_values
from condped.importance.estimator import Estimate, estimate
from condped.importance.formula import eta_squared, normalised
from condped.importance.outcome import Outcome
from condped.importance.settings import Settings
from condped.pooling import Pooled, pool_domains
from condped.regimes import expand_domains
from condped.topsets import Handling, TopSets, outcome_sets, top_sets
from condped.trials import TrialTable

_SIGNIFICANT = 0.05
_FEWEST_SORTED = 20  # trials; fewer may be in order by chance
_SORTED = "The rows are sorted by the objective: their order is not taken for the order of time."


@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """Estimates of T target sets and P parameters."""

    table: TrialTable
    tested: TrialTable  # the same, pooled domains in unit values
    top: TopSets
    settings: Settings
    counts: StudyCounts
    estimate: Estimate
    importance: FloatArray  # (T, P): normalised; 0 where undetermined
    eta_squared: FloatArray  # (T, P): 0 where undetermined
    reasons: tuple[str | None, ...]  # (T,): why nothing can be told, None where something can
    account: Account

    ranked: RankedStudy | None = None  # if it was needed
    tested_p_values: FloatArray | None = None  # (T, P): likewise

    def p_values(self) -> FloatArray:
        """Return (T, P): how often chance alone gives as much as each parameter shows."""
        if self.tested_p_values is not None:
            return self.tested_p_values
        return parameter_p_values(self.ranks())

    def ranks(self) -> RankedStudy:
        """Return the counts by rank, which the test is about."""
        if self.ranked is not None:
            return self.ranked
        return count_ranked(self.tested, self.top, time_blocks(self.top, self.settings))

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
    top = top_sets(table, target_quantiles, settings.region_quantile, handling)
    return _analysed(table, top, settings, handling)


def analyse_outcome(
    table: TrialTable, outcome: Outcome, settings: Settings, handling: Handling
) -> Analysis:
    """Take an outcome for the target set, in place of good objectives."""
    top = outcome_sets(table, outcome.target, outcome.considered)
    return _analysed(table, top, settings, handling, outcome)


def _analysed(
    table: TrialTable,
    top: TopSets,
    settings: Settings,
    handling: Handling,
    outcome: Outcome | None = None,
) -> Analysis:
    """Count the sets and estimate, by the method that was asked for."""
    pooled = None
    if settings.measure == "unconditional":
        table = expand_domains(table)
    elif settings.pooling != "never":
        pooled = pool_domains(table, all_varying=settings.pooling == "always")
    tested = table if pooled is None else pooled.unit
    table = table if pooled is None else pooled.raw
    ranked = p_values = None
    if settings.method == "calibrated" or pooled is not None:
        ranked = count_ranked(tested, top, time_blocks(top, settings))
        p_values = parameter_p_values(ranked)
    counts, found = _estimated(table, top, settings, p_values)
    if pooled is not None and p_values is not None:
        _, in_unit = _estimated(tested, top, settings, p_values)
        found = _combined(found, in_unit, pooled, counts, p_values)
    reasons = _reasons(top, counts, found, settings, outcome)
    known = np.array([[reason is None] for reason in reasons])
    return Analysis(
        table=table,
        tested=tested,
        top=top,
        settings=settings,
        ranked=ranked,
        tested_p_values=p_values,
        counts=counts,
        estimate=found,
        importance=np.where(known, normalised(found.variance), 0.0),
        eta_squared=np.where(
            known, eta_squared(found.variance, counts.target_sizes, counts.region_size), 0.0
        ),
        reasons=reasons,
        account=_account(table, top, counts, handling=handling, outcome=outcome, pooled=pooled),
    )


def _estimated(
    table: TrialTable, top: TopSets, settings: Settings, p_values: FloatArray | None
) -> tuple[StudyCounts, Estimate]:
    """Return the counts and the estimate of a table; ``p_values`` gate the calibrated one."""
    if settings.method == "calibrated" and p_values is not None:
        own = count_ranked(table, top, 1)
        return own.counts, calibrated_estimate(own, p_values)
    counts = count_in_memory(table, top)
    return counts, estimate(counts, settings)


def _combined(
    raw: Estimate, unit: Estimate, pooled: Pooled, counts: StudyCounts, p_values: FloatArray
) -> Estimate:
    """Return the estimate with pooled parameters as their values show them best.

    Raw values see what a value does, unit values what its place between moving bounds does; a
    parameter that the test in unit values cannot tell from noise owes what it shows to its bounds.
    """
    names = {entry.parameter for entry in pooled.domains}
    places = [place for place, p in enumerate(counts.parameters) if p.name in names]
    real = p_values[:, places] <= _SIGNIFICANT
    within = raw.within.copy()
    higher = np.maximum(within[:, places], unit.within[:, places])
    within[:, places] = np.where(real, higher, 0.0)
    # Regimes keep their proportions; what lies between regimes stays what it was.
    scale = np.divide(within, raw.within, out=np.zeros_like(within), where=raw.within > 0)
    contribution = raw.contribution * scale.T[raw.owner]
    return replace(
        raw,
        within=within,
        variance=within + (raw.variance - raw.within),
        contribution=contribution,
    )


def time_blocks(top: TopSets, settings: Settings) -> int:
    """Return how many stretches of time to compare each with itself.

    Rows that are sorted by the objective say nothing of time.
    """
    return 1 if _sorted_by_objective(top) else settings.blocks


def _sorted_by_objective(top: TopSets) -> bool:
    if top.levels is None:
        return False
    levels = top.levels if top.used is None else top.levels[top.used]
    if len(levels) < _FEWEST_SORTED or levels.min() == levels.max():
        return False  # equal ones have no order
    before, after = levels[:-1], levels[1:]
    return bool((after >= before).all() or (after <= before).all())


def _reasons(
    top: TopSets,
    counts: StudyCounts,
    found: Estimate,
    settings: Settings,
    outcome: Outcome | None,
) -> tuple[str | None, ...]:
    """Say for each target set why nothing can be told, or None if something can."""
    equal = f"all {top.counts.used} trials have the same objective."
    if outcome is not None:
        share = "none" if not top.target_sizes[0] else "all"
        equal = f"{share} of the {top.counts.used} trials that count had the outcome."
    used, left_out = top.counts.used, f"{top.counts.left_out} of {top.counts.total} left out"
    # In order: an earlier reason explains the later ones.
    everywhere = (
        (used == 0, f"there is no trial to learn from ({left_out})."),
        (used == 1, f"there is only one trial to learn from ({left_out})."),
        (not counts.parameters, "there are no parameters."),
        (top.all_equal, equal),
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
    if settings.method == "calibrated":
        nothing = "no parameter can be told from noise."
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


def _account(
    table: TrialTable,
    top: TopSets,
    counts: StudyCounts,
    *,
    handling: Handling,
    outcome: Outcome | None,
    pooled: Pooled | None,
) -> Account:
    return Account(
        pooled=() if pooled is None else pooled.domains,
        outcome=None if outcome is None else outcome.label,
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
        notes=(*([_SORTED] if _sorted_by_objective(top) else []), *table.notes),
        selections=table.selections,
    )
