"""Real Optuna studies whose right next step is known."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Literal

import optuna
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend

Direction = Literal["minimize", "maximize"]
TRIALS = 150
_DRAWN = Random(3)


def _maximised(trial: optuna.Trial) -> float:
    rate = trial.suggest_float("lr", 1e-5, 1.0, log=True)
    trial.suggest_float("momentum", 0.0, 1.0)
    return 1.0 - 0.1 * (math.log10(rate) + 2.0) ** 2


def _tied(trial: optuna.Trial) -> float:
    """An accuracy of few digits, with a ceiling that most trials reach."""
    width = trial.suggest_float("width", 0.0, 1.0)
    trial.suggest_float("dropout", 0.0, 1.0)
    return min(0.96, round(0.9 + 0.2 * width, 2))


def _noisy(trial: optuna.Trial) -> float:
    trial.suggest_float("a", 0.0, 1.0)
    trial.suggest_float("b", 0.0, 1.0)
    trial.suggest_categorical("c", ["u", "v"])
    return _DRAWN.random()


def _pruned(trial: optuna.Trial) -> float:
    """Most trials are pruned, which only the learning rate decides."""
    rate = trial.suggest_float("lr", 1e-5, 1.0, log=True)
    width = trial.suggest_float("width", 1.0, 10.0)
    trial.report(rate, 1)
    if rate > 3e-4:
        raise optuna.TrialPruned
    return (width - 5.0) ** 2


def _losing_branch(trial: optuna.Trial) -> float:
    if trial.suggest_categorical("model", ["svm", "knn"]) == "svm":
        return 0.2 * math.log10(trial.suggest_float("C", 1e-3, 1e3, log=True)) ** 2
    return 3.0 + abs(trial.suggest_float("radius", 0.0, 1.0) - 0.3)


_OBJECTIVES: dict[str, tuple[Direction, Callable[[optuna.Trial], float]]] = {
    "maximised": ("maximize", _maximised),
    "tied": ("maximize", _tied),
    "noisy": ("minimize", _noisy),
    "pruned": ("minimize", _pruned),
    "losing": ("minimize", _losing_branch),
    "again": ("maximize", _maximised),
}


def write_studies(path: Path, trials: int = TRIALS) -> Path:
    """Write all studies into one journal file."""
    storage = JournalStorage(JournalFileBackend(str(path)))
    for seed, (name, (direction, objective)) in enumerate(_OBJECTIVES.items(), 3):
        study = optuna.create_study(
            storage=storage,
            study_name=name,
            direction=direction,
            sampler=optuna.samplers.RandomSampler(seed=seed),
        )
        study.optimize(objective, n_trials=trials)
    return path


def write_running(path: Path) -> Path:
    """Write a study into an SQLite file of which two trials have not ended."""
    study = optuna.create_study(
        storage=f"sqlite:///{path}",
        study_name="running",
        sampler=optuna.samplers.RandomSampler(seed=1),
    )
    memory = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
    memory.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0) ** 2, n_trials=45)
    study.add_trials(memory.trials)
    for _ in range(2):
        study.ask().suggest_float("x", 0.0, 1.0)
    return path
