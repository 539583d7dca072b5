"""What one target quantile and a sweep of them share: sets, counts, estimates, status."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from condped.analyse.importance.account import Account, DroppedRegimes
from condped.arrays import BoolArray, FloatArray
from condped.count.counts import RankedStudy, StudyCounts
from condped.count.target_sets import Sets
from condped.count.trials import PooledTrials, Trials
from condped.estimate.calibrated import calibrated_estimate, parameter_p_values
from condped.estimate.estimator import Estimate, estimate
from condped.estimate.formula import eta_squared, normalised
from condped.estimate.settings import Settings
from condped.trials.outcome import Target, label_of
from condped.trials.table import TrialTable
from condped.trials.topsets import Handling

_SIGNIFICANT = 0.05
_SORTED = "The rows are sorted by the objective: their order is not taken for the order of time."


@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """Estimates of T target sets and P parameters."""

    trials: Trials
    tested: Trials  # the same, pooled domains in unit values
    top: Sets
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
        return self.tested.count_ranked(self.top, time_blocks(self.tested, self.top, self.settings))

    @property
    def determined(self) -> BoolArray:
        """(T,): where something can be told."""
        return np.array([reason is None for reason in self.reasons], dtype=bool)


def analyse(
    trials: TrialTable | Trials,
    target_quantiles: tuple[float, ...],
    settings: Settings,
    handling: Handling,
) -> Analysis:
    """Find the sets, count them, estimate. Only the counting depends on the number of trials."""
    counted = Trials.of(trials)
    top = counted.top_sets(target_quantiles, settings.region_quantile, handling)
    return _analysed(counted, top, settings, handling)


def analyse_outcome(
    trials: TrialTable | Trials, target: Target, settings: Settings, handling: Handling
) -> Analysis:
    """Take an outcome for the target set, in place of good objectives."""
    counted = Trials.of(trials)
    return _analysed(counted, counted.outcome_sets(target), settings, handling, label_of(target))


def _analysed(
    trials: Trials,
    top: Sets,
    settings: Settings,
    handling: Handling,
    outcome: str | None = None,
) -> Analysis:
    """Count the sets and estimate, by the method that was asked for."""
    pooled = None
    if settings.measure == "unconditional":
        trials = trials.expanded()
    elif settings.pooling != "never":
        pooled = trials.pooled(all_varying=settings.pooling == "always")
    tested = trials if pooled is None else pooled.unit
    trials = trials if pooled is None else pooled.raw
    ranked = p_values = None
    if settings.method == "calibrated" or pooled is not None:
        ranked = tested.count_ranked(top, time_blocks(tested, top, settings))
        p_values = parameter_p_values(ranked)
    counts, found = _estimated(
        trials, top, settings, p_values, ranked if trials is tested else None
    )
    if pooled is not None and p_values is not None:
        _, in_unit = _estimated(tested, top, settings, p_values, ranked)
        found = _combined(found, in_unit, pooled, counts, p_values)
    reasons = _reasons(top, counts, found, settings, outcome)
    known = np.array([[reason is None] for reason in reasons])
    return Analysis(
        trials=trials,
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
        account=_account(trials, top, counts, handling=handling, outcome=outcome, pooled=pooled),
    )


def _estimated(
    trials: Trials,
    top: Sets,
    settings: Settings,
    p_values: FloatArray | None,
    ranked: RankedStudy | None,
) -> tuple[StudyCounts, Estimate]:
    """Return the counts and the estimate of trials; ``p_values`` gate the calibrated one.

    ``ranked`` are the counts by rank of these trials, if they are known.
    """
    if settings.method == "calibrated" and p_values is not None:
        own = trials.count_ranked(top, 1) if ranked is None else ranked
        return own.counts, calibrated_estimate(own, p_values)
    counts = trials.count(top)
    return counts, estimate(counts, settings)


def _combined(
    raw: Estimate, unit: Estimate, pooled: PooledTrials, counts: StudyCounts, p_values: FloatArray
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


def time_blocks(trials: Trials, top: Sets, settings: Settings) -> int:
    """Return how many stretches of time to compare each with itself.

    Rows that are sorted by the objective say nothing of time.
    """
    return 1 if trials.sorted_by_objective(top) else settings.blocks


def _reasons(
    top: Sets,
    counts: StudyCounts,
    found: Estimate,
    settings: Settings,
    outcome: str | None,
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
    trials: Trials,
    top: Sets,
    counts: StudyCounts,
    *,
    handling: Handling,
    outcome: str | None,
    pooled: PooledTrials | None,
) -> Account:
    return Account(
        pooled=() if pooled is None else pooled.domains,
        outcome=outcome,
        objectives=trials.goals,
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
        space_inferred=trials.space_inferred,
        ignored_columns=trials.ignored_columns,
        notes=(*([_SORTED] if trials.sorted_by_objective(top) else []), *trials.notes),
        selections=trials.selections,
    )
