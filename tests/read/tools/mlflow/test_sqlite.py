"""MLflow stores in SQLite, against MLflow's own answers."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from mlflow.tracking import MlflowClient

import condped
from condped import Float, Space, read, when
from condped.errors import DataError, NameNotFoundError, SettingsError
from condped.read.registry import reader_for
from condped.testing import check_reader
from tests.read.tools.mlflow.experiments import (
    EXPERIMENT,
    SPACE,
    as_runs,
    assert_same_importances,
    everything,
    record,
    told,
)

# SQLAlchemy's word to MLflow about its own models.
pytestmark = pytest.mark.filterwarnings("ignore:.*noload:DeprecationWarning")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, MlflowClient, str]:
    """Let MLflow record an experiment."""
    path = tmp_path_factory.mktemp("mlflow") / "mlflow.db"
    client = MlflowClient(f"sqlite:///{path}")
    return path, client, record(client)


def test_a_store_is_what_mlflow_tells(store: tuple[Path, MlflowClient, str]) -> None:
    """Values, states, domains, inactive parameters; the sweep above the trials is no trial."""
    path, client, experiment = store
    runs = told(client, experiment)
    assert len(runs) == 39
    for source in (f"sqlite:///{path}", f"sqlite+pysqlite:///{path}", str(path)):
        assert reader_for(source).name == "mlflow-sqlite"
        table = check_reader("mlflow-sqlite", source, as_runs(runs), objective="loss", space=SPACE)
    assert everything(client, experiment) == 41
    assert table.notes == (
        "Deleted runs left out: 1.",
        "Runs left out since their nested runs are the trials: 1.",
    )
    assert table.ignored_columns == ("trials",)


def test_a_parameter_that_no_run_logged_was_never_active(
    store: tuple[Path, MlflowClient, str],
) -> None:
    """If it is conditional: MLflow has the parameters that were logged, no columns."""
    space = Space({**SPACE, "momentum": when("model == 'none'", Float(0, 1))})
    table = read(store[0], objective="loss", space=space)
    assert (table.parameters[-1].domain_ids == -1).all()
    assert "No trial has momentum." in table.notes
    with pytest.raises(NameNotFoundError, match="no column for the parameter 'momentum'"):
        read(store[0], objective="loss", space=Space({**SPACE, "momentum": Float(0, 1)}))


def test_importances_are_those_of_mlflows_own_answers(
    store: tuple[Path, MlflowClient, str],
) -> None:
    """A table made from MLflow's API gives the same numbers."""
    assert_same_importances(*store)


def test_texts_are_numbers_and_choices_without_a_space(
    store: tuple[Path, MlflowClient, str],
) -> None:
    """MLflow keeps texts only; a parameter is numeric if all of its texts are."""
    table = read(store[0], objective="speed/µs", direction="maximize", parameters=["net/layers"])
    assert isinstance(table.parameters[0].domains[0], condped.Int)
    table = read(store[0], objective=["loss", "speed/µs"], constraints=["speed/µs"])
    kinds = {p.name: type(p.domains[0]).__name__ for p in table.parameters}
    assert kinds["größe µ"] == "Float"
    assert kinds["warm"] == kinds["model"] == "Categorical"
    # A word such as none is a word here: a parameter that was not there has no text at all.
    assert table.parameters[table.names.index("model")].domains[0].choices == ("net", "none", "svm")  # type: ignore[union-attr]


def test_the_experiment_must_be_clear(store: tuple[Path, MlflowClient, str]) -> None:
    """The only one with runs beside an empty Default; a name or an id otherwise."""
    path, client, experiment = store
    assert len(read(path, objective="loss", study=experiment)) == 39
    other = client.create_experiment("other; DROP TABLE runs")
    try:
        with pytest.raises(SettingsError, match=r"2 experiments.*tuning.*40 runs.*'other;.*0 runs"):
            read(path, objective="loss")
        with pytest.raises(NameNotFoundError, match=r"Did you mean 'tuning <b>größe</b>'\?"):
            read(path, objective="loss", study="tuning größe")
        with pytest.raises(DataError, match="no trials in the MLflow experiment 'other; DROP"):
            read(path, objective="loss", study="other; DROP TABLE runs")
        assert len(read(path, objective="loss", study=EXPERIMENT)) == 39
    finally:
        client.delete_experiment(other)
    assert len(read(path, objective="loss")) == 39


def test_what_is_not_there_is_refused_with_what_is(store: tuple[Path, MlflowClient, str]) -> None:
    """Objectives, options and files."""
    path = store[0]
    with pytest.raises(SettingsError, match=r"objective is needed.*'loss', 'speed/µs'"):
        read(path)
    with pytest.raises(NameNotFoundError, match=r"no objective 'los'.*Did you mean 'loss'"):
        read(path, objective="los")
    with pytest.raises(SettingsError, match="budget cannot be set"):
        read(path, objective="loss", budget=3)
    with pytest.raises(SettingsError, match="state cannot be set"):
        read(path, objective="loss", state="status")
    with pytest.raises(DataError, match=r"There is no file '/nowhere/mlflow\.db'"):
        read("sqlite:////nowhere/mlflow.db", objective="loss", reader="mlflow-sqlite")


def test_other_files_are_refused(tmp_path: Path) -> None:
    """Another database, one that lacks a column, and no database at all."""
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as database:
        database.execute("CREATE TABLE experiments (experiment_id, name, lifecycle_stage)")
        database.commit()
        with pytest.raises(DataError, match=r"is not an MLflow store: it has no table 'runs'"):
            read(other, objective="loss", reader="mlflow-sqlite")
        database.execute("CREATE TABLE runs (run_uuid, experiment_id)")
        database.commit()
    with pytest.raises(
        DataError, match=r"'runs' of the SQLite file .* lacks 'end_time', 'lifecycle_stage', "
    ):
        read(other, objective="loss", reader="mlflow-sqlite")
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"SQLite format 3\0" + b"junk" * 100)
    with pytest.raises(DataError, match=r"cannot be read: .*"):
        read(broken, objective="loss", reader="mlflow-sqlite")


def test_a_hundred_thousand_runs_take_seconds(
    store: tuple[Path, MlflowClient, str], tmp_path: Path
) -> None:
    """Columns rather than objects: copies of runs, written past MLflow to have that many."""
    path = tmp_path / "big.db"
    with (
        closing(sqlite3.connect(store[0])) as small,
        closing(sqlite3.connect(path)) as database,
    ):
        small.backup(database)
        count, experiment = 100_000, int(store[2])
        database.execute("DELETE FROM tags")
        runs = [(f"{run:032x}", experiment, "FINISHED", run, "active") for run in range(count)]
        database.executemany(
            "INSERT INTO runs (run_uuid, experiment_id, status, start_time, lifecycle_stage) "
            "VALUES (?, ?, ?, ?, ?)",
            runs,
        )
        for name in ("a", "b", "c"):
            database.executemany(
                "INSERT INTO params (run_uuid, key, value) VALUES (?, ?, ?)",
                [(run[0], name, str(place % 97 / 97)) for place, run in enumerate(runs)],
            )
        database.executemany(
            "INSERT INTO latest_metrics (run_uuid, key, value, step, is_nan) "
            "VALUES (?, 'loss', ?, 0, 0)",
            [(run[0], place % 89) for place, run in enumerate(runs)],
        )
        database.commit()
    started = time.perf_counter()
    table = read(path, objective="loss", parameters=["a", "b", "c"])
    assert len(table) == count + 40
    assert time.perf_counter() - started < 15


def test_times_are_mlflows(store: tuple[Path, MlflowClient, str]) -> None:
    """In seconds; a run that goes on has no end."""
    path, client, experiment = store
    times = condped.read(path, objective="loss", direction="minimize", space=SPACE).times
    assert times is not None
    runs = told(client, experiment)
    assert times.started == pytest.approx([run.info.start_time / 1000 for run in runs])
    ends = [np.nan if run.info.end_time is None else run.info.end_time / 1000 for run in runs]
    assert np.isnan(ends).any()
    assert times.ended == pytest.approx(ends, nan_ok=True)
