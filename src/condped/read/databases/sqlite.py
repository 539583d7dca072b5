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
from condped.safe_text import brief

# The query for the names of a table's columns.
COLUMNS = "SELECT name FROM pragma_table_info(?)"
_WAIT = 30.0  # seconds for a writer to let go
_SPELL = 0.2  # seconds of it in which SQLite waits by itself, and hears no Ctrl-C
# Instructions of SQLite's machine between two looks whether to go on. Some take a moment each,
# since they compare long texts, and no interrupt is heard between two looks.
_LOOK = 500
# What the queries of one snapshot may take, in instructions and in seconds of the processor: much
# more than reading all of a file some dozens of times does, so that views which never end are
# noticed.
_STEPS, _STEPS_PER_BYTE = 20_000_000, 1_000
_SECONDS, _SECONDS_PER_BYTE = 20.0, 2e-6
_LONGEST = 1 << 16  # bytes of one value; more if the file is larger
_PATTERN = 100  # bytes of a pattern for LIKE, which can be slow to match
# Functions that views and computed columns may use: the time they take, and the length of what
# they give, are in proportion to their arguments.
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
    """Open what a URL or a path names; gives what to call it in messages, and the connection.

    All queries see the same state, whatever workers write meanwhile. Of a file without a
    write-ahead log, unless they are ``brief``, they see a private copy: who writes to it waits
    while it is copied and not while everything is read. ``wait`` is how many seconds a writer has
    to let go of it.
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
    except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite quotes what is no UTF-8
        raise guard.failure(error) from error


@contextmanager
def _connection(path: Path, place: str) -> Iterator[tuple[sqlite3.Connection, int, str]]:
    """Connect to a file, so that nothing is left beside it.

    Gives the file's size as well, and the URI by which another process reads it without waiting for
    writers, while the connection keeps them from changing the file or has its own log.
    """
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
    """What keeps a file that may be somebody else's from more than being read."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.left = 0  # instructions
        self.end = 0.0  # in seconds that this thread has computed
        self.too_long = False
        self.denied: str | None = None  # what a view must not do

    def watch(self, db: sqlite3.Connection, size: int) -> None:
        """Set limits in proportion to the file's size, and let interrupts through."""
        self.left = _STEPS + _STEPS_PER_BYTE * size
        self.end = time.thread_time() + _SECONDS + _SECONDS_PER_BYTE * size
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(max(_LONGEST, size), 2**31 - 1))
        db.setlimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, _PATTERN)
        db.set_progress_handler(self._look, _LOOK)
        db.set_authorizer(self._allowed)
        for setting in ("trusted_schema = OFF", "cell_size_check = ON", "query_only = ON"):
            db.execute(f"PRAGMA {setting}")

    def _look(self) -> bool:
        """Return whether to end the query."""
        self.left -= _LOOK
        self.too_long = self.left < 0 or time.thread_time() > self.end
        return self.too_long

    def _allowed(self, action: int, _: str | None, name: str | None, *where: str | None) -> int:
        """Return whether a statement may do something: SQLite asks before it runs anything."""
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
            # Whatever is raised while SQLite looks ends the query, and does not come through.
            return KeyboardInterrupt()
        remedy = ""
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_READONLY_ROLLBACK:
            remedy = (
                " A writer was interrupted: open the file once with the tool that wrote it, which "
                "takes back what was not finished."
            )
        elif getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
            remedy = (
                f" A copy of it does not fit in {tempfile.gettempdir()!r}: set the environment "
                "variable TMPDIR to a directory with room for it."
            )
        return DataError(f"{self.place} cannot be read: {error}.{remedy}")


def _logs_ahead(path: Path) -> bool:
    """Return whether writers use a write-ahead log, which the file's header says."""
    return first_bytes(path, 20)[18:20] == b"\x02\x02"


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(f"{path.name}{ending}")


def _path(source: str) -> Path:
    """Return the file that a URL or a path names; options behind a question mark are no part."""
    named = re.sub(r"^sqlite(\+\w+)?:///", "", source)
    for text in (named, named.partition("?")[0]):
        with suppress(SourceError):  # with options it may be too long for a path
            if (path := Path(expanded(text))).is_file():
                return path
    hint = (
        "" if "://" not in named else " URLs of such files begin with sqlite:/// (three slashes)."
    )
    raise DataError(f"There is no file {named!r} (current directory: {str(Path.cwd())!r}).{hint}")
