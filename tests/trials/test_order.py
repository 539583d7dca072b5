"""What the order of trials tells: random draws, walks and local searches are told apart."""

from __future__ import annotations

import numpy as np
import pytest

import condped
from condped.trials.course.order import followed_parameter, resembles_the_last, wanders
from condped.trials.table import TrialTable

TRIALS = 120


def table(steps: float, seed: int) -> TrialTable:
    """Return trials of which each is some steps away from the last one."""
    rng = np.random.default_rng(seed)
    x, kinds = [0.5], ["a"]
    for _ in range(TRIALS - 1):
        x.append(float(np.clip(x[-1] + steps * rng.standard_normal(), 0, 1)))
        kinds.append(kinds[-1] if rng.random() > steps else str(rng.choice(list("abc"))))
    rows = {"x": x, "kind": kinds, "idle": rng.random(TRIALS), "loss": rng.random(TRIALS)}
    return condped.read(rows, objective="loss")


@pytest.mark.parametrize("seed", range(5))
def test_a_walk_resembles_the_last_trial(seed: int) -> None:
    """By its number as by its choice, whatever the results were."""
    found = table(0.08, seed)
    assert resembles_the_last(found)
    assert resembles_the_last(found.with_parameters(["kind"]))


@pytest.mark.parametrize("seed", range(20))
def test_random_draws_resemble_nothing(seed: int) -> None:
    """Numbers, integers of few levels and choices, with few and with many trials."""
    rng = np.random.default_rng(seed)
    size = (25, 100, 1000)[seed % 3]
    rows = {
        "number": rng.random(size), "levels": rng.integers(0, 3, size),
        "choice": rng.choice(["a", "b", "b"], size), "loss": rng.random(size),
    }  # fmt: skip
    found = condped.read(rows, objective="loss")
    assert not resembles_the_last(found)
    assert not wanders(found, rows["loss"])
    assert followed_parameter(found) is None


def test_a_constant_resembles_nothing() -> None:
    """There is nothing to be alike by chance."""
    found = condped.read({"x": [1.0] * 40, "loss": list(range(40))}, objective="loss")
    assert not resembles_the_last(found)
