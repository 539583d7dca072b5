"""Optuna studies in PostgreSQL, through psycopg, read-only and on one snapshot."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlunsplit

import psycopg

from condped.errors import DataError
from condped.read.databases.urls import split_url, without_password
from condped.read.options import ReadOptions
from condped.read.optuna.sql import Database, read_studies, read_study
from condped.trials.table import TrialTable

_WAIT = 10  # seconds for a server to answer


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return the trials of a study in a PostgreSQL database that Optuna wrote."""
    with _database(source) as database:
        return read_study(database, options)


def read_all(source: str, options: ReadOptions) -> list[tuple[str, TrialTable]]:
    """Return the trials of all studies in the database, or of those that match a pattern."""
    with _database(source) as database:
        return read_studies(database, options)


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
        raise DataError(f"The database {place} cannot be read: {reason}") from error
