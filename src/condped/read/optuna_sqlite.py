"""Optuna studies in SQLite files, read-only and on one snapshot."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from condped.errors import DataError
from condped.read.options import ReadOptions
from condped.read.optuna_sql import read_study
from condped.trials import TrialTable

PREFIX = "sqlite:///"
_WAIT = 30.0  # seconds for a writer to let go


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return the trials of a study in an SQLite file that Optuna wrote."""
    path = _path(source)
    address = f"file:{quote(str(path.resolve()))}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True, timeout=_WAIT, isolation_level=None)) as db:
            # One transaction: all queries see the same state, whatever workers write meanwhile.
            db.execute("BEGIN")
            database = _Sqlite(f"The SQLite file {str(path)!r}", db)
            return read_study(database, options)
    except sqlite3.Error as error:
        raise DataError(f"The SQLite file {str(path)!r} cannot be read: {error}.") from error


def _path(source: str) -> Path:
    """Return the file that a URL or a path names; options behind a question mark are no part."""
    named = source.removeprefix(PREFIX)
    for text in (named, named.partition("?")[0]):
        if Path(text).is_file():
            return Path(text)
    raise DataError(f"There is no file {named!r} (seen from {str(Path.cwd())!r}).")


@dataclass(frozen=True, slots=True)
class _Sqlite:
    place: str
    connection: sqlite3.Connection

    def columns(self, table: str) -> set[str]:
        found = self.connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
        return {name for (name,) in found}

    def blocks(self, sql: str, values: tuple[Any, ...], size: int) -> Iterator[list[Any]]:
        cursor = self.connection.execute(sql, values)
        while rows := cursor.fetchmany(size):
            yield rows
