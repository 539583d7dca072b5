"""Trials: all counts by their definitions, and the same from one batch as from many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import condped
from condped.count.cells import cell_places
from condped.count.order_statistics import exact as order
from condped.count.trials import Trials
from condped.errors import DataError, SettingsError
from condped.space.condition import Condition
from condped.trials.regimes import expand_domains
from condped.trials.table import TrialTable
from condped.trials.where import columns_of
from tests.count import slow
from tests.count.studies import assert_same_counts, assert_same_ranks, drawn_handling, study
from tests.count.table_chunks import TableChunks, reference

QUANTILES: Sequence[tuple[float, ...]] = (
    (0.1,),
    (0.05, 0.3, 0.5),
    tuple(np.round(np.arange(1, 100) / 100, 2).tolist()),
)


def drawn(seed: int) -> tuple[TrialTable, tuple[float, ...], float, Any]:
    """Return trials, target quantiles, a region quantile and a handling."""
    rng = np.random.default_rng(seed)
    table = study(rng, int(rng.choice([5, 30, 100, 400])))
    handling, region = drawn_handling(rng), float(rng.choice([1.0, 0.6]))
    return table, tuple(q for q in QUANTILES[seed % 3] if q < region), region, handling


def in_batches(table: TrialTable, seed: int) -> Trials:
    """Return trials that come in small batches to some workers."""
    size, workers = ((50, 2), (400, 1), (7, 5))[seed % 3]
    return Trials.of(TableChunks(table, size, workers=workers))


@pytest.mark.parametrize("seed", range(24))
def test_all_counts_are_those_of_the_definitions(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sets, cells of the grids, cells by rank in blocks of time: against plain Python.

    With the cells of all parameters at once, as for small tables, and of one after the other.
    """
    if seed % 2:
        monkeypatch.setattr(cell_places, "_FEW_VALUES", 0)
    table, quantiles, region, handling = drawn(seed)
    trials = Trials.of(table)
    sets = trials.top_sets(quantiles, region, handling)
    expected = slow.sets_of(table, quantiles, region, handling)
    assert sets.counts.used == len(expected.levels)
    assert [*sets.target_sizes, sets.region_size] == [len(own) for own in expected.members]
    if seed % 4 == 3:
        trials, table = trials.expanded(), expand_domains(table)
    for parameter, own in zip(table.parameters, trials.count(sets).parameters, strict=True):
        found = slow.grid_counts(parameter, expected)
        kept = {domain for domain, counts in found.items() if sum(counts[-1]) >= 2}
        assert {regime.domain for regime in own.regimes} == kept
        assert own.dropped_region.tolist() == [1] * sum(sum(c[-1]) == 1 for c in found.values())
        for regime in own.regimes:
            assert [*regime.target.tolist(), regime.region.tolist()] == found[regime.domain]
    for blocks in (4, 1):
        ranked = trials.count_ranked(sets, blocks)
        assert_same_counts(trials.count_by_rank(sets), ranked.counts)
        for parameter, whole, parts in zip(
            table.parameters, ranked.counts.parameters, ranked.blocks, strict=True
        ):
            by_rank = slow.rank_counts(parameter, expected, range(len(table)), blocks)
            for regime, part in zip(whole.regimes, parts, strict=True):
                assert [*part.target.tolist(), part.region.tolist()] == by_rank[regime.domain]
                assert np.array_equal(regime.region, part.region.sum(axis=0))


@pytest.mark.parametrize("seed", range(24))
def test_many_batches_are_counted_as_one(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """All integers of an analysis are equal, with many bins at a time and with few."""
    table, quantiles, region, handling = drawn(seed)
    if seed % 2:
        monkeypatch.setattr(order, "MOST_BINS", 1 << 13)
        monkeypatch.setattr(order, "MOST_LEVELS", 20)
        monkeypatch.setattr(order, "_SHORT", 0)
    many, memory = in_batches(table, seed), Trials.of(table)
    one = many.top_sets(quantiles, region, handling)
    other = memory.top_sets(quantiles, region, handling)
    assert one.tally == other.tally
    assert np.array_equal(one.cutoffs, other.cutoffs)
    assert one.region == other.region
    assert one.all_equal == other.all_equal
    assert one.sorted_by_objective == other.sorted_by_objective
    conditions = [Condition.parse(c) for c in ("c < 0.3", "k == 'a' and c >= 0.5", "not n > 30")]
    held, like = many.count_where(one, conditions), memory.count_where(other, conditions)
    assert np.array_equal(held.sizes, like.sizes)
    assert np.array_equal(held.best, like.best, equal_nan=True)
    assert many.varying() == memory.varying()
    if seed % 4 == 3:
        many, memory = many.expanded(), memory.expanded()
    assert_same_counts(many.count(one), memory.count(other))
    for blocks in (1, 4):
        assert_same_ranks(many.count_ranked(one, blocks), memory.count_ranked(other, blocks))


@pytest.mark.parametrize("seed", range(6))
def test_conditions_are_counted_as_by_hand(seed: int) -> None:
    """How many trials of each set meet a condition, and the best loss among the used ones."""
    table, quantiles, region, handling = drawn(seed)
    trials = in_batches(table, seed)
    sets = trials.top_sets(quantiles, region, handling)
    expected = slow.sets_of(table, quantiles, region, handling)
    conditions = [Condition.parse(c) for c in ("c < 0.3", "k == 'a'", "n > 2000")]
    found = trials.count_where(sets, conditions)
    for place, condition in enumerate(conditions):
        held = condition.holds(columns_of(table)).tolist()
        sizes = [sum(held[row] for row in members) for members in expected.members]
        assert found.sizes[place].tolist() == sizes
        finite = [v for row, v in expected.levels.items() if held[row] and v < np.inf]
        assert found.best[place] == pytest.approx(min(finite, default=np.nan), abs=0, nan_ok=True)


@pytest.mark.parametrize("outcome", ["failed", "pruned", "nonfinite", "infeasible"])
def test_outcomes_are_counted_batch_by_batch(outcome: str) -> None:
    """What happened to a trial is known wherever the trial is."""
    table = study(np.random.default_rng(3), 400)
    many, memory = Trials.of(TableChunks(table, 30)), Trials.of(table)
    one, other = many.outcome_sets(outcome), memory.outcome_sets(outcome)
    assert one.tally == other.tally
    assert one.of_outcome
    states = {"failed": 2, "pruned": 1}
    if outcome in states:
        assert one.target_sizes.tolist() == [np.sum(table.states == states[outcome])]
    assert_same_counts(many.count(one), memory.count(other))
    assert_same_ranks(many.count_ranked(one, 3), memory.count_ranked(other, 3))
    own, like = condped.importance(many, target=outcome), condped.importance(table, target=outcome)
    assert own.to_dict() == like.to_dict()
    parts = condped.importance(many, target=outcome, intervals="jackknife")
    assert [p.intervals for p in parts] == [
        p.intervals for p in condped.importance(table, target=outcome, intervals="jackknife")
    ]


def test_only_parameters_with_two_values_vary() -> None:
    """A second value, or a second domain, may be in any batch; conditions leave trials out."""
    rows = 90
    table = condped.read(
        {
            "fixed": np.full(rows, 0.5),
            "late": np.where(np.arange(rows) == 88, 0.25, 0.5),
            "absent": [None] * rows,
            "k": ["a"] * 50 + ["b"] * 40,
            "inside": np.where(np.arange(rows) < 50, 0.5, np.linspace(0, 1, rows)),
            "loss": np.arange(rows, dtype=float),
        },
        objective="loss",
        space={
            **{
                name: {"type": "float", "low": 0, "high": 1}
                for name in ("fixed", "late", "absent", "inside")
            },
            "k": {"type": "categorical", "choices": ["a", "b"]},
        },
    )
    for trials in (Trials.of(table), Trials.of(TableChunks(table, 20, workers=3))):
        assert trials.varying() == ("late", "inside", "k")
        assert trials.inside(Condition.parse("k == 'a'")).varying() == ()
        assert trials.inside(Condition.parse("k == 'b'")).varying() == ("late", "inside")
        assert trials.with_parameters(["inside", "fixed"]).varying() == ("inside",)


def test_the_same_seed_gives_the_same_intervals() -> None:
    """Trials are dealt into groups by their numbers, however they are cut into batches."""
    table = condped.problems.get("nested").sample(500, seed=0)
    memory, one, same, other = (
        condped.importance(trials, intervals="jackknife", seed=seed)["x"].intervals
        for trials, seed in (
            (Trials.of(table), 0),
            (Trials.of(TableChunks(table, 30)), 0),
            (Trials.of(TableChunks(table, 500)), 0),
            (Trials.of(TableChunks(table, 30)), 1),
        )
    )
    assert memory == one == same
    assert one != other


def test_results_say_what_memory_says() -> None:
    """Importances, sweeps, evidence and account are equal."""
    table = study(np.random.default_rng(7), 800)
    counted = Trials.of(TableChunks(table, 100))
    # Trials that are only counted are not replayed: a test that does not depend on it.
    for options in ({}, {"method": "calibrated"}, {"measure": "unconditional"}):
        own: Any = condped.importance(counted, sampling="random", **options)  # type: ignore[arg-type]
        like: Any = condped.importance(table, sampling="random", **options)  # type: ignore[arg-type]
        told, same = own.to_data(), like.to_data()
        evidence = told.pop("evidence")
        assert evidence == f"{same.pop('evidence')} {counted.remark_on_repeats()}"
        assert told["tests"].pop("remark") == counted.remark_on_repeats()
        assert same["tests"].pop("remark") == ""
        # What gates choose and what values reached is told of trials in memory.
        for one in (told, same):
            one.pop("gates")
            one.pop("effects")
            for parameter in one["parameters"]:
                parameter.pop("choosing")
        assert told == same
        assert own.evidence.parameters == like.evidence.parameters
    swept = condped.sweep(counted, sampling="random")
    assert swept == condped.sweep(table, sampling="random")


def test_branches_are_those_of_memory() -> None:
    """The tree, the trials of each branch, and what matters inside."""
    table = study(np.random.default_rng(8), 800)
    own = condped.branches(Trials.of(TableChunks(table, 100)), sampling="random")
    like = condped.branches(table, sampling="random")
    # Told of trials in memory: what a gate chooses, what trials reached, when they were tried.
    memory = dict.fromkeys(("choosing", "median", "last_trial", "trials_ago"))
    rows = [[row | memory for row in one.rows()] for one in (own, like)]
    assert rows[0] == rows[1]


def test_what_needs_the_trials_themselves_is_refused() -> None:
    """Outcomes of the caller's own, robustness, advice and pooling say why."""
    table = study(np.random.default_rng(9), 100)
    counted = Trials.of(TableChunks(table, 100))
    with pytest.raises(SettingsError, match="in memory"):
        condped.importance(counted, target=np.zeros(100, dtype=bool))
    with pytest.raises(SettingsError, match="in memory"):
        condped.importance(counted).robustness()
    with pytest.raises(SettingsError, match="in memory"):
        condped.advise(counted)
    with pytest.raises(SettingsError, match="'x' has 2 domains to pool"):
        condped.importance(counted, pooling="always")


def test_a_condition_that_no_trial_meets_is_refused() -> None:
    """As in memory."""
    table = study(np.random.default_rng(9), 100)
    counter = reference(table, 100).where(Condition.parse("c > 1"))
    with pytest.raises(DataError, match="None of the 100 trials meets the condition 'c > 1'"):
        condped.importance(Trials(counter))
