"""A study of a conditional space, and its importances with verdicts in an HTML file."""

from __future__ import annotations

from pathlib import Path

import optuna
import optunahub


def objective(trial: optuna.Trial) -> float:
    model = trial.suggest_categorical("model", ["linear", "network"])
    trial.suggest_float("unused", 0, 1)
    if model == "linear":
        return 0.3 + abs(trial.suggest_float("alpha", -3, 3)) / 10
    return 0.1 + (trial.suggest_float("log_rate", -5, 0) + 2) ** 2 / 10


if __name__ == "__main__":
    module = optunahub.load_local_module(
        package="visualization/plot_importance_verdicts",
        registry_root=str(Path(__file__).parents[2]),
    )
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    study.optimize(objective, n_trials=200)
    figure = module.plot_importance_verdicts(study)
    figure.write_html("importances.html")
    print("Written: importances.html")
