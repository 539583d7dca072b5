"""p-values of parameters: against replays, among neighbours in time, or among all trials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from condped.analyse.evidence.replaying import StudyReplays, placed, regimes_of, study_replays
from condped.analyse.evidence.sampling import (
    SORTED_BY_OBJECTIVE,
    TREATED_AS_RANDOM,
    SamplingDecision,
    decided,
    strata_of,
    too_many_to_replay,
)
from condped.arrays import BoolArray, FloatArray, IntArray
from condped.count.counts import SMALLEST_REGIME, StudyCounts
from condped.count.ranking import ranked
from condped.estimate.calibrated_estimator import (
    parameter_p_values,
    regime_deviations,
    regime_p_values,
)
from condped.estimate.independence_test import (
    STRATUM,
    Deviation,
    deviation,
    kernel_of_test,
    no_deviation,
)
from condped.estimate.replay.replay_test import plainly_large, replay_test, shift_test
from condped.estimate.replay.statistic import MOST_CELLS, rank_cells_of
from condped.progress import report
from condped.trials.batch import Batch
from condped.trials.table import Parameter, TrialTable

if TYPE_CHECKING:  # it imports this module
    from condped.analyse.importance.set_counts import SetTrials

_MOST_COUNTS = 2_000_000  # cells × strata × target sets of one parameter
NO_ORDER = (
    "the table has no order in time, which shows how its trials were drawn. Set order to a column "
    "with the trials' numbers, or sampling to 'random' if they were drawn at random"
)


@dataclass(frozen=True, slots=True, eq=False)
class Significance:
    """p-values of T target sets and P parameters.

    Attributes
    ----------
    p_values
        (T, P): how often the sampler or chance alone gives as much; NaN if not testable.
    regimes
        The same, (T,), for each regime of each parameter.
    bias
        (R, T): what the sampler alone gives each regime of all parameters, as a contribution to
        its variance; None for nothing.
    decision
        How it was tested, and why.
    scatter
        (R, T): the variance of that bias between replays; None if nothing was replayed.
    """

    p_values: FloatArray
    regimes: list[list[FloatArray]]
    bias: FloatArray | None
    decision: SamplingDecision
    scatter: FloatArray | None = None


def decision_of(own: SetTrials) -> SamplingDecision:
    """Return how parameters are tested, and why, without testing any."""
    table = own.given.in_memory
    if table is None or own.given.only_counted:
        return _decided_of_counts(own)
    decision = decided(table.study, own.settings, own.top.sorted_by_objective)
    if decision.test == "independent":  # among the selected trials
        decision = decided(table, own.settings, own.top.sorted_by_objective)
    return decision


def significance(own: SetTrials) -> Significance:
    """Test all parameters."""
    decision, table = decision_of(own), own.given.in_memory
    if decision.test == "none":
        return _not_testable(own, decision)
    if table is None or own.given.only_counted:
        return _closed_form_test(
            own, decision, _number_of_strata(own) if decision.test == "strata" else 1
        )
    if decision.test in ("replay", "shifts"):
        return _replay_test(own, table, decision)
    if decision.test == "both":
        among = _closed_form_test(own, decision, _number_of_strata(own))
        return _larger_p_values(_replay_test(own, table, decision, among.p_values), among)
    if decision.test == "independent":
        return _test_of_random_trials(own, decision)
    return _closed_form_test(
        own, decision, _number_of_strata(own) if decision.test == "strata" else 1
    )


def _number_of_strata(own: SetTrials) -> int:
    """Return the number of strata in time: of about ten trials, but no more than fit."""
    most = _MOST_COUNTS // (MOST_CELLS * (len(own.top.target_sizes) + 1))
    return max(1, min(strata_of(own.top.counts.used), most))


def aligned(found: Significance, tested: StudyCounts, counts: StudyCounts) -> Significance:
    """Return the p-values for the regimes of other counts of the same parameters."""
    sets = found.p_values.shape[0]
    regimes: list[list[FloatArray]] = []
    offsets: list[list[FloatArray]] = [[], []]
    known = (found.bias, found.scatter)
    start = 0
    for own, old, new in zip(found.regimes, tested.parameters, counts.parameters, strict=True):
        places = {regime.domain: place for place, regime in enumerate(old.regimes)}
        where = [places.get(regime.domain) for regime in new.regimes]
        regimes.append([np.full(sets, np.nan) if k is None else own[k] for k in where])
        for offset, given in zip(offsets, known, strict=True):
            if given is not None:
                offset += [np.zeros(sets) if k is None else given[start + k] for k in where]
        start += len(own)
    bias, scatter = (
        None if given is None else np.array(offset).reshape(-1, sets)
        for offset, given in zip(offsets, known, strict=True)
    )
    return replace(found, regimes=regimes, bias=bias, scatter=scatter)


def _decided_of_counts(own: SetTrials) -> SamplingDecision:
    """Decide for trials that are only counted."""
    if own.settings.sampling == "random":
        return TREATED_AS_RANDOM
    if own.top.sorted_by_objective:
        return SORTED_BY_OBJECTIVE
    if not own.unit.counter.schema.ordered:
        return SamplingDecision("none", f"Not testable: {NO_ORDER}.")
    reason = (
        f"Compared among trials of the same stretch of time, {_number_of_strata(own):,} of them "
        f"(trials {'of so many studies' if own.given.only_counted else 'that are only counted'} "
        "are not replayed)."
    )
    return SamplingDecision("strata", reason)


def _not_testable(own: SetTrials, decision: SamplingDecision) -> Significance:
    nothing = np.full(len(own.top.target_sizes), np.nan)
    regimes = [
        [nothing for _ in parameter.regimes]
        for parameter in own.unit.count_by_rank(own.top).parameters
    ]
    p_values = np.full((len(nothing), len(regimes)), np.nan)
    return Significance(p_values, regimes, None, decision)


def _closed_form_test(own: SetTrials, decision: SamplingDecision, strata: int) -> Significance:
    """Test in closed form, within strata of time."""
    sets = len(own.top.target_sizes)
    found = regime_deviations(own.unit.count_ranked(own.top, strata))
    p_values = parameter_p_values(found, sets)
    regimes = regime_p_values(found, p_values)
    for place, p_value in _pooled_p_values(own).items():
        p_values[:, place] = p_value
        regimes[place] = [p_value for _ in regimes[place]]
    return Significance(p_values, regimes, None, decision)


def _test_of_random_trials(own: SetTrials, decision: SamplingDecision) -> Significance:
    """Test among the trials that were drawn without regard to results: they need no replays."""
    drawn = own.independent()
    counts = own.unit.count_by_rank(own.top)
    found = aligned(
        _closed_form_test(drawn, decision, 1), drawn.unit.count_by_rank(drawn.top), counts
    )
    # Their own target set may have parameters that the one of all trials does not.
    reached = [
        sum(regime.target.sum(axis=-1) for regime in one.regimes if regime.domain is not None)
        for one in counts.parameters
    ]
    sizes = found.p_values.shape[0]
    held = np.array([np.broadcast_to(trials, sizes) for trials in reached]).reshape(-1, sizes).T
    return replace(found, p_values=np.where(held > 0, found.p_values, np.nan))


def all_replayed(own: SetTrials, decision: SamplingDecision) -> Significance | None:
    """Return the test against replays of every parameter; None if there are too many trials."""
    table = own.given.in_memory
    assert table is not None
    return None if too_many_to_replay(table.study) else _replay_test(own, table, decision)


def _replay_test(
    own: SetTrials,
    table: TrialTable,
    decision: SamplingDecision,
    among: FloatArray | None = None,
) -> Significance:
    """Test the parameters that have cells against replays or shifts."""
    replays = study_replays(table.study, own.settings.startup)
    region, hits = _members(own, table)
    sizes = len(own.top.target_sizes)
    shifts = decision.test == "shifts"
    pooled = _pooled_p_values(own)
    if not own.unit.spanned:
        pooled |= _group_p_values(own.unit.names, table, replays, region, hits, shifts=shifts)
    p_values = np.full((sizes, len(own.unit.names)), np.nan)
    regimes: list[list[FloatArray]] = []
    bias: list[FloatArray] = []
    scatter: list[FloatArray] = []
    nothing = np.full(sizes, np.nan)
    by_name = {parameter.name: parameter for parameter in table.parameters}
    kept = own.unit.count_by_rank(own.top).parameters
    passed = set(pooled)
    if among is not None:  # if the other test plainly finds nothing, no replays are needed
        passed |= set(np.flatnonzero(plainly_large(among).all(axis=0)).tolist())
    if not own.unit.spanned and not shifts:
        replays.begin([name for k, name in enumerate(own.unit.names) if k not in passed])
    for place, name in enumerate(own.unit.names):
        report("Replaying the sampler", place, len(own.unit.names))
        present = [regime.domain is not None for regime in kept[place].regimes]
        series = None if place in passed else replays.series(name)
        parts = regimes_of(by_name[name], region, SMALLEST_REGIME)
        if series is None or own.unit.spanned or len(parts) != sum(present):
            p_value = pooled.get(place, nothing)
            p_values[:, place] = p_value
            regimes.append([p_value if here else nothing for here in present])
            bias += [np.zeros(sizes) for _ in present]
            scatter += [np.zeros(sizes) for _ in present]
            continue
        if not parts:
            regimes.append([nothing for _ in present])
            bias += [np.zeros(sizes) for _ in present]
            scatter += [np.zeros(sizes) for _ in present]
            continue
        masks = placed(table.rows, parts, len(table.study))
        members = placed(table.rows, hits, len(table.study))
        tested = (
            shift_test(series, list(masks), members)
            if shifts
            else replay_test(
                series, list(masks), members, None if among is None else among[:, place]
            )
        )
        p_values[:, place] = tested.p_values
        each, given = iter(tested.regimes), iter(zip(tested.bias, tested.scatter, strict=True))
        regimes.append([next(each) if here else nothing for here in present])
        pairs = [next(given) if here else (np.zeros(sizes),) * 2 for here in present]
        bias += [pair[0] for pair in pairs]
        scatter += [pair[1] for pair in pairs]
    report("Replaying the sampler", 1, 1)
    trials = max(own.top.region_size, 1)
    offset = np.array(bias).reshape(-1, sizes) / trials
    spread = np.array(scatter).reshape(-1, sizes) / trials**2
    return Significance(p_values, regimes, offset, decision, spread)


def _group_p_values(
    names: Sequence[str],
    table: TrialTable,
    replays: StudyReplays,
    region: BoolArray,
    hits: list[BoolArray],
    *,
    shifts: bool,
) -> dict[int, FloatArray]:
    """Return the p-values of groups, by their place.

    Samplers draw members, not joint cells, so the members are tested: the smallest p-value counts,
    times their number.
    """
    trials = len(table.study)
    own, members = placed(table.rows, [region], trials)[0], placed(table.rows, hits, trials)
    found = {}
    for place, name in enumerate(names):
        smallest = np.full(len(hits), np.nan)
        for member in table.groups.get(name, ()):
            series = replays.series(member.name)
            if series is None:
                continue
            parts = regimes_of(replays.parameters[member.name], own, SMALLEST_REGIME)
            if parts:
                test = shift_test if shifts else replay_test
                smallest = np.fmin(smallest, test(series, parts, members).p_values)
        if name in table.groups:
            found[place] = np.minimum(len(table.groups[name]) * smallest, 1.0)
    return found


def _larger_p_values(one: Significance, other: Significance) -> Significance:
    """Return the larger of both p-values; if one is missing, the other."""
    pairs = zip(one.regimes, other.regimes, strict=True)
    return replace(
        one,
        p_values=np.fmax(one.p_values, other.p_values),
        regimes=[[np.fmax(a, b) for a, b in zip(*pair, strict=True)] for pair in pairs],
    )


def _members(own: SetTrials, table: TrialTable) -> tuple[BoolArray, list[BoolArray]]:
    """Return (trials,) which are in the region set, and in each target set."""
    levels, used, _, _ = ranked(Batch(table), own.top.ranking)
    region = np.ones(len(levels), dtype=bool) if used is None else used.copy()
    if own.top.region is not None:
        region &= levels <= own.top.region
    return region, [region & (levels <= cutoff) for cutoff in own.top.cutoffs.tolist()]


def _pooled_p_values(own: SetTrials) -> dict[int, FloatArray]:
    """Return the p-values of parameters with pooled domains, by their place.

    Trials with neighbouring bounds are compared, by value and by place between the bounds.
    """
    table, raw, unit = own.given.in_memory, own.raw.in_memory, own.unit.in_memory
    if not own.pooled or table is None or raw is None or unit is None:
        return {}
    region, hits = _members(own, table)
    names = {entry.parameter for entry in own.pooled}
    found = {}
    for place, name in enumerate(own.unit.names):
        if name in names:
            own_bounds = next(one for one in table.parameters if one.name == name)
            both = [
                _by_bounds(own_bounds, _values(kind, name), region, hits).p_value
                for kind in (raw, unit)
            ]
            smaller = np.fmin(both[0], both[1])
            found[place] = np.minimum(2.0 * smaller, 1.0)
    return found


def _values(table: TrialTable, name: str) -> FloatArray:
    own = next(one for one in table.parameters if one.name == name)
    return np.asarray(own.values, dtype=np.float64)


def _by_bounds(
    parameter: Parameter, values: FloatArray, region: BoolArray, hits: list[BoolArray]
) -> Deviation:
    """Compare trials with neighbouring bounds."""
    ids = np.asarray(parameter.domain_ids)
    rows = np.flatnonzero(region & (ids >= 0))
    if len(rows) < 2:
        return no_deviation(len(hits))
    bounds = np.array([_bounds_of(domain) for domain in parameter.domains])[ids[rows]]
    order = np.lexsort((bounds[:, 1], bounds[:, 0]))
    strata = np.empty(len(rows), dtype=np.int64)
    strata[order] = np.arange(len(rows)) // STRATUM
    cells = rank_cells_of(values[rows][None])[0]
    total = int(cells.max()) + 1
    every = _table(strata, cells, total)
    target = np.array([_table(strata[own[rows]], cells[own[rows]], total, every) for own in hits])
    return deviation(every, target, kernel_of_test(total, len(rows), ordered=True))


def _bounds_of(domain: object) -> tuple[float, float]:
    return float(getattr(domain, "low", 0.0)), float(getattr(domain, "high", 0.0))


def _table(strata: IntArray, cells: IntArray, total: int, like: IntArray | None = None) -> IntArray:
    rows = int(strata.max()) + 1 if like is None else len(like)
    counted = np.bincount(strata * total + cells, minlength=rows * total)
    return np.asarray(counted.reshape(rows, total))
