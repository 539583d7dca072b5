"""Studies whose effects are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import optuna
import pandas as pd

import condped

SPACE: dict[str, Any] = {
    "model": {"type": "categorical", "choices": ["svm", "tree", "knn"]},
    "rate": {"type": "float", "low": 1e-4, "high": 1.0, "log": True, "when": "model == 'svm'"},
    "depth": {"type": "int", "low": 1, "high": 12, "when": "model == 'tree'"},
    "idle": {"type": "float", "low": 0.0, "high": 1.0},
}


def mixed(trials: int = 500, seed: int = 0) -> pd.DataFrame:
    """Return random trials of a conditional space with choices, whole numbers and a log scale."""
    rng = np.random.default_rng(seed)
    model = np.array(["svm", "tree", "knn"])[rng.integers(0, 3, trials)]
    rate = np.where(model == "svm", 10 ** rng.uniform(-4, 0, trials), np.nan)
    depth = np.where(model == "tree", rng.integers(1, 13, trials), np.nan)
    loss = np.abs(np.log10(np.where(model == "svm", rate, 1e-2)) + 2) / 4
    loss = loss + np.where(model == "tree", 0.3 + depth / 40, 0) + np.where(model == "knn", 0.9, 0)
    loss = loss + rng.normal(0, 0.05, trials)
    idle = rng.random(trials)
    return pd.DataFrame({"model": model, "rate": rate, "depth": depth, "idle": idle, "loss": loss})


def tuned(trials: int = 80, seed: int = 0) -> optuna.Study:
    """Return a study of TPE in which one of three parameters matters."""
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed, multivariate=False))

    def objective(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0.0, 1.0)
        trial.suggest_float("dead", 0.0, 1.0)
        y = trial.suggest_categorical("y", ["a", "b"])
        return (x - 0.3) ** 2 + 0.2 * (y == "b")

    study.optimize(objective, n_trials=trials)
    return study


def found(frame: pd.DataFrame, **options: Any) -> condped.Effects:
    """Return the effects of a frame of the mixed space, as random draws."""
    return condped.effects(frame, objective="loss", space=SPACE, sampling="random", **options)
