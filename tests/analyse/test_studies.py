"""The list of a source's studies, against Optuna's own summaries."""

from __future__ import annotations

import csv
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import optuna
import pytest
from optuna.storages.journal import JournalFileBackend

import condped
from condped.errors import NameNotFoundError
from condped.read.each_study import StudyState
from tests.cli.command import condped_command
from tests.read.optuna.studies import run

pytestmark = pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
STATES = {"complete": "COMPLETE", "pruned": "PRUNED", "failed": "FAIL"}


def _write(storage: str | optuna.storages.BaseStorage) -> None:
    run(optuna.create_study(study_name="constrained", storage=storage), 40)
    plain = optuna.create_study(study_name="plain", storage=storage, direction="maximize")
    values = iter([0.1, float("inf"), 0.7, 0.3])
    plain.optimize(lambda trial: next(values), n_trials=4)
    plain.set_metric_names(["accuracy"])
    plain.enqueue_trial({"x": 1})
    plain.ask()
    plain.ask()
    both = optuna.create_study(
        study_name="both", storage=storage, directions=["minimize", "maximize"]
    )
    run(both, 5)
    optuna.create_study(study_name="empty", storage=storage)
    optuna.delete_study(study_name="empty", storage=storage)
    optuna.create_study(study_name="nothing yet", storage=storage)


@pytest.mark.parametrize("kind", ["sqlite", "journal", "storage"])
def test_rows_are_what_optuna_counts(kind: str, tmp_path: Path) -> None:
    """Trials by state, objectives, best feasible value, and the time of the last end."""
    storage: str | optuna.storages.BaseStorage = f"sqlite:///{tmp_path}/study.db"
    if kind == "journal":
        backend = JournalFileBackend(str(tmp_path / "journal.log"))
        storage = optuna.storages.JournalStorage(backend)
    elif kind == "storage":
        storage = optuna.storages.InMemoryStorage()
    _write(storage)
    source = str(tmp_path / "journal.log") if kind == "journal" else storage
    found = condped.studies(source)
    by_name = {row["study"]: row for row in found.rows()}
    assert sorted(by_name) == ["both", "constrained", "nothing yet", "plain"]
    for name, row in by_name.items():
        study = optuna.load_study(study_name=name, storage=storage)
        trials = study.get_trials()
        states = [trial.state.name for trial in trials]
        assert row["trials"] == len(trials)
        assert all(row[ours] == states.count(theirs) for ours, theirs in STATES.items())
        assert row["running"] == states.count("RUNNING") + states.count("WAITING")
        assert len(row["objectives"]) == len(study.directions)
        assert row["directions"] == [one.name.lower() for one in study.directions]
        ended = [trial.datetime_complete for trial in trials if trial.datetime_complete]
        assert (row["last_finished"] is None) == (not ended)
    constrained = optuna.load_study(study_name="constrained", storage=storage)
    feasible = [
        trial.values[0]
        for trial in constrained.get_trials(states=[optuna.trial.TrialState.COMPLETE])
        if trial.number % 3 - 1.0 <= 0 and np.isfinite(trial.values[0])
    ]
    assert by_name["constrained"]["best"] == min(feasible)
    assert by_name["plain"]["best"] == 0.7
    assert by_name["plain"]["objectives"] == ["accuracy"]
    assert by_name["both"]["best"] is None
    assert by_name["nothing yet"]["best"] is None
    # The same as from the trials themselves, which an option asks for.
    assert condped.studies(source, outside="nearest") == found
    assert len(condped.studies(source, study=["p*", "both"])) == 2
    with pytest.raises(NameNotFoundError):
        condped.studies(source, study="none")


def test_no_trial_is_read_to_count_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a database without constraints, only sums are fetched."""
    from condped.read.optuna.sql import listing, study  # noqa: PLC0415

    url = f"sqlite:///{tmp_path}/study.db"
    optuna.create_study(study_name="a", storage=url).optimize(lambda _: 1.0, n_trials=3)

    def refuse(*_: object) -> None:
        raise AssertionError("trials were read")

    monkeypatch.setattr(study, "trial_rows", refuse)
    monkeypatch.setattr(listing, "fetch_values_and_constraints", refuse)
    assert [row["complete"] for row in condped.studies(url).rows()] == [3]


def test_a_source_of_one_study_has_one_row(tmp_path: Path) -> None:
    """Named after its file; a folder has one per file."""
    for name in ("one", "two"):
        (tmp_path / f"{name}.csv").write_text("x,loss\n0.1,3.0\n0.7,1.0\n")
    (row,) = condped.studies(tmp_path / "one.csv", objective="loss", direction="maximize").rows()
    assert (row["study"], row["trials"], row["best"]) == ("one", 2, 3.0)
    assert row["last_finished"] is None
    rows = condped.studies(tmp_path, objective="loss").rows()
    assert [row["study"] for row in rows] == ["one", "two"]
    study = optuna.create_study(study_name="in memory")
    assert condped.studies(study).rows()[0]["study"] == "in memory"


def test_the_command_prints_saves_and_loads(tmp_path: Path) -> None:
    """As a table, JSON, CSV and a file that can be loaded."""
    url = f"sqlite:///{tmp_path}/study.db"
    _write(url)
    text = condped_command("studies", url).stdout
    assert text.splitlines()[0].split()[:3] == ["study", "trials", "complete"]
    assert "accuracy (max)" in text
    data = json.loads(condped_command("studies", url, "--study", "p*", "--json").stdout)
    assert data["schema"] == "condped.studies/1"
    assert [row["study"] for row in data["studies"]] == ["plain"]
    assert len(condped_command("studies", url, "--csv").stdout.splitlines()) == 5
    condped.studies(url).save(tmp_path / "studies.json")
    assert condped.load(tmp_path / "studies.json") == condped.studies(url)
    condped.studies(url).save(tmp_path / "studies.parquet")
    wrong = condped_command("studies", tmp_path / "missing.db")
    assert wrong.returncode == 2


def test_several_objectives_are_written_out() -> None:
    """In full, on lines of their own if need be; in CSV with commas between, not as Python."""
    names = ("values_0", "values_1")
    made = [
        StudyState("same", 3, 3, 0, 0, 0, names, ("minimize", "minimize"), None, None),
        StudyState("mixed", 3, 3, 0, 0, 0, names, ("minimize", "maximize"), None, None),
    ]
    found = condped.Studies(tuple(made))
    text = found.to_text(120)
    assert "values_0, values_1 (min)\n" in text
    assert "values_0 (min), values_1 (max)" in text
    narrow = found.to_text(70).splitlines()
    assert [line.split()[-1] for line in narrow[1:]] == ["values_0,", "(min)", "(min),", "(max)"]
    lines = list(csv.DictReader(found.to_csv().splitlines()))
    assert lines[1]["objectives"] == "values_0, values_1"
    assert lines[1]["directions"] == "minimize, maximize"


def test_end_times_may_have_a_zone(tmp_path: Path) -> None:
    """In some rows, which other programs may have written."""
    path = tmp_path / "study.db"
    study = optuna.create_study(storage=f"sqlite:///{path}", study_name="one")
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "UPDATE trials SET datetime_complete = '2030-01-02 03:04:05+00:00' WHERE trial_id = 1"
        )
        # The state decides which rows are grouped.
        database.execute("UPDATE trials SET state = 'FAIL' WHERE trial_id = 1")
    (row,) = condped.studies(f"sqlite:///{path}").rows()
    assert row["trials"] == 3
    assert "2030-01-02" in str(row["last_finished"])
