"""Studies of rustuna: in memory, and in its files, which are Optuna's formats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import rustuna

from condped.read.optuna.records import STATES
from condped.read.table.state_words import checked_state
from condped.space.domain import Categorical, Domain, Float, Int
from condped.testing import Run, check_reader
from tests.read.optuna.rustuna_studies import new_study


def objective(trial: Any) -> float:
    """Switch parameters and a domain, prune and fail now and then."""
    kind = trial.suggest_categorical("kind", ["svm", "net"])
    if trial.number % 7 == 3:
        raise rustuna.TrialPruned
    if trial.number % 11 == 5:
        raise ArithmeticError
    if kind == "svm":
        return float(trial.suggest_float("C", 1e-3, 1, log=True))
    depth = trial.suggest_int("depth", 1, 9)
    return float(depth + trial.suggest_float("drop", 0, 1 if depth < 5 else 0.5))


def domain(distribution: Any) -> Domain:
    """Return the domain that rustuna describes."""
    plain = distribution.to_dict()
    if plain["type"].startswith("Categorical"):
        return Categorical(plain["choices"])
    kind = Int if plain["type"].startswith("Int") else Float
    return kind(plain["low"], plain["high"], plain["log"], plain["step"])


@pytest.mark.parametrize("kind", ["memory", "sqlite", "journal"])
def test_the_table_is_what_rustuna_tells(kind: str, tmp_path: Path) -> None:
    """Values, domains and states agree with its own trials."""
    path = tmp_path / f"study.{kind}"
    study = new_study(kind, path)
    study.optimize(objective, n_trials=60, catch=(ArithmeticError,))
    runs = [
        Run(
            trial.values or [None],
            trial.params,
            {name: domain(distribution) for name, distribution in trial.distributions.items()},
            STATES[trial.state.name],
        )
        for trial in study.trials
    ]
    assert {checked_state(run.state).name for run in runs} == {"COMPLETE", "PRUNED", "FAILED"}
    if kind == "memory":
        check_reader("rustuna-study", study, runs)
    else:
        check_reader(f"optuna-{kind}", str(path), runs)
