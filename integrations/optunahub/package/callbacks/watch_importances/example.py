"""A study of short trials that reports what matters while it runs."""

from __future__ import annotations

from pathlib import Path
import time

import optuna
import optunahub


def objective(trial: optuna.Trial) -> float:
    time.sleep(0.02)  # the training
    x = trial.suggest_float("x", -1, 1)
    trial.suggest_float("unused", -1, 1)
    return x**2


if __name__ == "__main__":
    module = optunahub.load_local_module(
        package="callbacks/watch_importances",
        registry_root=str(Path(__file__).parents[2]),
    )
    watch = module.Watch(every=20)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    study.optimize(objective, n_trials=100, callbacks=[watch])
    print(watch.result)
