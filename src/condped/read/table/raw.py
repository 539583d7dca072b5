"""Named columns as a source has them, before they become objectives and parameters."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from condped.arrays import BoolArray, FloatArray
from condped.errors import DataError, not_found
from condped.read.expansion import check_cells
from condped.read.table.row_errors import describe_row, format_rows, known_count, row_number
from condped.read.table.state_words import States
from condped.space.space import Space
from condped.trials.columns import (
    Column,
    LevelColumn,
    NumberColumn,
    UnusableColumn,
    absent_column,
    level_column,
    number_of,
    object_column,
    select_rows,
)
from condped.trials.course.drawing import Drawing
from condped.trials.course.reports import Reports
from condped.trials.course.times import Times

_MISSING = object()


@dataclass(frozen=True, slots=True)
class RawTable:
    """Named columns of equal length, each made when first used.

    Attributes
    ----------
    names
        Of the columns.
    rows
        Their length.
    make
        Returns the column of a name.
    sparse
        Whether columns without any value are left out.
    made
        The columns made so far, by name.

    Examples
    --------
    >>> table = RawTable.of_records([{"lr": 0.1}, {"lr": 0.2, "momentum": 0.9}])
    >>> table.names, table.rows
    (('lr', 'momentum'), 2)
    """

    names: tuple[str, ...]
    rows: int
    make: Callable[[str], Column]
    sparse: bool = False
    made: dict[str, Column] = field(default_factory=dict)

    @classmethod
    def of_records(
        cls,
        records: Sequence[Mapping[str, Any]],
        names: Sequence[str] = (),
        *,
        none_is_choice: bool = False,
    ) -> RawTable:
        """Return the columns of records, one mapping per trial; entries may be missing.

        ``names`` are columns to include in any case; others follow in order of first appearance.
        A None in a record is missing too or, with ``none_is_choice`` and unless the others are
        numbers, a choice.
        """
        found = dict.fromkeys(chain(names, chain.from_iterable(records)))
        check_cells(
            len(records) * len(found.keys() - set(names)),
            sum(map(len, records)),
            "The list of records",
            "values",
        )

        def column(name: str) -> Column:
            made = object_column([record.get(name) for record in records])
            if not none_is_choice or not isinstance(made, LevelColumn):
                return made
            held = [record.get(name, _MISSING) for record in records]
            lacking = np.fromiter((value is _MISSING for value in held), bool, len(held))
            # The values at missing entries are ignored.
            return level_column([None if value is _MISSING else value for value in held], lacking)

        return cls(tuple(found), len(records), column, sparse=True)

    def __getitem__(self, name: str) -> Column:
        if name not in self.made:
            self.made[name] = self.make(name)
        return self.made[name]

    def with_absent(self, names: Sequence[str]) -> RawTable:
        """Return the table with more columns, all values missing."""
        absent = dict.fromkeys(names, absent_column(self.rows))
        return RawTable(
            (*self.names, *names),
            self.rows,
            lambda name: absent[name] if name in absent else self[name],
        )

    def only(self, rows: BoolArray) -> RawTable:
        """Return the table with these rows only."""
        return RawTable(
            self.names,
            int(np.count_nonzero(rows)),
            lambda name: select_rows(self[name], rows),
            self.sparse,
        )

    def without(self, names: Collection[str]) -> RawTable:
        """Return the table without these columns."""
        kept = tuple(name for name in self.names if name not in names)
        return RawTable(kept, self.rows, self.__getitem__, self.sparse)

    def require(self, kind: str, name: str) -> Column:
        """Return a column; raises with the known names if there is none."""
        if name not in self.names:
            raise not_found(kind, name, self.names)
        return self[name]

    def numbers(self, kind: str, name: str) -> FloatArray:
        """Return a column as numbers, NaN where missing."""
        column = self.require(kind, name)
        if isinstance(column, NumberColumn):
            if column.missing is None or column.values.dtype.kind == "f":
                return column.values.astype(np.float64, copy=False)
            return column.numbers()
        if isinstance(column, UnusableColumn):
            raise DataError(
                f"The {kind} {name!r} must be numeric (got {column.kind}).", column=name
            )
        numbers = [number_of(level) for level in column.levels]
        texts = np.array([number is None for number in numbers] + [False])[column.codes]
        if texts.any():
            first, count = int(np.argmax(texts)), int(np.count_nonzero(texts))
            rows_text = f", the first of {count} such rows (rows count from 0)"
            if known_count(count) is None:
                rows_text = format_rows(first, count)
            raise DataError(
                f"The {kind} {name!r} must be numeric: {describe_row(first)} holds "
                f"{column.levels[column.codes[first]]!r}{rows_text}.",
                column=name,
                first_row=row_number(first),
                count=known_count(count),
            )
        return np.array([*numbers, np.nan], dtype=np.float64)[column.codes]


@dataclass(frozen=True, slots=True)
class RawRuns:
    """Runs as a tool records them: parameters and metrics separately.

    Attributes
    ----------
    parameters, metrics
        One row per trial. A parameter that is missing in a row was inactive there.
    states
        One per trial: ``"complete"``, ``"pruned"``, ``"failed"`` or ``"running"``, another tool's
        word for one of them, or a ``condped.trials.table.State``; a list, or an array of
        states.
    objectives, directions
        What the tool optimised and in which direction (``"minimize"``, ``"maximize"``), if
        recorded. Objectives are names of ``metrics``.
    space
        The domains, if the tool records them.
    notes
        Notes for the user, one sentence each.
    drawing
        How the trials were drawn, if recorded.
    times
        When they ran, if recorded.
    reports
        What was measured at lower budgets, if requested.
    mixed
        Whether parameters are among other columns, from which only their names distinguish them.

    Examples
    --------
    See :func:`condped.read.table.build.build_runs`.
    """

    parameters: RawTable
    metrics: RawTable
    states: States
    objectives: tuple[str, ...] = ()
    directions: tuple[str, ...] = ()
    space: Space | None = None
    notes: tuple[str, ...] = ()
    drawing: Drawing | None = None
    times: Times | None = None
    mixed: bool = False
    reports: Reports | None = None
