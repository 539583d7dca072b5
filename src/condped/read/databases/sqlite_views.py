"""Whether SQLite can prepare queries of a file's views and computed columns in reasonable time.

SQLite expands the expressions of nested views, so that each ``SELECT t || t AS t FROM …`` doubles
time and memory, and cannot be interrupted meanwhile. So another process tries.
"""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys

from condped.errors import DataError

_PATIENCE = 10.0  # seconds, the start of Python included; SQLite itself needs milliseconds
_MEMORY = 1 << 28  # bytes, of which a few million are enough
_TRY = """
import sqlite3, sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]),) * 2)
except (ImportError, OSError, ValueError):  # Windows, macOS
    pass
try:
    db = sqlite3.connect(sys.argv[1], uri=True)
    db.execute("PRAGMA trusted_schema = OFF")
    names = db.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").fetchall()
except sqlite3.Error:
    sys.exit()  # reading the file will report it
for (name,) in names:
    quoted = str(name).replace('"', '""')
    try:
        db.execute(f'EXPLAIN SELECT * FROM "{quoted}"').close()
    except sqlite3.Error:
        pass
"""


def check_views(db: sqlite3.Connection, address: str, place: str) -> None:
    """Raise if a view or a computed column takes too long to prepare.

    ``address`` is the URI by which another process sees what ``db`` does.
    """
    if not any(
        kind == "view" or re.search(r"\bas\b", str(sql), re.IGNORECASE)
        for kind, sql in db.execute(
            "SELECT type, sql FROM sqlite_master WHERE type IN ('table', 'view')"
        )
    ):
        return
    command = [sys.executable, "-I", "-c", _TRY, address, str(_MEMORY)]
    try:
        subprocess.run(command, check=True, timeout=_PATIENCE, capture_output=True)
    except (subprocess.SubprocessError, OSError) as error:
        raise DataError(
            f"{place} has views or computed columns that SQLite cannot prepare within "
            f"{_PATIENCE:g} seconds and {_MEMORY >> 20} MiB of memory. Drop them, or copy the "
            "tables into another file."
        ) from error
