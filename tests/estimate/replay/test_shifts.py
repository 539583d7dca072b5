"""The test against the same values at other times: its level on walks, its power, its order."""

from __future__ import annotations

from typing import Literal

import numpy as np
import optuna
import pytest

import condped
from condped.analyse.evidence.evidence import Evidence
from condped.arrays import FloatArray
from condped.estimate.replay.replay_test import _other_times

TRIALS, STUDIES = 120, 60


def walk(rng: np.random.Generator) -> FloatArray:
    """Return a number that wanders between 0 and 1."""
    steps = np.cumsum(0.12 * rng.standard_normal(TRIALS))
    return np.abs((steps + 0.5) % 2.0 - 1.0)


def evidence(seed: int, sampling: Literal["auto", "random"]) -> Evidence:
    """Return what is said of trials that wander, beside an objective that does so, too."""
    rng = np.random.default_rng(seed)
    x, idle, own = walk(rng), walk(rng), walk(rng)
    rows = {"x": x, "idle": idle, "loss": x + own}
    result = condped.importance(rows, objective="loss", target_quantile=0.3, sampling=sampling)
    return result.evidence


@pytest.fixture(scope="module", name="studies")
def _studies() -> list[Evidence]:
    return [evidence(seed, "auto") for seed in range(STUDIES)]


def test_walks_are_told_and_moved_in_time(studies: list[Evidence]) -> None:
    """By default, and it is said."""
    assert sum("at other times" in found.sampling for found in studies) > 0.95 * STUDIES


def test_what_wanders_by_itself_is_no_effect(studies: list[Evidence]) -> None:
    """As often as chance has it (three standard errors), where a test among all fails."""
    low = np.mean([found["idle"].p_value < 0.05 for found in studies])
    assert low < 0.05 + 3 * np.sqrt(0.05 * 0.95 / STUDIES)
    among_all = [evidence(seed, "random")["idle"].p_value for seed in range(STUDIES)]
    assert np.mean(np.array(among_all) < 0.05) > 0.25


def test_an_effect_is_found(studies: list[Evidence]) -> None:
    """One that is half of what moves."""
    assert np.mean([found["x"].p_value < 0.05 for found in studies]) > 0.5


@pytest.mark.parametrize("trials", [1, 2, 9, 40, 500])
def test_every_order_keeps_all_trials_and_their_neighbours(trials: int) -> None:
    """Begun elsewhere, forward or backward; never the order itself, of more than a few trials."""
    orders = _other_times(trials)
    assert (np.sort(orders, axis=1) == np.arange(trials)).all()
    steps = np.diff(orders, axis=1) % trials
    assert ((steps == 1 % trials) | (steps == -1 % trials)).all()
    assert len(np.unique(orders, axis=0)) == len(orders)  # each once: p-values count them
    if trials > 1:
        assert not (orders == np.arange(trials)).all(axis=1).any()


def test_values_that_were_all_given_are_not_testable() -> None:
    """Enqueued trials that wander: there is nothing that a sampler drew."""
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(0))
    rng = np.random.default_rng(0)
    for x in walk(rng)[:40]:
        study.enqueue_trial({"x": float(x)})
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1) + rng.random(), n_trials=40)
    stored = optuna.create_study()
    stored.add_trials(study.trials)
    assert condped.importance(stored).evidence["x"].verdict == "not testable"
