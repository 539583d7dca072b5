"""Samplers that draw some trials at random and choose the others: only the former are compared."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import condped
from condped.analyse.importance.analysis import count_sets
from condped.analyse.options import Question
from condped.arrays import BoolArray
from condped.trials.course.drawing import Drawing, SamplerRecord
from condped.trials.table import TrialTable

SPACE: dict[str, Any] = {
    "x": {"type": "float", "low": 0, "high": 1},
    "dead": {"type": "float", "low": 0, "high": 1},
    "kind": {"type": "categorical", "choices": ["a", "b"]},
    "inside": {"type": "int", "low": 0, "high": 9, "when": "kind == 'a'"},
}
NAMES = tuple(SPACE)


def drawn(trials: int, seed: int, spread: float = 0.02) -> tuple[dict[str, Any], BoolArray]:
    """Return trials of a simple local search, two fifths of them at random, and which those are."""
    rng = np.random.default_rng(seed)
    independent = rng.random(trials) < 0.4
    independent[:10] = True
    rows: list[tuple[float, float]] = []
    losses: list[float] = []
    for random in independent:
        x, dead = rng.random(2)
        if not random:
            best = rows[int(np.argmin(losses))]
            x, dead = np.clip(np.array(best) + spread * rng.normal(size=2), 0, 1)
        rows.append((x, dead))
        losses.append((x - 0.3) ** 2 + 0.01 * rng.random())
    kind = rng.choice(["a", "b"], trials)
    inside = [int(rng.integers(10)) if own == "a" else None for own in kind]
    x, dead = np.array(rows).T
    return {"x": x, "dead": dead, "kind": kind, "inside": inside, "loss": losses}, independent


def table_of(columns: dict[str, Any], independent: BoolArray | None) -> TrialTable:
    """Return the trials as a reader gives them that knows which were drawn at random."""
    table = condped.read(columns, objective="loss", space=SPACE)
    record = SamplerRecord("Search", "other", "a test")
    return replace(table, drawing=Drawing((record,), independent=independent))


def p_values(table: TrialTable, **options: Any) -> list[float]:
    """Return the p-values of all parameters."""
    evidence = condped.importance(table, **options).evidence
    return [evidence[name].p_value for name in NAMES]


@pytest.mark.parametrize("trials", [40, 150])
@pytest.mark.parametrize("quantile", [0.1, 0.4])
def test_p_values_are_those_of_a_study_of_the_random_trials(trials: int, quantile: float) -> None:
    """The same shares of them are the target set, but ten of them at least."""
    columns, independent = drawn(trials, seed=1)
    table = table_of(columns, independent)
    alone = condped.read(columns, objective="loss", space=SPACE).only(independent)
    share = max(quantile, min(10 / len(alone), 0.5))
    expected = p_values(alone, target_quantile=share, sampling="random")
    assert p_values(table, target_quantile=quantile) == pytest.approx(expected, nan_ok=True)
    result = condped.importance(table, target_quantile=quantile)
    assert result.evidence.sampling == (
        f"Compared among the {len(alone)} of {trials} trials that were drawn without regard to "
        "results, their best with the others (Search, from a test)."
    )


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.05, 0.1, 0.3]))
def test_chosen_trials_do_not_count(seed: int, quantile: float) -> None:
    """Whatever values and losses they have, the p-values stay of what the target set has at all."""
    columns, independent = drawn(60, seed)
    expected = p_values(table_of(columns, independent), target_quantile=quantile)
    rng = np.random.default_rng(seed)
    changed = dict(columns)
    for name in ("x", "dead", "loss"):
        changed[name] = np.where(independent, columns[name], rng.random(60))
    found = p_values(table_of(changed, independent), target_quantile=quantile)
    lacks = [_lacks_inside(one, quantile) for one in (columns, changed)]
    assert [np.isnan(one[-1]) for one in (expected, found)] == lacks
    some = slice(None, -1) if any(lacks) else slice(None)
    assert found[some] == pytest.approx(expected[some])


def _lacks_inside(columns: dict[str, Any], quantile: float) -> bool:
    """Return whether no trial of the target set has the last parameter active."""
    best = np.argsort(columns["loss"])[: math.ceil(quantile * 60)]
    return all(columns["inside"][trial] is None for trial in best)


def test_a_search_around_the_best_trials_does_not_fool_the_test() -> None:
    """Of dead parameters one p-value in twenty is below 0.05; without the record many more are."""
    known, unknown, found = [], [], []
    for seed in range(100):
        columns, independent = drawn(80, seed)
        table = table_of(columns, independent)
        evidence = condped.importance(table).evidence
        known.append(evidence["dead"].p_value)
        found.append(evidence["x"].p_value)
        among = condped.importance(table_of(columns, None), sampling="ordered").evidence
        unknown.append(among["dead"].p_value)
    low = [np.mean(np.array(p) < 0.05) for p in (known, unknown, found)]
    assert low[0] <= 0.12  # 0.05 and three standard errors
    assert low[1] > 0.15
    assert low[2] > 0.8


def test_several_target_sets_at_once_give_the_same() -> None:
    """A sweep tests each quantile as if it were the only one."""
    columns, independent = drawn(120, seed=3)
    table = table_of(columns, independent)
    quantiles = (0.05, 0.1, 0.3)
    counts = count_sets(table, Question(target_quantiles=quantiles))
    for place, quantile in enumerate(quantiles):
        expected = p_values(table, target_quantile=quantile)
        assert counts.p_values[place] == pytest.approx(expected, nan_ok=True)
        assert counts.at(place).p_values[0] == pytest.approx(expected, nan_ok=True)
        fresh = count_sets(table, Question(target_quantiles=quantiles)).at(place)
        assert fresh.p_values[0] == pytest.approx(expected, nan_ok=True)


def test_an_outcome_is_looked_for_among_the_random_trials() -> None:
    """Outcomes have no best share: those trials that had it are the target set."""
    columns, independent = drawn(120, seed=4)
    table = table_of(columns, independent)
    bad = np.asarray(columns["loss"]) > 0.05
    alone = condped.read(columns, objective="loss", space=SPACE).only(independent)
    expected = p_values(alone, target=bad[independent], sampling="random")
    assert p_values(table, target=bad) == pytest.approx(expected, nan_ok=True)


def test_a_handful_of_random_trials_is_not_enough() -> None:
    """Then all trials are compared, with replays and among neighbours in time."""
    columns, independent = drawn(60, seed=5)
    independent[np.flatnonzero(independent)[9:]] = False
    sampling = condped.importance(table_of(columns, independent)).evidence.sampling
    assert "the larger p-value counts (Search, from a test)" in sampling


def test_what_the_caller_says_of_sampling_goes_first() -> None:
    """``sampling`` overrides what the source records."""
    columns, independent = drawn(60, seed=6)
    table = table_of(columns, independent)
    plain = condped.read(columns, objective="loss", space=SPACE)
    for sampling in ("random", "ordered"):
        expected = p_values(plain, sampling=sampling)
        assert p_values(table, sampling=sampling) == pytest.approx(expected, nan_ok=True)
