from __future__ import annotations

from pathlib import Path

import optuna
import optunahub
import pytest


module = optunahub.load_local_module(
    package="samplers/advised_sampler",
    registry_root=str(Path(__file__).parents[3]),
)


def objective(trial: optuna.Trial) -> float:
    if trial.suggest_categorical("model", ["linear", "network"]) == "linear":
        return 0.3 + abs(trial.suggest_float("alpha", -3, 3)) / 10
    return 0.1 + (trial.suggest_float("log_rate", -5, 0) + 2) ** 2 / 10


def test_most_trials_are_drawn_from_the_smaller_space() -> None:
    sampler = module.AdvisedSampler(optuna.samplers.RandomSampler(seed=0), every=50, explore=0.2)
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=200)
    assert {step.parameter for step in sampler.steps} >= {"model", "log_rate"}
    before, after = study.trials[:100], study.trials[100:]
    good = [sum(trial.values[0] < 0.15 for trial in part) for part in (before, after)]
    assert good[1] > 2 * good[0]
    assert any(trial.params["model"] == "linear" for trial in after)  # exploring


def test_without_evidence_the_sampler_inside_draws() -> None:
    def drawn(sampler: optuna.samplers.BaseSampler) -> list[float]:
        study = optuna.create_study(sampler=sampler)
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=20)
        return [trial.params["x"] for trial in study.trials]

    alone = drawn(optuna.samplers.TPESampler(seed=1))
    assert drawn(module.AdvisedSampler(optuna.samplers.TPESampler(seed=1))) == alone


def test_bad_options_are_refused() -> None:
    with pytest.raises(ValueError, match="explore"):
        module.AdvisedSampler(explore=2)
