"""How long trials took, as an objective of every source that records it."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import polars
import pyarrow
import pytest

import condped
from condped.errors import DataError, NameNotFoundError
from tests.read.optuna.test_drawing import STORAGES, source_of, storage_of


def timed(storage: Any = None) -> optuna.Study:
    """Run a study whose trials take longer with more layers."""
    study = optuna.create_study(storage=storage, sampler=optuna.samplers.RandomSampler(seed=0))

    def objective(trial: optuna.Trial) -> float:
        time.sleep(0.001 * trial.suggest_int("layers", 1, 6))
        x = trial.suggest_float("x", 0, 1)
        trial.set_user_attr("accuracy", 1 - x)
        return x

    study.optimize(objective, n_trials=24)
    return study


def took(study: optuna.Study) -> list[float]:
    """Return Optuna's own durations."""
    return [trial.duration.total_seconds() for trial in study.trials if trial.duration is not None]


@pytest.mark.parametrize("kind", STORAGES)
def test_durations_and_attributes_of_a_study(kind: str, tmp_path: Path) -> None:
    """By their plain names; unknown ones are answered with all that there is."""
    study = timed(storage_of(kind, tmp_path))
    source = source_of(kind, tmp_path, study)
    (objective,) = condped.read(source, objective="duration").objectives
    assert (objective.name, objective.direction) == ("duration", "minimize")
    assert objective.values == pytest.approx(took(study), abs=1e-6)
    turned = condped.read(source, objective="duration", direction="maximize")
    assert turned.objectives[0].direction == "maximize"
    (objective,) = condped.read(source, objective="accuracy", direction="maximize").objectives
    assert (objective.name, objective.direction) == ("accuracy", "maximize")
    assert objective.values.tolist() == [t.user_attrs["accuracy"] for t in study.trials]
    with pytest.raises(NameNotFoundError) as caught:
        condped.read(source, objective="accuracies")
    for known in ("'value'", "'accuracy'", "'duration'", "Did you mean 'accuracy'"):
        assert known in str(caught.value)


def test_what_is_recorded_under_that_name_comes_first() -> None:
    """An attribute or a column called duration is what the user wrote down."""
    study = timed()
    study.add_trial(
        optuna.trial.create_trial(
            value=1.0,
            params={"x": 0.5},
            distributions={"x": optuna.distributions.FloatDistribution(0, 1)},
            user_attrs={"duration": 17.0},
        )
    )
    assert condped.read(study, objective="duration").objectives[0].values[-1] == 17.0
    columns = {"x": [1, 2, 3], "duration": [3.0, 4.0, 5.0]}
    assert condped.read(columns, objective="duration").objectives[0].values.tolist() == [3, 4, 5]


def test_exported_tables_have_the_same_durations(tmp_path: Path) -> None:
    """Of pandas and Polars, as columns, as records, and as a CSV file."""
    study = timed()
    frame = study.trials_dataframe()
    path = tmp_path / "trials.csv"
    frame.to_csv(path)
    without = frame.drop(columns="duration")
    columns = {name: frame[name].to_numpy() for name in frame}
    for source in (
        frame,
        polars.from_pandas(frame),
        path,
        without,
        frame.to_dict("records"),
        columns,
    ):
        table = condped.read(source, objective="duration")
        assert table.names == ("layers", "x")
        assert table.objectives[0].values == pytest.approx(took(study), abs=1e-5)
        assert table.times is not None
        assert np.isfinite(table.times.started).all()


def test_a_table_that_was_read_answers_later() -> None:
    """A TrialTable keeps its times; without any recorded there is an error that says so."""
    study = timed()
    table = condped.read(study)
    result = condped.importance(table, objective="duration")
    assert result.names[0] == "layers"
    with pytest.raises(NameNotFoundError, match=r"Available: 'value', 'duration'"):
        condped.importance(table, objective="durations_")
    bare = condped.read({"x": [1, 2, 3], "y": [3.0, 4.0, 5.0]}, objective="y")
    with pytest.raises(NameNotFoundError, match="Available: 'y'"):
        condped.importance(bare, objective="duration")
    waiting = optuna.create_study()
    waiting.enqueue_trial({"x": 1})
    with pytest.raises(DataError, match="No trial has a recorded duration"):
        condped.read(waiting, objective="duration")


@pytest.mark.parametrize("library", ["pandas", "pyarrow", "polars"])
def test_trials_take_as_long_while_clocks_are_changed(library: str) -> None:
    """Local times are repeated at the end of summer time, and skipped at its beginning."""
    starts = [
        datetime(*date, 23, 30, tzinfo=UTC) + timedelta(minutes=30 * n)
        for date in ((2026, 10, 24), (2026, 3, 28))
        for n in range(6)
    ]
    minutes = range(40, 52)
    ends = [start + timedelta(minutes=n) for start, n in zip(starts, minutes, strict=True)]
    local = pyarrow.timestamp("us", "Europe/Berlin")
    frame = pyarrow.table({
        "number": range(12), "value": np.linspace(0, 1, 12), "state": ["COMPLETE"] * 12,
        "params_x": np.linspace(0, 1, 12), "datetime_start": pyarrow.array(starts, local),
        "datetime_complete": pyarrow.array(ends, local),
    })  # fmt: skip
    source: dict[str, Callable[[], Any]] = {
        "pandas": frame.to_pandas,
        "pyarrow": lambda: frame,
        "polars": lambda: polars.from_arrow(frame),
    }
    table = condped.read(source[library](), objective="duration")
    assert table.objectives[0].losses.tolist() == [60.0 * n for n in minutes]
