"""When trials of Optuna and rustuna ran, from every storage, and their duration as objective."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest

import condped
from condped.read.optuna import study as optuna_study
from condped.read.optuna.sql import study as sql_study
from condped.trials.course.times import Times
from tests.read.optuna.rustuna_studies import new_study
from tests.read.optuna.test_drawing import STORAGES, run, source_of, storage_of


def times_of(table: condped.TrialTable) -> Times:
    """Return a table's times, which it must have."""
    assert table.times is not None
    return table.times


def expected(study: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return seconds since the first trial's start, and durations, from Optuna's own records."""
    first = study.trials[0].datetime_start

    def since(time: Any, start: Any) -> float:
        return np.nan if time is None or start is None else (time - start).total_seconds()

    started = [since(trial.datetime_start, first) for trial in study.trials]
    ended = [since(trial.datetime_complete, first) for trial in study.trials]
    took = [since(trial.datetime_complete, trial.datetime_start) for trial in study.trials]
    return np.array(started), np.array(ended), np.array(took)


@pytest.mark.parametrize("kind", STORAGES)
def test_times_are_optunas(kind: str, tmp_path: Path) -> None:
    """Start, end and duration of every trial; those that wait or run have none."""
    study = run(optuna.create_study(storage=storage_of(kind, tmp_path)))
    table = condped.read(source_of(kind, tmp_path, study))
    started, ended, took = expected(study)
    assert np.isnan(took).any()
    for rows in (np.arange(len(table)), np.arange(len(table))[::-1], np.arange(len(table)) % 3 > 0):
        times = times_of(table.only(rows))
        begin = times_of(table).started[0]
        assert times.started - begin == pytest.approx(started[rows], abs=1e-6, nan_ok=True)
        assert times.ended - begin == pytest.approx(ended[rows], abs=1e-6, nan_ok=True)
        assert times.durations == pytest.approx(took[rows], abs=1e-6, nan_ok=True)
    copied = times_of(pickle.loads(pickle.dumps(table)))
    assert np.array_equal(copied.durations, times_of(table).durations, equal_nan=True)


@pytest.mark.parametrize("kind", STORAGES)
def test_times_of_rustuna(kind: str, tmp_path: Path) -> None:
    """Its journals have a time zone; the durations are the same."""
    path = tmp_path / "study.x"
    study = new_study(kind, path)
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=12)
    table = condped.read(study if kind == "memory" else str(path))
    assert times_of(table).durations == pytest.approx(expected(study)[2], abs=1e-5)


def test_large_studies_keep_their_times(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More trials than those whose drawing is looked up."""
    for module in (optuna_study, sql_study):
        monkeypatch.setattr(module, "MOST_RECORDED", 50)
    distribution: Any = {"x": optuna.distributions.FloatDistribution(0, 1)}
    study = optuna.create_study(storage=storage_of("sqlite", tmp_path))
    study.add_trials(
        [
            optuna.trial.create_trial(params={"x": 0.5}, distributions=distribution, value=1.0)
            for _ in range(51)
        ]
    )
    for source in (study, source_of("sqlite", tmp_path, study)):
        table = condped.read(source)
        assert table.drawing is None
        assert np.isfinite(times_of(table).started).all()
        assert (times_of(table).durations == 0).all()
