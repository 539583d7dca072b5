"""The tables that Optuna keeps in any database: the questions asked of them, every value bound."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from condped.arrays import FloatArray, IntArray
from condped.errors import DataError
from condped.read.optuna_records import ParameterRecords, StudyRecords, chosen_study
from condped.trials import Parameter, TrialTable

# The schema of all versions from 2.10 to 5.0.
_SCHEMA = 12
_BLOCK = 20_000


class Database(Protocol):
    """A database in the middle of one read-only transaction."""

    @property
    def place(self) -> str:
        """What to call it in messages; without a password."""
        ...

    def columns(self, table: str) -> set[str]:
        """Return the names of a table's columns; none if there is no such table."""
        ...

    def blocks(self, sql: str, values: tuple[Any, ...], size: int) -> Iterator[list[Any]]:
        """Iterate over the rows of a query (``?`` for each value), ``size`` at a time."""
        ...


def study_table(database: Database, wanted: str | None) -> TrialTable:
    """Return the trials of one study."""
    _check_schema(database)
    studies = dict(_rows(database, "SELECT study_name, study_id FROM studies ORDER BY study_id"))
    study = studies[chosen_study(list(studies), wanted, database.place)]
    trials = _rows(
        database, "SELECT trial_id, state FROM trials WHERE study_id = ? ORDER BY trial_id", study
    )
    directions = _rows(
        database,
        "SELECT direction FROM study_directions WHERE study_id = ? ORDER BY objective",
        study,
    )
    metrics = _rows(
        database,
        "SELECT a.value_json FROM study_system_attributes a WHERE a.study_id = ? AND a.key = ?",
        study,
        "study:metric_names",
    )
    constraints = _rows(
        database,
        "SELECT a.trial_id, a.key, a.value_json FROM trial_system_attributes a "
        "JOIN trials t ON t.trial_id = a.trial_id "
        "WHERE t.study_id = ? AND (a.key = ? OR a.key LIKE ?)",
        study,
        "constraints",
        "constraints:%",
    )
    trial_ids = np.array([trial for trial, _ in trials], dtype=np.int64)
    return StudyRecords(
        trial_ids=trial_ids,
        states=[state for _, state in trials],
        directions=[direction for (direction,) in directions],
        metrics=json.loads(metrics[0][0]) if metrics else None,
        values=_values(database, study, trial_ids, len(directions)),
        constraints=constraints,
    ).table(_parameters(database, trial_ids))


def _rows(database: Database, sql: str, *values: Any) -> list[Any]:
    return [row for block in database.blocks(sql, values, _BLOCK) for row in block]


def _check_schema(database: Database) -> None:
    if not all(map(database.columns, ("studies", "trials", "trial_params", "version_info"))):
        raise DataError(f"{database.place} holds no Optuna studies.")
    ((version,),) = _rows(database, "SELECT MAX(schema_version) FROM version_info")
    if version != _SCHEMA:
        raise DataError(
            f"{database.place} has the schema version {version} of Optuna; {_SCHEMA} can be read "
            "(Optuna 2.10 to 5.0). Load the study with its own Optuna and pass it instead."
        )


def _values(database: Database, study: int, trial_ids: IntArray, objectives: int) -> FloatArray:
    """Return (trials, objectives), NaN where nothing is recorded."""
    values = np.full((len(trial_ids), objectives), np.nan)
    # Before Optuna 3 there was no column for infinite values.
    kind = "v.value_type" if "value_type" in database.columns("trial_values") else "'FINITE'"
    sql = (
        f"SELECT v.trial_id, v.objective, v.value, {kind} FROM trial_values v "
        "JOIN trials t ON t.trial_id = v.trial_id WHERE t.study_id = ?"
    )
    infinite = {"INF_POS": np.inf, "INF_NEG": -np.inf}
    for block in database.blocks(sql, (study,), _BLOCK):
        trials, places, numbers, kinds = zip(*block, strict=True)
        rows = np.searchsorted(trial_ids, np.fromiter(trials, np.int64, len(trials)))
        values[rows, np.fromiter(places, np.int64, len(places))] = [
            infinite.get(kind, np.nan) if number is None else number
            for number, kind in zip(numbers, kinds, strict=True)
        ]
    return values


def _parameters(database: Database, trial_ids: IntArray) -> tuple[Parameter, ...]:
    records = ParameterRecords()
    if len(trial_ids):
        # The sign keeps SQLite from the index: reading the table through is much faster.
        sql = (
            "SELECT trial_id, param_name, param_value, distribution_json FROM trial_params "
            "WHERE +trial_id BETWEEN ? AND ? ORDER BY param_id"
        )
        bounds = int(trial_ids[0]), int(trial_ids[-1])
        for block in database.blocks(sql, bounds, _BLOCK):
            records.add(*zip(*block, strict=True))
    return records.parameters(trial_ids)
