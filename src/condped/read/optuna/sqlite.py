"""Optuna studies in SQLite files, read-only and on one snapshot."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from condped.read.databases.sqlite import COLUMNS, snapshot
from condped.read.options import ReadOptions
from condped.read.optuna.sql import Database, read_studies, read_study
from condped.trials.table import TrialTable


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return the trials of a study in an SQLite file that Optuna wrote."""
    with _database(source) as database:
        return read_study(database, options)


def read_all(source: str, options: ReadOptions) -> list[tuple[str, TrialTable]]:
    """Return the trials of all studies in the file, or of those that match a pattern."""
    with _database(source) as database:
        return read_studies(database, options)


@contextmanager
def _database(source: str) -> Iterator[Database]:
    with snapshot(source) as (place, connection):
        yield Database(place, lambda: closing(connection.cursor()), COLUMNS, mark="?")
