"""Optuna studies in SQLite files, read-only and on one snapshot."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from condped.read.databases.sqlite import columns_of, snapshot
from condped.read.options import ReadOptions
from condped.read.optuna.sql import read_study
from condped.trials.table import TrialTable


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return the trials of a study in an SQLite file that Optuna wrote."""
    with snapshot(source) as (place, connection):
        return read_study(_Sqlite(place, connection), options)


@dataclass(frozen=True, slots=True)
class _Sqlite:
    place: str
    connection: sqlite3.Connection

    def columns(self, table: str) -> set[str]:
        return columns_of(self.connection, table)

    def blocks(self, sql: str, values: tuple[Any, ...], size: int) -> Iterator[list[Any]]:
        cursor = self.connection.execute(sql, values)
        while rows := cursor.fetchmany(size):
            yield rows
