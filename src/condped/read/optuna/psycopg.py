"""Optuna studies in PostgreSQL, through psycopg, read-only and on one snapshot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlunsplit

import psycopg

from condped.errors import DataError
from condped.read.databases.urls import split_url, without_password
from condped.read.options import ReadOptions
from condped.read.optuna.sql import read_study
from condped.trials.table import TrialTable

_WAIT = 10  # seconds for a server to answer


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return the trials of a study in a PostgreSQL database that Optuna wrote."""
    # Optuna's URLs may name SQLAlchemy's driver: postgresql+psycopg2://
    place = without_password(source)
    address = urlunsplit(split_url(source)._replace(scheme="postgresql"))
    try:
        with psycopg.connect(address, connect_timeout=_WAIT) as connection:
            # One snapshot for all queries, and no way to write.
            connection.read_only = True
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            database = _PostgreSql(f"The database {place}", connection)
            return read_study(database, options)
    except psycopg.Error as error:
        reason = " ".join(str(error).split())
        raise DataError(f"The database {place} cannot be read: {reason}") from error


@dataclass(frozen=True, slots=True)
class _PostgreSql:
    place: str
    connection: psycopg.Connection[Any]

    def columns(self, table: str) -> set[str]:
        found = self.connection.execute(
            "SELECT column_name FROM information_schema.columns "
            "WHERE table_schema = current_schema() AND table_name = %s",
            (table,),
        )
        return {name for (name,) in found}

    def blocks(self, sql: str, values: tuple[Any, ...], size: int) -> Iterator[list[Any]]:
        # A named cursor stays on the server: rows are fetched as needed.
        with self.connection.cursor(name="condped") as cursor:
            cursor.execute(sql.replace("?", "%s").encode(), values)
            while rows := cursor.fetchmany(size):
                yield rows
