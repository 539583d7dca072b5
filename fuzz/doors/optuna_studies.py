"""Optuna studies to start from, and what Optuna itself reads from a storage."""

from __future__ import annotations

import math
import sqlite3
from pathlib import Path
from typing import Any

from fuzz.door import DiffersError

STATES = {"COMPLETE": 0, "PRUNED": 1, "FAIL": 2, "RUNNING": 3, "WAITING": 3}


def fill(storage: Any, trials: int = 12) -> None:
    """Write two studies with conditions, intermediate values, failures and attributes."""
    import optuna  # noqa: PLC0415  (imported by workers only)

    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def objective(trial: Any) -> float:
        rate = trial.suggest_float("lr", 1e-5, 1.0, log=True)
        if trial.suggest_categorical("model", ["svm", "net", None, True, 1]) == "net":
            rate += trial.suggest_int("layers", 1, 9, step=2)
        trial.report(rate, 1)
        trial.set_user_attr("note", {"größe": [1, None]})
        if trial.number == 3:
            raise ArithmeticError
        if trial.number == 5:
            raise optuna.TrialPruned
        return float(rate)

    study = optuna.create_study(
        storage=storage, study_name="tuning", sampler=optuna.samplers.RandomSampler(seed=1)
    )
    study.optimize(objective, n_trials=trials, catch=(ArithmeticError,))
    study.ask()
    study.enqueue_trial({"lr": 0.5})
    other = optuna.create_study(
        storage=storage, study_name="other", directions=["minimize", "maximize"],
        sampler=optuna.samplers.RandomSampler(seed=2),
    )  # fmt: skip
    other.optimize(lambda t: (t.suggest_float("x", 0, 1), t.suggest_float("y", -1, 1)), n_trials=4)


def sqlite_seed(path: Path) -> bytes:
    """Return an SQLite database that Optuna wrote."""
    import optuna  # noqa: PLC0415  (imported by workers only)

    storage = optuna.storages.RDBStorage(f"sqlite:///{path}")
    fill(storage)
    storage.remove_session()
    storage.engine.dispose()
    with sqlite3.connect(path) as connection:
        connection.execute("VACUUM")
    connection.close()
    data = path.read_bytes()
    path.unlink()
    return data


def journal_seed(path: Path) -> bytes:
    """Return a journal that Optuna wrote."""
    import optuna  # noqa: PLC0415  (imported by workers only)
    from optuna.storages.journal import JournalFileBackend  # noqa: PLC0415

    backend = JournalFileBackend(str(path))
    fill(optuna.storages.JournalStorage(backend))
    data = path.read_bytes()
    path.unlink()
    return data


def compare_with(study: Any, answer: Any) -> None:
    """Raise DiffersError unless a table has the trials that Optuna reads, values and parameters.

    In the order in which they were made, whatever numbers a damaged database gives them.
    """
    trials = sorted(study.get_trials(deepcopy=False), key=lambda trial: trial._trial_id)
    states = [STATES[trial.state.name] for trial in trials]
    found = [int(state) for state in answer.states]
    if states != found:
        raise DiffersError(f"states: Optuna {states}, condped {found}")
    for place, objective in enumerate(answer.objectives):
        for trial, value in zip(trials, objective.values.tolist(), strict=True):
            told = trial.values[place] if trial.values else None
            if trial.state.name == "COMPLETE" and told is not None and not _same(told, value):
                raise DiffersError(f"trial {trial.number}: Optuna {told}, condped {value}")
    for parameter in answer.parameters:
        _compare_values(parameter, trials)


def _compare_values(parameter: Any, trials: list[Any]) -> None:
    rows = zip(trials, parameter.values, parameter.domain_ids, strict=True)
    for trial, value, domain_id in rows:
        if trial.state.name in ("RUNNING", "WAITING"):
            continue
        there = parameter.name in trial.params
        if there != (domain_id >= 0):
            raise DiffersError(f"{parameter.name!r} in trial {trial.number}: Optuna {there}")
        if not there:
            continue
        told = trial.params[parameter.name]
        choices = getattr(parameter.domains[domain_id], "choices", None)
        own = value.item() if choices is None else choices[int(value)]
        if not _same(told, own):
            raise DiffersError(f"{parameter.name!r}: Optuna {told!r}, condped {own!r}")


def _same(told: Any, own: Any) -> bool:
    if isinstance(told, list):
        told = tuple(told)
    if isinstance(own, float) and isinstance(told, (int, float)):
        return float(told) == own or (math.isnan(told) and math.isnan(own))
    return bool(told == own)
