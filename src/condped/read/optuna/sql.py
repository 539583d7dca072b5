"""Queries of Optuna's tables, the same in any database; all values are bound."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np

from condped.arrays import FloatArray, IntArray
from condped.errors import DataError
from condped.progress import report
from condped.read.each_study import read_each
from condped.read.options import ReadOptions
from condped.read.optuna.drawing import VALUED, DrawingLog, DrawingRecords
from condped.read.optuna.objective import Attribute, explained_table
from condped.read.optuna.records import (
    ParameterRecords,
    StudyRecords,
    choose_studies,
    select_study,
    states_of,
)
from condped.read.seconds import seconds
from condped.trials.course.drawing import MOST_RECORDED
from condped.trials.course.times import Times
from condped.trials.table import Parameter, TrialTable

# The schema of all versions from 2.10 to 5.0.
_SCHEMA = 12
_BLOCK = 20_000
_FEW_STUDIES = 20  # of one size, up to which scanning all parameters for each is faster
_METRICS = "study:metric_names"
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
    studies = _studies(database)
    name = select_study(list(studies), options.study, database.place)
    return _read_study(database, options, studies[name])


def read_studies(database: Database, options: ReadOptions) -> list[tuple[str, TrialTable]]:
    """Return the trials of all studies, or of those whose names match a pattern."""
    studies = _studies(database)
    names = choose_studies(list(studies), options.patterns, database.place)
    return read_each(names, lambda name: _read_study(database, options, studies[name]))


def _studies(database: Database) -> dict[str, int]:
    """Return the studies' names and numbers."""
    _check_schema(database)
    return dict(database.rows("SELECT study_name, study_id FROM studies ORDER BY study_id"))


def _read_study(database: Database, options: ReadOptions, study: int) -> TrialTable:
    in_study = _in_study(database)
    trials = database.rows(
        "SELECT t.trial_id, t.state, t.datetime_start, t.datetime_complete FROM trials t "
        f"WHERE {in_study} ORDER BY t.trial_id",
        study,
    )
    directions = database.rows(
        "SELECT direction FROM study_directions WHERE study_id = ? ORDER BY objective",
        study,
    )
    study_attributes = dict(
        database.rows(
            "SELECT a.key, CASE WHEN a.key = ? THEN a.value_json END "
            "FROM study_system_attributes a WHERE a.study_id = ?",
            _METRICS,
            study,
        )
    )
    metrics = study_attributes.get(_METRICS)
    recorded = len(trials) <= MOST_RECORDED
    attributes = _attributes(database, study, all_keys=recorded)
    trial_ids = np.array([trial for trial, *_ in trials], dtype=np.int64)
    table = StudyRecords(
        trial_ids=trial_ids,
        states=states_of([state for _, state, *_ in trials]),
        directions=[direction for (direction,) in directions],
        metrics=None if metrics is None else json.loads(metrics),
        values=_values(database, study, trial_ids, len(directions)),
        constraints=[
            (trial, key, json.loads(text))
            for trial, key, text in attributes
            if re.match("constraints(:|$)", key)
        ],
        times=Times.between(
            seconds([started for *_, started, _ in trials]),
            seconds([ended for *_, ended in trials]),
        ),
        recorded=_drawing(database, study, trial_ids, attributes, study_attributes)
        if recorded
        else None,
    ).table(_parameters(database, trial_ids))
    return explained_table(table, options, _StoredAttributes(database, study, trial_ids))


def _attributes(database: Database, study: int, *, all_keys: bool) -> list[Any]:
    """Return the trial, key and JSON of constraints; if requested, of all system attributes.

    Only the keys matter of most, and some samplers store much there, so those come without it.
    """
    needed = [("=", "constraints"), ("LIKE", "constraints:%")]
    shown = [*needed, *(("=", key) for key in VALUED)]
    is_needed = " OR ".join(f"a.key {compare} ?" for compare, _ in needed)
    is_shown = " OR ".join(f"a.key {compare} ?" for compare, _ in shown)
    return database.rows(
        f"SELECT a.trial_id, a.key, CASE WHEN {is_shown} THEN a.value_json END "
        "FROM trial_system_attributes a JOIN trials t ON t.trial_id = a.trial_id "
        f"WHERE {_in_study(database)}" + ("" if all_keys else f" AND ({is_needed})"),
        *(key for _, key in shown),
        study,
        *(key for _, key in ([] if all_keys else needed)),
    )


def _drawing(
    database: Database,
    study: int,
    trial_ids: IntArray,
    attributes: list[Any],
    study_keys: Iterable[str],
) -> Callable[[], DrawingRecords]:
    """Query how trials were drawn, and return a function that puts it together."""
    bounds = trial_ids[[0, -1]].tolist() if len(trial_ids) else (0, 0)
    trials = database.rows(
        "SELECT t.trial_id, v.step, v.intermediate_value, "
        f"{_report_kind(database)} FROM trials t LEFT JOIN (SELECT r.trial_id, MAX(r.step) AS step "
        "FROM trial_intermediate_values r WHERE r.trial_id BETWEEN ? AND ? GROUP BY r.trial_id) m "
        "ON m.trial_id = t.trial_id "
        "LEFT JOIN trial_intermediate_values v ON v.trial_id = m.trial_id AND v.step = m.step "
        f"WHERE {_in_study(database)}",
        *bounds,
        study,
    )

    def put_together() -> DrawingRecords:
        log = DrawingLog()
        for trial, step, value, kind in trials:
            if step is not None:
                log.add_report(trial, step, _number(value, kind))
        for trial, key, text in attributes:
            log.add_attribute(trial, key, _parsed(text))
        return log.records(trial_ids.tolist(), study_keys)

    return put_together


def _parsed(text: str | None) -> Any:
    """Return the value of an attribute; None if it is damaged, since no number depends on it."""
    try:
        return None if text is None else json.loads(text)
    except ValueError:
        return None


def _report_kind(database: Database) -> str:
    """Return the SQL for how a reported value is recorded: infinite ones and NaN are null."""
    typed = "intermediate_value_type" in database.columns("trial_intermediate_values")
    return "v.intermediate_value_type" if typed else "'FINITE'"


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
        records = self.database.rows(
            f"SELECT v.trial_id, v.intermediate_value, {_report_kind(self.database)} "
            "FROM trial_intermediate_values v "
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

    def reported(self) -> Iterator[tuple[int, float, float]]:
        records = self.database.rows(
            f"SELECT v.trial_id, v.step, v.intermediate_value, {_report_kind(self.database)} "
            "FROM trial_intermediate_values v JOIN trials t ON t.trial_id = v.trial_id "
            f"WHERE {_in_study(self.database)}",
            self.study,
        )
        for trial, step, value, kind in records:
            yield self._row(trial), step, _number(value, kind)

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
        bounds = int(trial_ids[0]), int(trial_ids[-1])
        ((every,),) = database.rows("SELECT MAX(trial_id) FROM trials")
        # The plus sign keeps SQLite from using the index: of most rows, a full scan is much faster.
        scan = "+" if _FEW_STUDIES * (bounds[1] - bounds[0] + 1) > every else ""
        sql = (
            "SELECT trial_id, param_name, param_value, distribution_json FROM trial_params "
            f"WHERE {scan}trial_id BETWEEN ? AND ? ORDER BY param_id"
        )
        trials = bounds[1] - bounds[0] + 1
        for block in database.blocks(sql, *bounds):
            records.add(*zip(*block, strict=True))
            report("Reading parameters", block[-1][0] - bounds[0] + 1, trials)
    return records.parameters(trial_ids)
