"""MLflow tracking stores in SQLite files, every value bound, no object per run."""

from __future__ import annotations

import sqlite3

import numpy as np

from condped.arrays import FloatArray
from condped.errors import DataError
from condped.read.databases.sqlite import COLUMNS, snapshot
from condped.read.expansion import check_cells
from condped.read.options import ReadOptions
from condped.read.tools.mlflow.conventions import PARENT_TAG, with_infinities
from condped.read.tools.mlflow.runs import (
    Experiment,
    ExperimentRuns,
    deleted_note,
    experiment_tables,
    requested_metrics,
    select_experiment,
    select_experiments,
)
from condped.trials.table import TrialTable

# The columns that are queried; they exist in MLflow 2.0 to 3.17.
_NEEDED = {
    "experiments": {"experiment_id", "name", "lifecycle_stage"},
    "runs": {"run_uuid", "experiment_id", "status", "start_time", "end_time", "lifecycle_stage"},
    "params": {"run_uuid", "key", "value"},
    "latest_metrics": {"run_uuid", "key", "value", "is_nan"},
    "tags": {"run_uuid", "key", "value"},
}
_ACTIVE = "active"


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return the runs of an experiment in an SQLite file that MLflow wrote."""
    options.refuse("an MLflow experiment", "budget")
    with snapshot(source) as (place, database):
        _check_schema(place, database)
        chosen = select_experiment(_experiments(database), options.study, place)
        runs = _runs(database, chosen, requested_metrics(options))
    return runs.table(options, f"the MLflow experiment {chosen.name!r}")


def read_all(source: str, options: ReadOptions) -> list[tuple[str, TrialTable]]:
    """Return the runs of all experiments, or of those that match a pattern, as of one moment."""
    options.refuse("an MLflow experiment", "budget")
    with snapshot(source) as (place, database):
        _check_schema(place, database)
        chosen = select_experiments(_experiments(database), options.patterns, place)
        requested = requested_metrics(options)
        return experiment_tables(chosen, lambda one: _runs(database, one, requested), options)


def _check_schema(place: str, database: sqlite3.Connection) -> None:
    for table, needed in _NEEDED.items():
        there = {name for (name,) in database.execute(COLUMNS, (table,))}
        if not there:
            raise DataError(f"{place} is not an MLflow store: it has no table {table!r}.")
        if not needed <= there:
            lacking = ", ".join(map(repr, sorted(needed - there)))
            raise DataError(
                f"The table {table!r} of {place[0].lower()}{place[1:]} lacks {lacking}. Stores of "
                "MLflow 2.0 to 3.17 can be read: upgrade older ones with 'mlflow db upgrade'."
            )


def _experiments(database: sqlite3.Connection) -> list[Experiment]:
    found = database.execute(
        "SELECT e.experiment_id, e.name, COUNT(r.run_uuid) FROM experiments e "
        "LEFT JOIN runs r ON r.experiment_id = e.experiment_id AND r.lifecycle_stage = ? "
        "WHERE e.lifecycle_stage = ? GROUP BY e.experiment_id ORDER BY e.experiment_id",
        (_ACTIVE, _ACTIVE),
    )
    return [Experiment(str(number), str(name), runs) for number, name, runs in found]


def _runs(
    database: sqlite3.Connection, experiment: Experiment, requested: set[str]
) -> ExperimentRuns:
    number = int(experiment.id)
    runs = database.execute(
        "SELECT run_uuid, status, start_time, end_time FROM runs "
        "WHERE experiment_id = ? AND lifecycle_stage = ? ORDER BY start_time, run_uuid",
        (number, _ACTIVE),
    ).fetchall()
    row_of = {run: row for row, (run, *_) in enumerate(runs)}
    ((everything,),) = database.execute(
        "SELECT COUNT(*) FROM runs WHERE experiment_id = ?", (number,)
    )
    parents = database.execute(
        "SELECT t.run_uuid, t.value FROM runs r JOIN tags t ON t.run_uuid = r.run_uuid "
        "WHERE r.experiment_id = ? AND r.lifecycle_stage = ? AND t.key = ?",
        (number, _ACTIVE, PARENT_TAG),
    )
    metrics = database.execute(
        "SELECT DISTINCT CAST(m.key AS TEXT) FROM runs r "
        "JOIN latest_metrics m ON m.run_uuid = r.run_uuid "
        "WHERE r.experiment_id = ? AND r.lifecycle_stage = ?",
        (number, _ACTIVE),
    )
    names = [name for (name,) in metrics]
    return ExperimentRuns(
        ids=list(row_of),
        statuses=[str(status) for _, status, *_ in runs],
        parameters=_parameters(database, number, row_of),
        metrics={
            name: _metric(database, number, row_of, name) for name in names if name in requested
        },
        metric_names=names,
        parents=dict(parents),
        times=[(begun, ended) for *_, begun, ended in runs],
        notes=deleted_note(everything - len(runs)),
    )


def _parameters(
    database: sqlite3.Connection, experiment: int, row_of: dict[str, int]
) -> dict[str, list[str | None]]:
    recorded = (
        "FROM runs r JOIN params p ON p.run_uuid = r.run_uuid "
        "WHERE r.experiment_id = ? AND r.lifecycle_stage = ?"
    )
    counts = f"SELECT COUNT(DISTINCT CAST(p.key AS TEXT)), COUNT(*) {recorded}"
    ((names, values),) = database.execute(counts, (experiment, _ACTIVE))
    check_cells(names * len(row_of), values, "The MLflow experiment", "values of parameters")
    columns: dict[str, list[str | None]] = {}
    for name, run, value in database.execute(
        f"SELECT CAST(p.key AS TEXT), p.run_uuid, CAST(p.value AS TEXT) {recorded}",
        (experiment, _ACTIVE),
    ):
        if name not in columns:
            columns[name] = [None] * len(row_of)
        columns[name][row_of[run]] = value
    return columns


def _metric(
    database: sqlite3.Connection, experiment: int, row_of: dict[str, int], name: str
) -> FloatArray:
    values = np.full(len(row_of), np.nan)
    for run, value in database.execute(
        "SELECT m.run_uuid, CAST(m.value AS REAL) "
        "FROM runs r JOIN latest_metrics m ON m.run_uuid = r.run_uuid "
        # A metric that is marked as NaN has the value 0.
        "WHERE r.experiment_id = ? AND r.lifecycle_stage = ? AND m.key = ? AND NOT m.is_nan",
        (experiment, _ACTIVE, name),
    ):
        values[row_of[run]] = value
    return with_infinities(values)
