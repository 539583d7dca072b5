"""Random search that narrows the space where the trials give evidence for it."""

from __future__ import annotations

from pathlib import Path

import optuna
import optunahub


def objective(trial: optuna.Trial) -> float:
    model = trial.suggest_categorical("model", ["linear", "network"])
    if model == "linear":
        return 0.3 + abs(trial.suggest_float("alpha", -3, 3)) / 10
    return 0.1 + (trial.suggest_float("log_rate", -5, 0) + 2) ** 2 / 10


if __name__ == "__main__":
    module = optunahub.load_local_module(
        package="samplers/advised_sampler",
        registry_root=str(Path(__file__).parents[2]),
    )
    sampler = module.AdvisedSampler(optuna.samplers.RandomSampler(seed=0), every=50)
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=200)
    for step in sampler.steps:
        print(step.kind, step.parameter, step.reason)
    print(study.best_params)
