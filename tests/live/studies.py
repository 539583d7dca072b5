"""Optuna studies that grow while they are looked at."""

from __future__ import annotations

from pathlib import Path

import optuna


def storage_in(folder: Path) -> str:
    """Return the URL of a new SQLite storage."""
    return f"sqlite:///{folder / 'studies.db'}"


def run_trials(url: str, trials: int, *, study: str = "tuning", seed: int = 0) -> optuna.Study:
    """Run trials of a study with a choice that switches parameters on and off."""
    made = optuna.create_study(
        study_name=study,
        storage=url,
        load_if_exists=True,
        sampler=optuna.samplers.RandomSampler(seed=seed),
    )
    made.optimize(_objective, n_trials=trials)
    return made


def _objective(trial: optuna.Trial) -> float:
    x = trial.suggest_float("x", 0, 1)
    trial.suggest_float("idle", 0, 1)
    if trial.suggest_categorical("model", ["svm", "net"]) == "net":
        return x + abs(trial.suggest_float("rate", 1e-5, 1, log=True) - 0.01)
    return x + 0.5
