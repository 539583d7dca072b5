"""A database in the middle of one read-only transaction, and a selection of its trials."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from condped.errors import DataError
from condped.read.optuna.sql.kinds import TEXT, WHOLE, Columns, check_kinds
from condped.safe_text import brief

# The schema of all versions from 2.10 to 5.0.
_SCHEMA = 12
_TABLES = ("studies", "trials", "trial_params", "version_info")
_BLOCK = 20_000
_MOST_NAMED = 500  # trials in one query; SQLite takes at least 999 values
_INFINITE = {"INF_POS": np.inf, "INF_NEG": -np.inf}


@dataclass(slots=True)
class Database:
    """A database in the middle of one read-only transaction.

    Attributes
    ----------
    place
        Its name in messages; without a password.
    cursor
        Opens a cursor that leaves rows in the database until they are fetched.
    columns_of
        The query for the names of a table's columns.
    mark
        The placeholder for a value in its queries.
    fetched
        How many rows of Optuna's tables were fetched.
    """

    place: str
    cursor: Callable[[], AbstractContextManager[Any]]
    columns_of: str
    mark: str = "%s"
    fetched: int = 0
    _columns: dict[str, set[str]] = field(default_factory=dict)

    def columns(self, table: str) -> set[str]:
        """Return the names of a table's columns; empty if there is no such table."""
        if table not in self._columns:
            found = (row for block in self._blocks(self.columns_of, table) for row in block)
            self._columns[table] = {name for (name,) in found}
        return self._columns[table]

    def rows(self, table: str, columns: Columns, sql: str, *values: Any) -> list[Any]:
        """Return all rows of a query."""
        return [row for block in self.blocks(table, columns, sql, *values) for row in block]

    def blocks(self, table: str, columns: Columns, sql: str, *values: Any) -> Iterator[list[Any]]:
        """Iterate over the rows of a query (``?`` for each value), block by block.

        ``columns`` are those it selects, mostly from ``table``, and what each must hold.
        """
        for rows in self._blocks(sql, *values):
            self.fetched += len(rows)
            check_kinds(self.place, table, columns, rows)
            yield rows

    def _blocks(self, sql: str, *values: Any) -> Iterator[list[Any]]:
        with self.cursor() as cursor:
            cursor.execute(sql.replace("?", self.mark), values)
            while rows := cursor.fetchmany(_BLOCK):
                yield rows

    def check_schema(self) -> None:
        """Raise if there are no Optuna tables, or tables of an unknown version."""
        missing = [table for table in _TABLES if not self.columns(table)]
        if missing:
            lacks = ", ".join(map(repr, missing))
            raise DataError(f"{self.place} holds no Optuna studies: it has no table {lacks}.")
        sql = "SELECT MAX(schema_version) FROM version_info"
        ((version,),) = self.rows("version_info", {"schema_version": None}, sql)
        if version != _SCHEMA:
            raise DataError(
                f"{self.place} has Optuna's schema version {brief(version)}; only {_SCHEMA} can "
                "be read (Optuna 2.10 to 5.0). Load the study with its Optuna version and pass "
                "it instead."
            )

    def studies(self) -> dict[str, int]:
        """Return the ids of the studies by name."""
        sql = "SELECT study_name, study_id FROM studies ORDER BY study_id"
        return dict(self.rows("studies", {"study_name": TEXT, "study_id": WHOLE}, sql))

    @property
    def visible(self) -> str:
        """The SQL condition that a trial ``t`` is not hidden; empty if no trial can be."""
        # rustuna, which writes the same tables, marks hidden trials in an extra column.
        return "t.discarded_at IS NULL" if "discarded_at" in self.columns("trials") else ""

    def trials_of(self, study: int) -> Trials:
        """Return all trials of a study."""
        return Trials(f"t.study_id = ? {self.visible and f'AND {self.visible}'}", (study,))


@dataclass(frozen=True, slots=True)
class Trials:
    """The trials ``t`` of queries: all of a study, or some of them.

    Attributes
    ----------
    condition, values
        The condition in SQL, and the values bound in it.
    every
        Whether these are all trials of the study.
    """

    condition: str
    values: tuple[Any, ...]
    every: bool = True

    def after(self, trial: int) -> Trials:
        """Return those that were created after a trial."""
        return Trials(f"{self.condition} AND t.trial_id > ?", (*self.values, trial), every=False)

    def up_to(self, trial: int) -> Trials:
        """Return a trial and those that were created before it."""
        return Trials(f"{self.condition} AND t.trial_id <= ?", (*self.values, trial), every=False)

    def among(self, trials: Sequence[int]) -> Iterator[Trials]:
        """Iterate over those with these ids, as many at a time as a query can take."""
        for start in range(0, len(trials), _MOST_NAMED):
            some = trials[start : start + _MOST_NAMED]
            marks = ", ".join("?" * len(some))
            condition = f"{self.condition} AND t.trial_id IN ({marks})"
            yield Trials(condition, (*self.values, *some), every=False)


def number_of(number: float | None, kind: str) -> float:
    """Return a recorded number; infinite ones are recorded as null and a kind."""
    return _INFINITE.get(kind, np.nan) if number is None else number


def value_kind(database: Database) -> str:
    """Return the SQL for how a value ``v`` is recorded: infinite ones are null."""
    # Before Optuna 3 there was no column for infinite values.
    return "v.value_type" if "value_type" in database.columns("trial_values") else "'FINITE'"


def report_kind(database: Database) -> str:
    """Return the SQL for how a reported value is recorded: infinite ones and NaN are null."""
    typed = "intermediate_value_type" in database.columns("trial_intermediate_values")
    return "v.intermediate_value_type" if typed else "'FINITE'"
