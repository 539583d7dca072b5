"""Projects that Trackio really wrote, offline, told by its own storage."""

from __future__ import annotations

import json
import math
import sqlite3
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import condped
from condped.errors import CondpedError, DataError, NameNotFoundError, NoTrialsError, SettingsError
from condped.read.registry import reader_for
from condped.testing import Run, check_reader

PROGRAM = """
import json, math, sys, trackio
from trackio.sqlite_storage import SQLiteStorage
for number in range(12):
    model = "svm" if number % 3 else "net"
    own = {"C": 0.1 * number} if model == "svm" else {"layers": number, "nested": {"warm": True}}
    trackio.init(project="tuning", name=f"run {number}", config={"model": model, **own})
    for step in range(3):
        trackio.log({"loss": 1 / (1 + number + step), "text": "no number"})
    if number == 5:
        trackio.log({"loss": math.nan})
    trackio.log({"accuracy": number / 12})
    trackio.finish()
trackio.init(project="other", name="silent", config={"x": 1})
trackio.finish()
trackio.init(project="other", name="loud", config={"x": 2})
trackio.log({"loss": 2.0})
trackio.finish()
told = []
for record in SQLiteStorage.get_run_records("tuning"):
    config = SQLiteStorage.get_run_config("tuning", run=record["name"], run_id=record["id"])
    logs = SQLiteStorage.get_logs("tuning", run=record["name"], run_id=record["id"])
    told.append({"name": record["name"], "config": config, "logs": logs})
print()
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    """Return where Trackio wrote two projects, and what it says of the runs of one."""
    if find_spec("trackio") is None:
        pytest.skip("Trackio is NOT installed")
    folder = tmp_path_factory.mktemp("trackio")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "TRACKIO_DIR": str(folder / "store")},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout.splitlines()[-1])
    return folder / "store", sorted(told, key=lambda run: int(run["name"].split()[-1]))


def runs_of(told: list[dict[str, Any]], metric: str) -> list[Run]:
    """Return the last number that each run logged, and its configuration without Trackio's own."""
    found = []
    for run in told:
        logged = [entry[metric] for entry in run["logs"] if entry.get(metric) is not None]
        config = {n: v for n, v in run["config"].items() if not n.startswith("_")}
        config.update({f"nested.{n}": v for n, v in config.pop("nested", {}).items()})
        found.append(Run([float(logged[-1])], config))
    return found


def test_a_project_is_read_as_trackio_tells_it(written: tuple[Path, list[dict[str, Any]]]) -> None:
    """Configurations are parameters, and metrics count with their last number."""
    folder, told = written
    file = folder / "tuning.db"
    check_reader("trackio", file, runs_of(told, "accuracy"), objective="accuracy")
    check_reader("trackio", f"sqlite:///{file}", runs_of(told, "accuracy"), objective="accuracy")
    check_reader("trackio", folder, runs_of(told, "accuracy"), objective="accuracy", study="tuning")
    table = condped.read(file, objective="loss")
    expected = [math.nan if n == 5 else 1 / (3 + n) for n in range(12)]
    assert table.objectives[0].values == pytest.approx(expected, nan_ok=True)
    took = condped.read(file, objective="duration").objectives[0].values
    assert (took >= 0).all()
    assert condped.importance(file, objective="accuracy", direction="maximize").names


def test_projects_of_a_directory_are_named(written: tuple[Path, list[dict[str, Any]]]) -> None:
    """By the option study; each is a study of its own."""
    folder, _ = written
    with pytest.raises(SettingsError, match=r"2 projects of Trackio: .*'other', 'tuning'"):
        condped.read(folder, objective="loss")
    with pytest.raises(CondpedError, match="'tunning'"):
        condped.read(folder, objective="loss", study="tunning")
    listed = condped.studies(folder, objective="loss").rows()
    assert [row["study"] for row in listed] == ["other", "tuning"]
    with pytest.raises(NameNotFoundError, match="'los'"):
        condped.read(folder, objective="los", study="tuning")


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        (["UPDATE configs SET config = '{' WHERE id = 2"], "configuration is not valid JSON"),
        (["UPDATE metrics SET metrics = '3' WHERE id = 2"], "metrics is not a JSON object"),
        (["ALTER TABLE configs RENAME created_at TO made"], "'configs' lacks 'created_at'"),
        (["DELETE FROM metrics"], "no trials"),
        (["DELETE FROM configs"], "no trials"),
    ],
)
def test_damaged_projects_are_told(
    statements: list[str], message: str, written: tuple[Path, list[dict[str, Any]]], tmp_path: Path
) -> None:
    """The error says what is wrong, and what to do."""
    path = tmp_path / "tuning.db"
    path.write_bytes((written[0] / "tuning.db").read_bytes())
    database = sqlite3.connect(path)
    with database:
        for statement in statements:
            database.execute(statement)
    database.close()
    with pytest.raises((DataError, NoTrialsError), match=message):
        condped.read(path, objective="loss")


def test_runs_without_numbers_or_configuration_are_counted(
    written: tuple[Path, list[dict[str, Any]]], tmp_path: Path
) -> None:
    """They are left out."""
    path = tmp_path / "tuning.db"
    path.write_bytes((written[0] / "tuning.db").read_bytes())
    database = sqlite3.connect(path)
    with database:
        database.execute("DELETE FROM metrics WHERE run_name IN ('run 1', 'run 2')")
        database.execute("DELETE FROM configs WHERE run_name = 'run 3'")
    database.close()
    table = condped.read(path, objective="loss", direction="minimize")
    assert len(table) == 9
    assert table.notes == (
        "Runs without a configuration, which are left out: 1.",
        "Runs that logged no number, which are left out: 2.",
    )


def test_other_databases_are_not_taken(tmp_path: Path) -> None:
    """Neither an empty file nor tables of the same names with other columns."""
    path = tmp_path / "other.db"
    database = sqlite3.connect(path)
    with database:
        database.execute("CREATE TABLE metrics (key TEXT, value REAL)")
        database.execute("CREATE TABLE configs (name TEXT)")
    database.close()
    assert reader_for(str(path)).name == "optuna-sqlite"
