"""Trials that an engine counts give what the same trials give in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from condped.count.engine_trials import EngineTrials
from condped.count.in_memory import InMemory

import condped
from condped.analyse.importance.analysis import analyse
from condped.analyse.importance.intervals import uncertainty
from condped.count.counts import StudyCounts
from condped.errors import DataError, SettingsError
from condped.estimate.settings import Settings
from condped.space.condition import Condition
from condped.trials.table import TrialTable
from condped.trials.topsets import Handling
from tests.count.table_chunks import reference

SPACE: dict[str, Any] = {
    "c": {"type": "float", "low": 0, "high": 1},
    "k": {"type": "categorical", "choices": ["a", "b", "ü'x"]},
    "x": [
        {"type": "float", "low": -7, "high": -2, "when": "c < 0.5"},
        {"type": "float", "low": 2, "high": 5, "when": "c >= 0.5"},
    ],
    "n": {"type": "int", "low": 1, "high": 1000, "log": True, "when": "k == 'a'"},
    "s": {"type": "float", "low": 0, "high": 1, "step": 0.1},
    "m": {"type": "int", "low": 2**53, "high": 2**53 + 5000},
}


def study(rng: np.random.Generator, trials: int) -> TrialTable:
    """Return trials of all endings, with ties, in a space with ifs."""
    c, k = rng.random(trials), rng.choice(["a", "b", "ü'x"], trials)
    x = np.where(c < 0.5, rng.uniform(-7, -2, trials), rng.uniform(2, 5, trials))
    whole = np.exp(rng.uniform(0, np.log(1000), trials)).astype(int)
    loss = np.round(np.abs(x) + rng.normal(size=trials), int(rng.integers(0, 6)))
    loss[rng.random(trials) < 0.05] = rng.choice([np.nan, np.inf, -np.inf])
    return condped.read(
        {
            "c": c,
            "k": k.tolist(),
            "x": x,
            "n": [int(v) if choice == "a" else None for v, choice in zip(whole, k, strict=True)],
            "s": np.round(rng.integers(0, 11, trials) * 0.1, 10),
            "m": 2**53 + rng.integers(0, 5001, trials),
            "loss": loss,
            "state": rng.choice(
                ["complete", "failed", "pruned", "running"], trials, p=[0.85, 0.05, 0.05, 0.05]
            ).tolist(),
            "over": rng.normal(size=trials) - 1,
        },
        objective="loss",
        direction=str(rng.choice(["minimize", "maximize"])),
        space=SPACE,
        state="state",
        constraints=["over"],
    )


def drawn_handling(rng: np.random.Generator) -> Any:
    """Return some way to treat trials that did not end well."""
    return Handling(
        failed=rng.choice(["drop", "worst"]).item(),
        pruned=rng.choice(["keep", "drop", "worst"]).item(),
        nonfinite=rng.choice(["drop", "worst"]).item(),
        infeasible=rng.choice(["keep", "drop", "worst"]).item(),
    )


def assert_same_counts(one: StudyCounts, other: StudyCounts) -> None:
    """Compare every integer."""
    assert one.region_size == other.region_size
    assert one.target_sizes.tolist() == other.target_sizes.tolist()
    for own, like in zip(one.parameters, other.parameters, strict=True):
        assert own.name == like.name
        assert sorted(own.dropped_region.tolist()) == sorted(like.dropped_region.tolist())
        for regime, twin in zip(own.regimes, like.regimes, strict=True):
            assert regime.domain == twin.domain
            assert np.array_equal(regime.region, twin.region)
            assert np.array_equal(regime.target, twin.target)


QUANTILES: Sequence[tuple[float, ...]] = (
    (0.1,),
    (0.05, 0.3, 0.5),
    tuple(np.round(np.arange(1, 100) / 100, 2).tolist()),
)


@pytest.mark.parametrize("seed", range(24))
def test_sets_cells_ranks_and_branches_are_those_of_memory(seed: int) -> None:
    """All integers of an analysis are equal, with many bins at a time and with few."""
    rng = np.random.default_rng(seed)
    table = study(rng, int(rng.choice([5, 30, 100, 400])))
    handling, region = drawn_handling(rng), float(rng.choice([1.0, 0.6]))
    quantiles = tuple(q for q in QUANTILES[seed % 3] if q < region)
    passes = reference(table, size=int(rng.choice([50, 400])))
    if seed % 2:
        passes = replace(passes, most_bins=256, most_levels=20)
    engine: Any = EngineTrials(passes)
    memory: Any = InMemory(table)
    one = engine.top_sets(quantiles, region, handling)
    other = memory.top_sets(quantiles, region, handling)
    assert one.counts == other.counts
    assert one.all_equal == other.all_equal
    assert engine.sorted_by_objective(one) == memory.sorted_by_objective(other)
    conditions = [Condition.parse(c) for c in ("c < 0.3", "k == 'a' and c >= 0.5", "not n > 30")]
    held, like = engine.count_where(one, conditions), memory.count_where(other, conditions)
    assert np.array_equal(held.sizes, like.sizes)
    assert np.array_equal(held.best, like.best, equal_nan=True)
    if seed % 4 == 3:
        engine, memory = engine.expanded(), memory.expanded()
    assert_same_counts(engine.count(one), memory.count(other))
    for blocks in (1, 4):
        ranked, twin = engine.count_ranked(one, blocks), memory.count_ranked(other, blocks)
        assert_same_counts(ranked.counts, twin.counts)
        for own, blocked in zip(ranked.blocks, twin.blocks, strict=True):
            for regime, same in zip(own, blocked, strict=True):
                assert regime.ordered == same.ordered
                assert np.array_equal(regime.region, same.region)
                assert np.array_equal(regime.target, same.target)


@pytest.mark.parametrize("method", ["paper", "calibrated"])
@pytest.mark.parametrize("intervals", ["half-sampling", "jackknife"])
def test_intervals_are_as_wide_as_in_memory(method: Any, intervals: Any) -> None:
    """Other parts of the same trials: the standard errors agree within what chance allows."""
    table = condped.problems.get("nested").sample(3000, seed=0)
    settings, quantiles = Settings(method=method), (0.1,)
    bands = []
    for trials in (InMemory(table), EngineTrials(reference(table, 500))):
        found = analyse(trials, quantiles, settings, Handling())
        band = uncertainty(found, quantiles, intervals=intervals, level=0.9, seed=0)
        assert band is not None
        bands.append(band.importance.error[0])
    real = bands[0] > 1e-3
    # A standard error from 20 groups is itself known to about a sixth.
    assert (np.abs(np.log(bands[1][real] / bands[0][real])) < 0.5).all()


def test_the_same_seed_gives_the_same_intervals() -> None:
    """Trials are dealt into groups by their numbers, however they are cut into chunks."""
    table = condped.problems.get("nested").sample(500, seed=0)
    results = [
        condped.importance(EngineTrials(reference(table, size)), intervals="jackknife", seed=seed)[
            "x"
        ].intervals
        for size, seed in ((30, 0), (500, 0), (30, 1))
    ]
    assert results[0] == results[1]
    assert results[0] != results[2]


def test_results_say_what_memory_says() -> None:
    """Importances, sweeps, evidence and account are equal."""
    table = study(np.random.default_rng(7), 800)
    counted = EngineTrials(reference(table, 100))
    for options in ({}, {"method": "calibrated"}, {"measure": "unconditional"}):
        own: Any = condped.importance(counted, **options)  # type: ignore[arg-type]
        like: Any = condped.importance(table, **options)  # type: ignore[arg-type]
        told, same = own.to_data(), like.to_data()
        evidence = told.pop("evidence")
        assert evidence == f"{same.pop('evidence')} {counted.remark_on_repeats()}"
        assert told == same
        assert own.evidence.parameters == like.evidence.parameters
    assert condped.sweep(counted) == condped.sweep(table)


def test_branches_are_those_of_memory() -> None:
    """The tree, the trials of each branch, and what matters inside."""
    table = study(np.random.default_rng(8), 800)
    own = condped.branches(EngineTrials(reference(table, 100)))
    like = condped.branches(table)
    assert own.rows() == like.rows()


def test_what_needs_the_trials_themselves_is_refused() -> None:
    """Outcomes, robustness, advice and pooling say why."""
    table = study(np.random.default_rng(9), 100)
    counted = EngineTrials(reference(table, 100))
    with pytest.raises(SettingsError, match="in memory"):
        condped.importance(counted, target="failed")
    with pytest.raises(SettingsError, match="in memory"):
        condped.importance(counted).robustness()
    with pytest.raises(SettingsError, match="in memory"):
        condped.advise(counted)
    with pytest.raises(SettingsError, match="'x' has 2 domains to pool"):
        condped.importance(counted, pooling="always")


def test_a_condition_that_no_trial_meets_is_refused() -> None:
    """As in memory."""
    table = study(np.random.default_rng(9), 100)
    passes = reference(table, 100).where(Condition.parse("c > 1"))
    with pytest.raises(DataError, match="None of the 100 trials meets the condition 'c > 1'"):
        condped.importance(EngineTrials(passes))
