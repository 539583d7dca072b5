"""Studies to watch, and processes that write them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import optuna
import pytest

# Arguments: the storage, how many trials, and the seconds that each takes.
_WRITER = """
import sys, time, optuna
optuna.logging.set_verbosity(optuna.logging.ERROR)
url, trials, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
def objective(trial):
    x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
    time.sleep(seconds)
    if trial.number % 10 == 7:
        raise optuna.TrialPruned
    return x + 0.1 * y
sampler = optuna.samplers.RandomSampler(seed=0)
study = optuna.create_study(storage=url, study_name="s", load_if_exists=True, sampler=sampler)
study.optimize(objective, n_trials=trials)
"""


def url_of(folder: Path) -> str:
    """Return the storage of a study in a folder."""
    return f"sqlite:///{folder / 'study.db'}"


def write_trials(url: str, trials: int) -> optuna.Study:
    """Write trials of the study ``s``: x decides, y does little, every tenth is pruned."""
    sampler = optuna.samplers.RandomSampler(seed=0)
    study = optuna.create_study(storage=url, study_name="s", load_if_exists=True, sampler=sampler)
    study.optimize(objective, n_trials=trials)
    return study


def objective(trial: optuna.Trial) -> float:
    """Return a value that x decides."""
    x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
    if trial.number % 10 == 7:
        raise optuna.TrialPruned
    return x + 0.1 * y


@contextmanager
def writing(url: str, trials: int, seconds: float) -> Iterator[subprocess.Popen[bytes]]:
    """Let another process write trials; it is gone after the block."""
    command = [sys.executable, "-c", _WRITER, url, str(trials), str(seconds)]
    process = subprocess.Popen(command)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def storage(tmp_path: Path) -> str:
    """Return the URL of a storage with 45 finished trials."""
    url = url_of(tmp_path)
    write_trials(url, 45)
    return url
