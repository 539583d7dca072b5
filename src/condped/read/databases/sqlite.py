"""SQLite files, opened for reading only and on one snapshot."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from condped.errors import DataError

# The query for the names of a table's columns.
COLUMNS = "SELECT name FROM pragma_table_info(?)"
_WAIT = 30.0  # seconds for a writer to let go


@contextmanager
def snapshot(source: str) -> Iterator[tuple[str, sqlite3.Connection]]:
    """Open what a URL or a path names; gives what to call it in messages, and the connection."""
    path = _path(source)
    place = f"The SQLite file {str(path)!r}"
    # A file with a write-ahead log that nobody has open: SQLite would leave files beside it.
    alone = _logs_ahead(path) and not _log(path).exists()
    address = f"file:{quote(str(path.resolve()))}?mode=ro{'&immutable=1' if alone else ''}"
    before = path.stat()
    try:
        with closing(sqlite3.connect(address, uri=True, timeout=_WAIT, isolation_level=None)) as db:
            # One transaction: all queries see the same state, whatever workers write meanwhile.
            db.execute("BEGIN")
            yield place, db
    except sqlite3.Error as error:
        raise DataError(f"{place} cannot be read: {error}.") from error
    after = path.stat()
    if alone and (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, after.st_size):
        raise DataError(f"{place} began to be written to while it was read. Read it again.")


def _logs_ahead(path: Path) -> bool:
    """Return whether writers use a write-ahead log, which the file's header says."""
    with path.open("rb") as file:
        return file.read(20)[18:20] == b"\x02\x02"


def _log(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _path(source: str) -> Path:
    """Return the file that a URL or a path names; options behind a question mark are no part."""
    named = re.sub(r"^sqlite(\+\w+)?:///", "", source)
    for text in (named, named.partition("?")[0]):
        if Path(text).expanduser().is_file():
            return Path(text).expanduser()
    hint = (
        "" if "://" not in named else " URLs of such files begin with sqlite:/// (three strokes)."
    )
    raise DataError(f"There is no file {named!r} (current directory: {str(Path.cwd())!r}).{hint}")
