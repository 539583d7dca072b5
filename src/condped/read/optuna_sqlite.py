"""Optuna studies in SQLite files: bound SQL on one snapshot, read-only."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from condped.arrays import FloatArray, IntArray
from condped.errors import DataError
from condped.read.options import ReadOptions
from condped.read.optuna_records import (
    ParameterRecords,
    StudyRecords,
    chosen_objective,
    chosen_study,
)
from condped.trials import Parameter, TrialTable

PREFIX = "sqlite:///"
# The schema of all versions from 2.10 to 5.0.
_SCHEMA = 12
_BLOCK = 20_000
_WAIT = 30.0  # seconds for a writer to let go


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return the trials of a study in an SQLite file that Optuna wrote."""
    options.refuse("an Optuna study", "direction", "space", "state", "constraints")
    path = _path(source)
    try:
        with closing(_connect(path)) as connection:
            # One transaction: all queries see the same state, whatever workers write meanwhile.
            connection.execute("BEGIN")
            return chosen_objective(_study(connection, path, options.study), options)
    except sqlite3.Error as error:
        raise DataError(f"The SQLite file {str(path)!r} cannot be read: {error}.") from error


def _path(source: str) -> Path:
    """Return the file that a URL or a path names; options behind a question mark are no part."""
    named = source.removeprefix(PREFIX)
    for text in (named, named.partition("?")[0]):
        if Path(text).is_file():
            return Path(text)
    raise DataError(f"There is no file {named!r} (seen from {str(Path.cwd())!r}).")


def _connect(path: Path) -> sqlite3.Connection:
    address = f"file:{quote(str(path.resolve()))}?mode=ro"
    return sqlite3.connect(address, uri=True, timeout=_WAIT, isolation_level=None)


def _study(connection: sqlite3.Connection, path: Path, wanted: str | None) -> TrialTable:
    _check_schema(connection, path)
    studies = dict(connection.execute("SELECT study_name, study_id FROM studies ORDER BY study_id"))
    study = studies[chosen_study(list(studies), wanted, f"{str(path)!r}")]
    trials = connection.execute(
        "SELECT trial_id, state FROM trials WHERE study_id = ? ORDER BY trial_id", (study,)
    ).fetchall()
    trial_ids = np.array([trial for trial, _ in trials], dtype=np.int64)
    directions = connection.execute(
        "SELECT direction FROM study_directions WHERE study_id = ? ORDER BY objective", (study,)
    ).fetchall()
    metrics = connection.execute(
        "SELECT value_json FROM study_system_attributes WHERE study_id = ? AND key = ?",
        (study, "study:metric_names"),
    ).fetchone()
    constraints = connection.execute(
        "SELECT trial_id, key, value_json FROM trial_system_attributes "
        "JOIN trials USING (trial_id) WHERE study_id = ? "
        "AND (key = 'constraints' OR key LIKE 'constraints:%')",
        (study,),
    )
    return StudyRecords(
        trial_ids=trial_ids,
        states=[state for _, state in trials],
        directions=[direction for (direction,) in directions],
        metrics=json.loads(metrics[0]) if metrics else None,
        values=_values(connection, study, trial_ids, len(directions)),
        constraints=constraints,
    ).table(_parameters(connection, trial_ids))


def _check_schema(connection: sqlite3.Connection, path: Path) -> None:
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    if not {"studies", "trials", "trial_params", "version_info"} <= tables:
        raise DataError(f"The SQLite file {str(path)!r} holds no Optuna studies.")
    (version,) = connection.execute("SELECT MAX(schema_version) FROM version_info").fetchone()
    if version != _SCHEMA:
        raise DataError(
            f"The Optuna storage {str(path)!r} has schema version {version}; {_SCHEMA} can be read "
            "(Optuna 2.10 to 5.0). Load the study with its own Optuna and pass it instead."
        )


def _values(
    connection: sqlite3.Connection, study: int, trial_ids: IntArray, objectives: int
) -> FloatArray:
    """Return (trials, objectives), NaN where nothing is recorded."""
    values = np.full((len(trial_ids), objectives), np.nan)
    columns = {name for _, name, *_ in connection.execute("PRAGMA table_info(trial_values)")}
    # Before Optuna 3 there was no column for infinite values.
    kind = "value_type" if "value_type" in columns else "'FINITE'"
    cursor = connection.execute(
        f"SELECT trial_id, objective, value, {kind} FROM trial_values "
        "JOIN trials USING (trial_id) WHERE study_id = ?",
        (study,),
    )
    infinite = {"INF_POS": np.inf, "INF_NEG": -np.inf}
    for trials, places, numbers, kinds in _blocks(cursor):
        rows = np.searchsorted(trial_ids, np.fromiter(trials, np.int64, len(trials)))
        values[rows, np.fromiter(places, np.int64, len(places))] = [
            infinite.get(kind, np.nan) if number is None else number
            for number, kind in zip(numbers, kinds, strict=True)
        ]
    return values


def _parameters(connection: sqlite3.Connection, trial_ids: IntArray) -> tuple[Parameter, ...]:
    records = ParameterRecords()
    if len(trial_ids):
        # The sign keeps SQLite from the index: reading the table through is much faster.
        cursor = connection.execute(
            "SELECT trial_id, param_name, param_value, distribution_json FROM trial_params "
            "WHERE +trial_id BETWEEN ? AND ?",
            (int(trial_ids[0]), int(trial_ids[-1])),
        )
        for trials, names, values, texts in _blocks(cursor):
            records.add(trials, names, values, texts)
    return records.parameters(trial_ids)


def _blocks(cursor: sqlite3.Cursor) -> Iterator[tuple[tuple[Any, ...], ...]]:
    """Iterate over a result's columns, some thousand rows at a time."""
    while rows := cursor.fetchmany(_BLOCK):
        yield tuple(zip(*rows, strict=True))
