"""Trials with all that is counted apart: conditions, endings, ties, wide integers."""

from __future__ import annotations

from typing import Any

import numpy as np

import condped
from condped.count.counts import RankedStudy, StudyCounts
from condped.trials.table import TrialTable
from condped.trials.used_trials import Handling

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
    """Return trials of all endings, with ties, in a conditional search space."""
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
        direction="maximize" if rng.random() < 0.5 else "minimize",
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


def assert_same_ranks(one: RankedStudy, other: RankedStudy) -> None:
    """Compare every integer of counts by rank."""
    assert_same_counts(one.counts, other.counts)
    for own, like in zip(one.blocks, other.blocks, strict=True):
        for regime, twin in zip(own, like, strict=True):
            assert regime.ordered == twin.ordered
            assert np.array_equal(regime.region, twin.region)
            assert np.array_equal(regime.target, twin.target)
