"""Optuna studies in MySQL and MariaDB, through PyMySQL, read-only and on one snapshot."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any
from urllib.parse import parse_qsl, unquote

import pymysql
from pymysql.cursors import SSCursor

from condped.errors import DataError, SettingsError
from condped.read.databases.urls import split_url, without_password
from condped.read.optuna.objective import STUDY
from condped.read.optuna.sql.database import Database
from condped.read.optuna.sql.reader import DatabaseReader

_WAIT = 10  # seconds for a server to be reached
_LONGEST = 300  # seconds between two responses
# Options that may follow the question mark of a URL.
_OPTIONS = ("charset", "unix_socket", "ssl_ca", "ssl_cert", "ssl_key")


@contextmanager
def _database(source: str) -> Iterator[Database]:
    place = f"The database {without_password(source)}"
    try:
        with closing(pymysql.connect(**_address(source))) as connection:
            with connection.cursor() as cursor:
                # One snapshot for all queries, and no way to write.
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                cursor.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")
            # This cursor leaves the rows on the server until they are fetched.
            yield Database(
                place,
                lambda: connection.cursor(SSCursor),
                "SELECT column_name FROM information_schema.columns "
                "WHERE table_schema = DATABASE() AND table_name = ?",
            )
    except (pymysql.Error, OSError) as error:
        # PyMySQL's errors are a number and a text.
        reason = " ".join(str(error.args[-1]).split())
        raise DataError(f"{place} cannot be read: {reason}.") from error


def _address(source: str) -> dict[str, Any]:
    """Return the arguments of PyMySQL's connect from a URL."""
    parts = split_url(source)
    extra = dict(parse_qsl(parts.query))
    unknown = [name for name in extra if name not in _OPTIONS]
    if unknown:
        raise SettingsError(
            f"The URL of {STUDY} has the unknown option {unknown[0]!r} "
            f"(known: {', '.join(_OPTIONS)}). Leave it out."
        )
    return {
        "host": parts.hostname or "localhost",
        "port": parts.port or 3306,
        "user": unquote(parts.username or "") or None,
        "password": unquote(parts.password or ""),
        "database": unquote(parts.path.lstrip("/")) or None,
        "charset": "utf8mb4",
        "connect_timeout": _WAIT,
        "read_timeout": _LONGEST,
        **extra,
    }


_READER = DatabaseReader(_database)
read, read_all = _READER.read, _READER.read_all
follow, list_studies = _READER.follow, _READER.list_studies
