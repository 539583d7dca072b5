"""Optuna studies in SQLite files, read-only and on one snapshot."""

from __future__ import annotations

from contextlib import closing

from condped.read.databases.sqlite import COLUMNS, snapshot
from condped.read.options import ReadOptions
from condped.read.optuna.sql import Database, read_study
from condped.trials.table import TrialTable


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return the trials of a study in an SQLite file that Optuna wrote."""
    with snapshot(source) as (place, connection):
        database = Database(place, lambda: closing(connection.cursor()), COLUMNS, mark="?")
        return read_study(database, options)
