"""Optuna studies in SQLite files, read-only and on one snapshot."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from condped.read.databases.sqlite import COLUMNS, snapshot
from condped.read.optuna.sql.database import Database
from condped.read.optuna.sql.reader import DatabaseReader

_PATIENCE = 5.0  # seconds for a writer to release its lock; the next update tries again


@contextmanager
def _database(source: str, wait: float = 30.0, *, brief: bool = False) -> Iterator[Database]:
    with snapshot(source, wait, brief=brief) as (place, connection):
        yield Database(place, lambda: closing(connection.cursor()), COLUMNS, mark="?")


_READER = DatabaseReader(_database, lambda source: _database(source, _PATIENCE, brief=True))
read, read_all = _READER.read, _READER.read_all
follow, list_studies = _READER.follow, _READER.list_studies
