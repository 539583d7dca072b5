"""TPE that starts where ten studies of similar tasks were good."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import condped
import optuna
import optunahub


def objective(trial: optuna.Trial, best: float) -> float:
    x = trial.suggest_float("x", -5, 5)
    y = trial.suggest_float("y", -5, 5)
    return (x - best) ** 2 + 0.1 * y**2


if __name__ == "__main__":
    module = optunahub.load_local_module(
        package="samplers/informed_sampler",
        registry_root=str(Path(__file__).parents[2]),
    )
    past = []
    for seed in range(10):
        study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=seed))
        study.optimize(partial(objective, best=2 + 0.05 * seed), n_trials=60)
        past.append(study)
    sampler = module.InformedSampler(optuna.samplers.TPESampler(seed=0), condped.across(past))
    study = optuna.create_study(sampler=sampler)
    study.optimize(partial(objective, best=2.3), n_trials=40)
    print(study.best_params, sampler.opened)
