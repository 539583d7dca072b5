"""SQLite files, opened for reading only and on one snapshot."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from condped.errors import DataError

PREFIX = "sqlite:///"
_WAIT = 30.0  # seconds for a writer to let go


@contextmanager
def snapshot(source: str) -> Iterator[tuple[str, sqlite3.Connection]]:
    """Open what a URL or a path names; gives what to call it in messages, and the connection."""
    path = _path(source)
    place = f"The SQLite file {str(path)!r}"
    address = f"file:{quote(str(path.resolve()))}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True, timeout=_WAIT, isolation_level=None)) as db:
            # One transaction: all queries see the same state, whatever workers write meanwhile.
            db.execute("BEGIN")
            yield place, db
    except sqlite3.Error as error:
        raise DataError(f"{place} cannot be read: {error}.") from error


def columns_of(database: sqlite3.Connection, table: str) -> set[str]:
    """Return the names of a table's columns; none if there is no such table."""
    found = database.execute("SELECT name FROM pragma_table_info(?)", (table,))
    return {name for (name,) in found}


def _path(source: str) -> Path:
    """Return the file that a URL or a path names; options behind a question mark are no part."""
    named = source.removeprefix(PREFIX)
    for text in (named, named.partition("?")[0]):
        if Path(text).is_file():
            return Path(text)
    raise DataError(f"There is no file {named!r} (seen from {str(Path.cwd())!r}).")
