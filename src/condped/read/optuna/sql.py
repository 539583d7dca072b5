"""Queries of Optuna's tables, the same in any database; all values are bound."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np

from condped.arrays import FloatArray, IntArray
from condped.errors import DataError
from condped.progress import report
from condped.read.options import ReadOptions
from condped.read.optuna.objective import Attribute, explained_table
from condped.read.optuna.records import ParameterRecords, StudyRecords, select_study, states_of
from condped.trials.table import Parameter, TrialTable

# The schema of all versions from 2.10 to 5.0.
_SCHEMA = 12
_BLOCK = 20_000
_INFINITE = {"INF_POS": np.inf, "INF_NEG": -np.inf}


@dataclass(frozen=True, slots=True)
class Database:
    """A database in the middle of one read-only transaction.

    Attributes
    ----------
    place
        What to call it in messages; without a password.
    cursor
        Opens a cursor that leaves the rows where they are until they are fetched.
    columns_of
        The query for the names of a table's columns.
    mark
        What stands for a value in its queries.
    """

    place: str
    cursor: Callable[[], AbstractContextManager[Any]]
    columns_of: str
    mark: str = "%s"

    def columns(self, table: str) -> set[str]:
        """Return the names of a table's columns; none if there is no such table."""
        return {name for (name,) in self.rows(self.columns_of, table)}

    def rows(self, sql: str, *values: Any) -> list[Any]:
        """Return all rows of a query."""
        return [row for block in self.blocks(sql, *values) for row in block]

    def blocks(self, sql: str, *values: Any) -> Iterator[list[Any]]:
        """Iterate over the rows of a query (``?`` for each value), block by block."""
        with self.cursor() as cursor:
            cursor.execute(sql.replace("?", self.mark), values)
            while rows := cursor.fetchmany(_BLOCK):
                yield rows


def read_study(database: Database, options: ReadOptions) -> TrialTable:
    """Return the trials of one study."""
    _check_schema(database)
    studies = dict(database.rows("SELECT study_name, study_id FROM studies ORDER BY study_id"))
    study = studies[select_study(list(studies), options.study, database.place)]
    in_study = _in_study(database)
    trials = database.rows(
        f"SELECT t.trial_id, t.state FROM trials t WHERE {in_study} ORDER BY t.trial_id",
        study,
    )
    directions = database.rows(
        "SELECT direction FROM study_directions WHERE study_id = ? ORDER BY objective",
        study,
    )
    metrics = database.rows(
        "SELECT a.value_json FROM study_system_attributes a WHERE a.study_id = ? AND a.key = ?",
        study,
        "study:metric_names",
    )
    constraints = database.rows(
        "SELECT a.trial_id, a.key, a.value_json FROM trial_system_attributes a "
        f"JOIN trials t ON t.trial_id = a.trial_id WHERE {in_study} "
        "AND (a.key = ? OR a.key LIKE ?)",
        study,
        "constraints",
        "constraints:%",
    )
    trial_ids = np.array([trial for trial, _ in trials], dtype=np.int64)
    table = StudyRecords(
        trial_ids=trial_ids,
        states=states_of([state for _, state in trials]),
        directions=[direction for (direction,) in directions],
        metrics=json.loads(metrics[0][0]) if metrics else None,
        values=_values(database, study, trial_ids, len(directions)),
        constraints=[
            (trial, key, json.loads(text))
            for trial, key, text in constraints
            if re.match("constraints(:|$)", key)
        ],
    ).table(_parameters(database, trial_ids))
    return explained_table(table, options, _StoredAttributes(database, study, trial_ids))


@dataclass(frozen=True, slots=True)
class _StoredAttributes:
    """The attributes of trials, queried when needed."""

    database: Database
    study: int
    trial_ids: IntArray

    def recorded(self, attribute: Attribute) -> dict[int, Any]:
        if attribute.reported:
            return self._reported(attribute)
        records = self.database.rows(
            "SELECT a.trial_id, a.key, a.value_json FROM trial_user_attributes a "
            "JOIN trials t ON t.trial_id = a.trial_id "
            f"WHERE {_in_study(self.database)} AND a.key = ?",
            self.study,
            attribute.key,
        )
        # MySQL compares names without case.
        return {
            self._row(trial): json.loads(text)
            for trial, key, text in records
            if key == attribute.key
        }

    def _reported(self, attribute: Attribute) -> dict[int, Any]:
        typed = "intermediate_value_type" in self.database.columns("trial_intermediate_values")
        kind = "v.intermediate_value_type" if typed else "'FINITE'"
        records = self.database.rows(
            f"SELECT v.trial_id, v.intermediate_value, {kind} FROM trial_intermediate_values v "
            "JOIN trials t ON t.trial_id = v.trial_id "
            f"WHERE {_in_study(self.database)} AND v.step = ?",
            self.study,
            attribute.key,
        )
        return {self._row(trial): _number(value, kind) for trial, value, kind in records}

    def known(self, attribute: Attribute) -> list[Any]:
        table, key = (
            ("trial_intermediate_values", "step")
            if attribute.reported
            else ("trial_user_attributes", "key")
        )
        return [
            found
            for (found,) in self.database.rows(
                f"SELECT DISTINCT a.{key} FROM {table} a JOIN trials t "
                f"ON t.trial_id = a.trial_id WHERE {_in_study(self.database)} ORDER BY a.{key}",
                self.study,
            )
        ]

    def _row(self, trial: int) -> int:
        return int(np.searchsorted(self.trial_ids, trial))


def _in_study(database: Database) -> str:
    """Return the SQL condition for the trials ``t`` of a study."""
    # rustuna, which writes the same tables, marks hidden trials in an extra column.
    hides = "discarded_at" in database.columns("trials")
    return "t.study_id = ? AND t.discarded_at IS NULL" if hides else "t.study_id = ?"


def _check_schema(database: Database) -> None:
    if not all(map(database.columns, ("studies", "trials", "trial_params", "version_info"))):
        raise DataError(f"{database.place} holds no Optuna studies.")
    ((version,),) = database.rows("SELECT MAX(schema_version) FROM version_info")
    if version != _SCHEMA:
        raise DataError(
            f"{database.place} has the schema version {version} of Optuna; {_SCHEMA} can be read "
            "(Optuna 2.10 to 5.0). Load the study with its Optuna version and pass it instead."
        )


def _values(database: Database, study: int, trial_ids: IntArray, objectives: int) -> FloatArray:
    """Return (trials, objectives), NaN where nothing is recorded."""
    values = np.full((len(trial_ids), objectives), np.nan)
    # Before Optuna 3 there was no column for infinite values.
    kind = "v.value_type" if "value_type" in database.columns("trial_values") else "'FINITE'"
    sql = (
        f"SELECT v.trial_id, v.objective, v.value, {kind} FROM trial_values v "
        f"JOIN trials t ON t.trial_id = v.trial_id WHERE {_in_study(database)}"
    )
    for block in database.blocks(sql, study):
        trials, places, numbers, kinds = zip(*block, strict=True)
        rows = np.searchsorted(trial_ids, np.fromiter(trials, np.int64, len(trials)))
        values[rows, np.fromiter(places, np.int64, len(places))] = list(
            map(_number, numbers, kinds)
        )
    return values


def _number(number: float | None, kind: str) -> float:
    """Return a recorded number; infinite ones are recorded as null and a kind."""
    return _INFINITE.get(kind, np.nan) if number is None else number


def _parameters(database: Database, trial_ids: IntArray) -> tuple[Parameter, ...]:
    records = ParameterRecords()
    if len(trial_ids):
        # The plus sign keeps SQLite from using the index: a full scan is much faster.
        sql = (
            "SELECT trial_id, param_name, param_value, distribution_json FROM trial_params "
            "WHERE +trial_id BETWEEN ? AND ? ORDER BY param_id"
        )
        bounds = int(trial_ids[0]), int(trial_ids[-1])
        trials = bounds[1] - bounds[0] + 1
        for block in database.blocks(sql, *bounds):
            records.add(*zip(*block, strict=True))
            report("Reading parameters", block[-1][0] - bounds[0] + 1, trials)
    return records.parameters(trial_ids)
