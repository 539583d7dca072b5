"""Optuna studies in PostgreSQL, through psycopg, read-only and on one snapshot."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlunsplit

import psycopg

from condped.errors import DataError
from condped.read.databases.urls import split_url, without_password
from condped.read.optuna.sql.database import Database
from condped.read.optuna.sql.reader import DatabaseReader

_WAIT = 10  # seconds for a server to answer


@contextmanager
def _database(source: str) -> Iterator[Database]:
    # Optuna's URLs may name SQLAlchemy's driver: postgresql+psycopg2://
    place = without_password(source)
    address = urlunsplit(split_url(source)._replace(scheme="postgresql"))
    try:
        with psycopg.connect(address, connect_timeout=_WAIT) as connection:
            # One snapshot for all queries, and no way to write.
            connection.read_only = True
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            # A named cursor stays on the server: rows are fetched as needed.
            yield Database(
                f"The database {place}",
                lambda: connection.cursor(name="condped"),
                "SELECT column_name FROM information_schema.columns "
                "WHERE table_schema = current_schema() AND table_name = ?",
            )
    except psycopg.Error as error:
        reason = " ".join(str(error).split())
        raise DataError(f"The database {place} cannot be read: {reason}.") from error


_READER = DatabaseReader(_database)
read, read_all = _READER.read, _READER.read_all
follow, list_studies = _READER.follow, _READER.list_studies
