"""The test in use: verdicts, noise, samplers that follow what they have seen, rare branches."""

from __future__ import annotations

from typing import Any

import numpy as np
import optuna
import pytest

import condped
from condped.analyse.evidence.sampling import RANDOM_IS_SOONER

PARAMETERS = ["float", "few", "many", "choice"]


def noise(trials: int, seed: int) -> dict[str, Any]:
    """Return trials in which nothing has anything to do with the loss."""
    rng = np.random.default_rng(seed)
    return {
        "loss": rng.random(trials),
        "float": rng.random(trials),
        "few": rng.integers(0, 4, trials),
        "many": rng.integers(0, 500, trials),
        "choice": rng.choice(["a", "b", "c"], trials),
    }


@pytest.mark.parametrize("sampling", ["random", "ordered"])
@pytest.mark.parametrize("trials", [60, 300])
def test_noise_is_called_noise(trials: int, sampling: Any) -> None:
    """About one p-value in twenty is below 0.05, and hardly ever does anything matter."""
    low, matters = 0, 0
    for seed in range(60):
        result = condped.importance(noise(trials, seed), objective="loss", sampling=sampling)
        low += sum(evidence.p_value < 0.05 for evidence in result.evidence)
        matters += not result.evidence.enough
    assert 0.015 <= low / 240 <= 0.09
    assert matters >= 0.8 * 60


def test_effects_are_found_and_said() -> None:
    """Of the parameters, of each regime, of the study as a whole, in all outputs."""
    result = condped.importance(condped.problems.get("nested").sample(500, seed=0))
    evidence = result.evidence
    # No trial of the branch in which z is active reaches the target set.
    assert (evidence["x"].verdict, evidence["z"].verdict) == ("matters", "not testable")
    assert evidence["x"].p_value < 1e-6
    assert len(evidence["x"].regimes) == len(result["x"].regimes)
    assert "have a statistically significant effect" in str(result)
    known = {"matters", "unclear", "no evidence", "not testable"}
    assert {row["verdict"] for row in result.rows()} <= known
    assert result.to_data()["evidence"] == evidence.message
    nothing = condped.importance(noise(100, 4), objective="loss")
    assert nothing.evidence.message.startswith("Not enough evidence: none of 4 parameters")
    assert "at random" not in nothing.evidence.message
    learnt = condped.importance(noise(100, 0), objective="loss", sampling="tpe")
    assert not learnt.evidence.enough
    assert RANDOM_IS_SOONER in learnt.evidence.message
    page = condped.report(noise(100, 0), objective="loss", sampling="tpe")
    assert page.page_data["remedy"] == RANDOM_IS_SOONER


def test_samplers_that_follow_what_they_saw_do_not_fool_the_test() -> None:
    """TPE moves everything with time, also what does not matter; replays see through it."""
    found = {"random": 0, "auto": 0}
    for seed in range(12):
        study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
        study.optimize(
            lambda t: (
                (t.suggest_float("x", 0, 1) - 0.3) ** 2
                + 0 * sum(t.suggest_float(f"n{i}", 0, 1) for i in range(4))
            ),
            n_trials=120,
        )
        random = condped.importance(study, sampling="random").evidence
        auto = condped.importance(study, sampling="auto").evidence
        found["random"] += sum(random[f"n{i}"].p_value < 0.05 for i in range(4))
        found["auto"] += sum(auto[f"n{i}"].p_value < 0.05 for i in range(4))
    assert found["auto"] / 48 <= 0.15
    assert found["auto"] < found["random"]


def test_a_rare_branch_does_not_look_important() -> None:
    """Five truth-zero parameters in a branch of 5 %: the calibrated method gives them little."""
    shares: dict[str, list[float]] = {"paper": [], "calibrated": []}
    for seed in range(15):
        rng = np.random.default_rng(seed)
        rare = rng.random(200) < 0.05
        trials: dict[str, Any] = {"gate": np.where(rare, "rare", "usual"), "x": rng.random(200)}
        for number in range(5):
            trials[f"r{number}"] = np.where(rare, rng.random(200), np.nan)
        trials["loss"] = trials["x"] + 0.3 * rng.random(200)
        space: dict[str, Any] = {
            "gate": {"type": "categorical", "choices": ["rare", "usual"]},
            "x": {"type": "float", "low": 0, "high": 1},
        }
        for number in range(5):
            space[f"r{number}"] = {
                "type": "float", "low": 0, "high": 1, "when": "gate == 'rare'"
            }  # fmt: skip
        for method, found in shares.items():
            result = condped.importance(
                trials,
                objective="loss",
                space=space,
                method=method,  # type: ignore[arg-type]
            )
            found.append(sum(result[f"r{number}"].importance for number in range(5)))
    assert np.mean(shares["calibrated"]) < 0.03
    assert np.mean(shares["calibrated"]) <= np.mean(shares["paper"])


def test_a_sweep_tests_every_point() -> None:
    """With the numbers of the single result."""
    table = condped.problems.get("three-way").sample(300, seed=1)
    curve = condped.sweep(table, target_quantiles=[0.1, 0.2])
    result = condped.importance(table, target_quantile=0.2)
    for place, name in enumerate(curve.names):
        single = result.evidence[name].p_value
        assert curve.p_values[1, place] == pytest.approx(single, rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("trials", [1, 2, 3, 8, 10, 16])
def test_few_trials_have_p_values_all_the_same(trials: int) -> None:
    """Between 0 and 1, none adjusted downwards, and nothing is said to matter out of rounding."""
    matters = 0
    for seed in range(40):
        result = condped.importance(noise(trials, seed), objective="loss", parameters=PARAMETERS)
        for evidence in result.evidence:
            if evidence.verdict != "not testable":
                assert 0.0 <= evidence.p_value <= evidence.adjusted_p_value <= 1.0
            matters += evidence.verdict == "matters"
    assert matters <= 8


def test_rows_sorted_by_the_objective_are_not_taken_for_time() -> None:
    """As in a leaderboard: no stretch of it would hold both hits and others."""
    rng = np.random.default_rng(0)
    x = rng.random(400)
    loss = x + 0.01 * rng.random(400)
    order = np.argsort(loss)
    trials = {"x": x[order], "y": rng.random(400), "loss": loss[order]}
    result = condped.importance(trials, objective="loss", target_quantile=0.25)
    assert result.evidence["x"].verdict == "matters"
    assert any("sorted by the objective" in note for note in result.account.notes)


def test_repeated_configurations_are_told_of() -> None:
    """Where many trials have the values of another one, unless only some parameters are known."""
    rng = np.random.default_rng(0)
    trials = {"x": np.repeat(rng.random(60), 5), "y": np.repeat(rng.random(60), 5)}
    trials["loss"] = rng.random(300)
    told = "240 of 300 trials repeat a configuration; the test merges them."
    result = condped.importance(trials, objective="loss")
    assert result.evidence.message.endswith(told)
    some = condped.importance(trials, objective="loss", parameters=["x"])
    assert "repeat" not in some.evidence.message
    alone = condped.importance({**trials, "x": rng.random(300)}, objective="loss")
    assert "repeat" not in alone.evidence.message
