"""Files that earlier versions of Optuna really wrote, told by those versions themselves.

``make test`` installs the versions beside the environment; each runs in a process of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import condped
from condped.read.optuna.records import STATES
from condped.read.table.state_words import checked_state
from condped.space.domain import Categorical, Domain, Float, Int
from condped.testing import Run, check_reader

FOLDER = Path(sys.prefix) / "optuna-versions"
# The first 3.x had no journals yet.
CASES = (
    ("3.0.6", "sqlite"),
    ("3.6.2", "sqlite"),
    ("3.6.2", "journal"),
    ("4.0.0", "sqlite"),
    ("4.0.0", "journal"),
)

# As tests/conftest.py has it for this process.
UNSYNCHRONISED = """
import sqlalchemy, sqlite3
@sqlalchemy.event.listens_for(sqlalchemy.engine.Engine, "connect")
def _(connection, _):
    if isinstance(connection, sqlite3.Connection):
        connection.execute("PRAGMA synchronous=OFF")
"""

PROGRAM = """
import json, sys, warnings
warnings.simplefilter("ignore")
import optuna
optuna.logging.set_verbosity(optuna.logging.ERROR)
assert optuna.__version__ == sys.argv[1], optuna.__version__

def objective(trial):
    kind = trial.suggest_categorical("kind 'of'", ["svm", "net", None])
    if trial.number % 7 == 3:
        trial.report(1.5, 2)
        raise optuna.TrialPruned
    if trial.number % 11 == 5:
        raise ArithmeticError
    if kind == "svm":
        c = trial.suggest_float("C", 1e-3, 1, log=True)
        return float("inf") if c > 0.9 else c
    depth = trial.suggest_int("depth", 1, 9, step=2)
    return depth + trial.suggest_float("drop", 0, 1 if depth < 5 else 0.5, step=0.1)

folder = sys.argv[2]
if sys.argv[3] == "sqlite":
    storage = f"sqlite:///{folder}/study.db"
elif sys.argv[1] < "4":
    backend = optuna.storages.JournalFileStorage(f"{folder}/study.log")
    storage = optuna.storages.JournalStorage(backend)
else:
    backend = optuna.storages.journal.JournalFileBackend(f"{folder}/study.log")
    storage = optuna.storages.JournalStorage(backend)
study = optuna.create_study(
    storage=storage, study_name="old", direction="maximize",
    sampler=optuna.samplers.RandomSampler(seed=3),
)
study.optimize(objective, n_trials=60, catch=(ArithmeticError,))

def plain(distribution):
    kind = type(distribution).__name__
    if kind.startswith("Categorical"):
        return ["Categorical", [list(distribution.choices)]]
    parts = [distribution.low, distribution.high, distribution.log, distribution.step]
    return [kind.replace("Distribution", ""), parts]

print(json.dumps([
    {"state": t.state.name, "values": t.values, "params": t.params,
     "domains": {name: plain(d) for name, d in t.distributions.items()}}
    for t in optuna.load_study(study_name="old", storage=storage).trials
]))
"""


def domain(plain: list[Any]) -> Domain:
    """Return the domain that the old version described."""
    kinds: dict[str, Any] = {"Categorical": Categorical, "Float": Float, "Int": Int}
    made: Domain = kinds[plain[0]](*plain[1])
    return made


@pytest.mark.parametrize(("version", "kind"), CASES)
def test_a_file_of_an_earlier_version_is_read(version: str, kind: str, tmp_path: Path) -> None:
    """States, values, conditions, switching domains: all as that version's own API has them."""
    if not (FOLDER / version).is_dir():
        message = f"Optuna {version} is NOT installed, so nothing was tested: run make test"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    told = subprocess.run(
        [sys.executable, "-c", UNSYNCHRONISED + PROGRAM, version, str(tmp_path), kind],
        env={**os.environ, "PYTHONPATH": str(FOLDER / version)},
        check=True,
        capture_output=True,
        text=True,
    )
    runs = [
        Run(
            trial["values"] or [None],
            trial["params"],
            {name: domain(plain) for name, plain in trial["domains"].items()},
            STATES[trial["state"]],
        )
        for trial in json.loads(told.stdout)
    ]
    assert {checked_state(run.state).name for run in runs} == {"COMPLETE", "PRUNED", "FAILED"}
    path = tmp_path / ("study.db" if kind == "sqlite" else "study.log")
    check_reader(f"optuna-{kind}", str(path), runs, directions=["maximize"])


SAMPLERS = """
import sys, warnings
warnings.simplefilter("ignore")
import optuna
optuna.logging.set_verbosity(optuna.logging.ERROR)
made = {
    "GridSampler": lambda: optuna.samplers.GridSampler({"a": [0, 1, 2], "b": [0, 0.5]}),
    "NSGAIISampler": lambda: optuna.samplers.NSGAIISampler(population_size=4),
    "TPESampler": lambda: optuna.samplers.TPESampler(n_startup_trials=3, multivariate=True),
}
if sys.argv[1] == "3.0.6":
    made["CmaEsSampler"] = lambda: optuna.samplers.CmaEsSampler(n_startup_trials=2)
else:  # the scipy of today refuses what 3.0 asks of it
    made["QMCSampler"] = lambda: optuna.samplers.QMCSampler()
for name, make in made.items():
    study = optuna.create_study(
        storage=f"sqlite:///{sys.argv[2]}/study.db", study_name=name, sampler=make()
    )
    study.optimize(lambda t: t.suggest_int("a", 0, 2) + t.suggest_float("b", 0, 1), n_trials=12)
print(" ".join(made))
"""


@pytest.mark.parametrize("version", ["3.0.6", "4.0.0"])
def test_marks_of_samplers_of_an_earlier_version(version: str, tmp_path: Path) -> None:
    """Grid, genetic, quasi-random and CMA-ES; TPE left none in those versions."""
    if not (FOLDER / version).is_dir():
        message = f"Optuna {version} is NOT installed, so nothing was tested: run make test"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    told = subprocess.run(
        [sys.executable, "-c", UNSYNCHRONISED + SAMPLERS, version, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(FOLDER / version)},
        check=True,
        capture_output=True,
        text=True,
    )
    for name in told.stdout.split():
        drawing = condped.read(str(tmp_path / "study.db"), study=name).drawing
        assert drawing is not None
        expected = [] if name == "TPESampler" else [name]
        assert [sampler.name for sampler in drawing.samplers] == expected
