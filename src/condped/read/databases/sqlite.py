"""SQLite files, opened for reading only and on one snapshot."""

from __future__ import annotations

import re
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from condped.errors import DataError, SourceError
from condped.read.databases.sqlite_views import check_views
from condped.read.files.first_bytes import first_bytes
from condped.read.files.named_path import expanded
from condped.read.files.regular import is_irregular
from condped.safe_text import brief

# The query for the names of a table's columns.
COLUMNS = "SELECT name FROM pragma_table_info(?)"
_WAIT = 30.0  # seconds for a writer to release its lock
_SPELL = 0.2  # seconds of it per attempt, in which SQLite ignores Ctrl-C
# Instructions of SQLite's virtual machine between two checks of the limits. Some are slow, since
# they compare long texts, and interrupts have no effect between two checks.
_CHECK_EVERY = 500
# Limits for the queries of one snapshot, in instructions and CPU seconds: much more than reading
# all of a file dozens of times takes, so that only views which never end exceed them.
_STEPS, _STEPS_PER_BYTE = 20_000_000, 1_000
_SECONDS, _SECONDS_PER_BYTE = 20.0, 2e-6
_LONGEST = 1 << 16  # bytes of one value; more if the file is larger
_PATTERN = 100  # bytes of a pattern for LIKE, which can be slow to match
# Functions that views and computed columns may use: their time, and the length of their
# results, are in proportion to their arguments.
_FUNCTIONS = frozenset(
    word
    for words in (
        "abs avg coalesce count date datetime ifnull iif",
        "julianday length like ln log log10 log2 lower max min nullif round row_number sqrt",
        "strftime substr substring sum time total typeof unixepoch upper",
    )
    for word in words.split()
)


@contextmanager
def snapshot(
    source: str, wait: float = _WAIT, *, brief: bool = False
) -> Iterator[tuple[str, sqlite3.Connection]]:
    """Open a file by its URL or path; yield its name for messages, and the connection.

    All queries see the same state, even while workers write. A file without a write-ahead log is
    queried in a private copy, unless queries are ``brief``: writers then wait while it is copied,
    not while everything is read. ``wait`` is how many seconds a writer has to release its lock.
    """
    path = _path(source)
    place = f"The SQLite file {str(path)!r}"
    guard = _Guard(place)
    try:
        with _connection(path.resolve(), place) as (db, size, address):
            guard.watch(db, size)
            _begin(db, wait)
            check_views(db, address, place)
            if brief or _logs_ahead(path):
                yield place, db
                return
            copy = _copy(db)
        with closing(copy):
            guard.watch(copy, size)
            yield place, copy
    except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite quotes what is not UTF-8
        raise guard.failure(error) from error


@contextmanager
def _connection(path: Path, place: str) -> Iterator[tuple[sqlite3.Connection, int, str]]:
    """Connect to a file, so that nothing is left beside it.

    Also yield the file's size, and the URI by which another process reads it without waiting for
    writers, while the connection keeps them from changing the file or has its own log.
    """
    _check_neighbours(path, place)
    ahead, before = _logs_ahead(path), path.stat()
    alone = ahead and not _beside(path, "-wal").exists()
    with ExitStack() as stack:
        if ahead and not alone and not _beside(path, "-shm").exists():
            # Left by a writer that was killed. To read the log SQLite would make a file beside it.
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="condped-")))
            for found in (path, _beside(path, "-wal")):
                shutil.copyfile(found, folder / found.name)
            path = folder / path.name
        # A file with a write-ahead log that nobody has open: SQLite would leave files beside it.
        address = f"file:{quote(str(path))}?mode=ro"
        unchanging = f"{address}&immutable=1"
        db = sqlite3.connect(
            unchanging if alone else address, uri=True, timeout=_SPELL, isolation_level=None
        )
        stack.enter_context(closing(db))
        yield db, before.st_size, address if ahead and not alone else unchanging
    after = path.stat() if alone else before
    if (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, after.st_size):
        raise DataError(f"{place} was modified while it was being read. Read it again.")


def _begin(db: sqlite3.Connection, wait: float) -> None:
    """Begin a transaction, which sees the file as it is now."""
    end = time.monotonic() + wait
    while True:
        try:
            db.execute("BEGIN")
            db.execute("SELECT COUNT(*) FROM sqlite_master").fetchall()
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            if db.in_transaction:
                db.execute("ROLLBACK")


def _copy(db: sqlite3.Connection) -> sqlite3.Connection:
    """Return a copy in a temporary file, which has no name, as of the transaction of ``db``."""
    copy = sqlite3.connect("", isolation_level=None)
    try:
        copy.execute("PRAGMA journal_mode = OFF")
        copy.execute("PRAGMA synchronous = OFF")
        db.backup(copy)
    except BaseException:
        copy.close()
        raise
    return copy


class _Guard:
    """Limits on what a file that is not trusted can do while it is read."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.left = 0  # instructions
        self.end = 0.0  # in CPU seconds of this thread
        self.too_long = False
        self.denied: str | None = None  # what a view used that is not allowed

    def watch(self, db: sqlite3.Connection, size: int) -> None:
        """Set limits in proportion to the file's size, and let interrupts through."""
        self.left = _STEPS + _STEPS_PER_BYTE * size
        self.end = time.thread_time() + _SECONDS + _SECONDS_PER_BYTE * size
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(max(_LONGEST, size), 2**31 - 1))
        db.setlimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, _PATTERN)
        db.set_progress_handler(self._check_limits, _CHECK_EVERY)
        db.set_authorizer(self._is_allowed)
        for setting in ("trusted_schema = OFF", "cell_size_check = ON", "query_only = ON"):
            db.execute(f"PRAGMA {setting}")

    def _check_limits(self) -> bool:
        """Return whether to end the query."""
        self.left -= _CHECK_EVERY
        self.too_long = self.left < 0 or time.thread_time() > self.end
        return self.too_long

    def _is_allowed(self, action: int, _: str | None, name: str | None, *where: str | None) -> int:
        """Return whether a statement may do something; SQLite calls this before running it."""
        if action == sqlite3.SQLITE_RECURSIVE:
            self.denied = "recursion (WITH RECURSIVE)"
        elif action == sqlite3.SQLITE_FUNCTION and str(name).lower() not in _FUNCTIONS:
            self.denied = f"the function {brief(name)}"
        else:
            return sqlite3.SQLITE_OK
        return sqlite3.SQLITE_DENY

    def failure(self, error: sqlite3.Error | UnicodeDecodeError) -> BaseException:
        """Return what to raise in place of SQLite's error."""
        if self.denied is not None:
            return DataError(
                f"{self.place} has a view that uses {self.denied}, which may take long or never "
                "end. Make a table of the view's rows (CREATE TABLE … AS SELECT) in a copy of the "
                "file. Views may use plain functions only, such as count, max or lower."
            )
        if self.too_long:
            return DataError(
                f"{self.place} has a view or a computed column that takes far longer than reading "
                "all of the file, or never ends. Drop it, or copy the tables into another file."
            )
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
            # What is raised in a callback of SQLite ends the query, and is lost.
            return KeyboardInterrupt()
        remedy = ""
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_READONLY_ROLLBACK:
            remedy = (
                " A writer was interrupted: open the file once with the tool that wrote it, which "
                "rolls back what was not finished."
            )
        elif getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
            remedy = (
                f" A copy of it does not fit in {tempfile.gettempdir()!r}: set the environment "
                "variable TMPDIR to a directory with room for it."
            )
        return DataError(f"{self.place} cannot be read: {error}.{remedy}")


def _logs_ahead(path: Path) -> bool:
    """Return whether the file's header says that writers use a write-ahead log."""
    return first_bytes(path, 20)[18:20] == b"\x02\x02"


def _check_neighbours(path: Path, place: str) -> None:
    """Raise if SQLite would open a pipe or the like beside the file, and perhaps wait forever."""
    for ending in ("-journal", "-wal", "-shm"):
        if is_irregular(_beside(path, ending)):
            raise DataError(
                f"{place} cannot be read: {path.name + ending!r} beside it is not a regular file. "
                "Remove or rename it, or copy the file elsewhere."
            )


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(f"{path.name}{ending}")


def without_scheme(source: str) -> str:
    """Return the path in a URL such as ``sqlite+pysqlite:///study.db``; other texts unchanged."""
    return re.sub(r"^sqlite(\+\w+)?:///", "", source)


def _path(source: str) -> Path:
    """Return the file of a URL or a path, without options after a question mark."""
    named = without_scheme(source)
    for text in (named, named.partition("?")[0]):
        with suppress(SourceError):  # with options it may be too long for a path
            if (path := Path(expanded(text))).is_file():
                return path
    hint = (
        "" if "://" not in named else " URLs of such files begin with sqlite:/// (three slashes)."
    )
    raise DataError(f"There is no file {named!r} (current directory: {str(Path.cwd())!r}).{hint}")
