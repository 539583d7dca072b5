"""From some rows' columns to a batch, by the code that reads whole tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from condped.arrays import IntArray
from condped.errors import DataError, SettingsError, not_found
from condped.read.direction import unsaid_direction_notes
from condped.read.options import ReadOptions
from condped.read.table.build import build_as, select_layout
from condped.read.table.export_layouts import Layout
from condped.read.table.outside_domain import find_outside
from condped.read.table.raw import RawTable
from condped.read.table.row_errors import RowOffset, format_rows, numbering_from
from condped.space.space import Space
from condped.trials.batch import Batch, Goal, Schema
from condped.trials.columns import Column, LevelColumn, NumberColumn, UnusableColumn, absent_column
from condped.trials.notes import RowsNote
from condped.trials.table import TrialTable


@dataclass(frozen=True, slots=True)
class View:
    """What one pass looks at.

    Attributes
    ----------
    parameters
        Those that its batches have.
    options
        Their space, with the parameters that their conditions name, and what the caller said.
    columns
        All that must be read.
    """

    parameters: tuple[str, ...]
    options: ReadOptions
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BatchReader:
    """What the columns of a source mean, whichever of its rows are read.

    Attributes
    ----------
    unusable
        Columns of types that nothing can be made of, with what they hold.
    """

    names: tuple[str, ...]
    asked: ReadOptions
    space: Space
    layout: Layout | None
    unusable: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        asked: ReadOptions,
        space: Space | None,
        *,
        texts: bool = False,
        unusable: Mapping[str, str] | None = None,
    ) -> BatchReader:
        """Decide how columns of these names are read; nothing has been read yet.

        ``texts`` says that their types must be told from what they spell.
        """
        if space is None or space.to_infer:
            raise SettingsError(
                "A space is needed to count rows that are not held in memory: domains cannot be "
                "guessed from them. Give space, or read the source with engine='memory'."
            )
        for name in (*(asked.parameters or ()), *(asked.ignore or ())):
            if name not in space:
                raise not_found("parameter", name, space)
        if asked.ignore:
            kept = tuple(name for name in space if name not in asked.ignore)
            asked = replace(asked, parameters=kept)
        layout = select_layout(names, space)
        if layout is not None and (texts or not layout.row_by_row):
            raise DataError(
                f"The columns are those of {layout.source}, whose rows are understood together "
                "only. Read it with engine='memory'."
            )
        return cls(tuple(names), asked, space, layout, unusable or {})

    def schema(self, source: str, *, ordered: bool = True) -> Schema:
        """Return what is known of the trials; raises if the columns do not fit."""
        table = self._nothing(replace(self.asked, space=self.space), [])
        wanted = self.asked.parameters
        known = {parameter.name: parameter.domains for parameter in table.parameters}
        names = tuple(known) if wanted is None else tuple(dict.fromkeys(wanted))
        return Schema(
            source=source,
            names=names,
            domains=tuple(known[name] for name in names),
            goals=tuple(Goal(o.name, o.direction) for o in table.objectives),
            ordered=ordered or self.asked.order is not None,
            order_given=self.asked.order is not None,
            space=table.space,
            ignored_columns=table.ignored_columns,
            some_parameters=wanted is not None,
            outside=self.asked.outside,
            where=self.asked.where,
        )

    def notes(self, schema: Schema) -> list[str]:
        """Return warnings on directions that nobody gave, and what is left out."""
        notes = [] if self.asked.direction is not None else unsaid_direction_notes(schema.goals)
        if self.asked.ignore:
            notes.append(f"Ignored, as requested: {', '.join(dict.fromkeys(self.asked.ignore))}.")
        return notes

    def view(self, parameters: Sequence[str]) -> View:
        """Return what to read for batches with these parameters."""
        # Which trials are left out for a value outside, all parameters have a say in.
        needed = set(self.space) if self.asked.outside == "drop" else set(parameters)
        while not (gates := self.space.gates(needed)) <= needed:
            needed |= gates
        space = Space({name: self.space[name] for name in self.space if name in needed})
        options = replace(self.asked, space=space)
        columns: list[str] = []
        self._nothing(options, columns)
        # The order is read apart: rows stay where they are.
        options = replace(options, order=None)
        return View(tuple(parameters), options, tuple(dict.fromkeys(columns)))

    def batch(self, raw: RawTable, view: View, part: RowOffset, words: Mapping[str, int]) -> Batch:
        """Return some rows as a batch; whatever is said of them names their place in the source.

        ``words``, once the columns have been made, tells where words stood for nothing.
        """
        with numbering_from(part):
            table = self.table(raw, view.options)
            if self.asked.failure_values:
                table = table.with_failures(self.asked.failure_values)
            notices = [note for note in table.notes if isinstance(note, RowsNote)]
            present = set(table.names)
            notices += [
                RowsNote("words", name, f"{name} (", count, ")")
                for name, count in words.items()
                if count and name in present
            ]
            times = None if self.asked.order is None else _times(raw, self.asked.order)
            dropped = 0
            if self.asked.outside != "error":
                told, gone = find_outside(table, self.asked.outside)
                notices += told
                if gone is not None:
                    table, dropped = table.only(~gone), int(np.count_nonzero(gone))
                    if times is None and part.before is not None:
                        times = np.arange(part.before, part.before + len(gone))
                    times = None if times is None else times[~gone]
        kept = {parameter.name: parameter for parameter in table.parameters}
        table = replace(table, parameters=tuple(kept[name] for name in view.parameters), notes=())
        return Batch(table, part.before or 0, times, tuple(notices), dropped)

    def table(self, raw: RawTable, options: ReadOptions) -> TrialTable:
        """Return some rows as a table."""
        return build_as(self.layout, raw, options)

    def _nothing(self, options: ReadOptions, columns: list[str]) -> TrialTable:
        """Build the table of one row that holds nothing; ``columns`` takes those looked at."""

        def absent(name: str) -> Column:
            columns.append(name)
            if name == self.asked.order:
                return NumberColumn(np.zeros(1, dtype=np.int64), None)
            if name in self.unusable:
                return UnusableColumn(self.unusable[name])
            return absent_column(1)

        return self.table(RawTable(self.names, 1, absent), options)


def _times(raw: RawTable, name: str) -> IntArray:
    """Return the places in time that a column tells."""
    column = raw.require("order column", name)
    if isinstance(column, NumberColumn) and column.missing is None:
        if column.values.dtype.kind == "i":
            return column.values
        wrong = ~((column.values == np.rint(column.values)) & (np.abs(column.values) < 2.0**63))
        if not wrong.any():
            return column.values.astype(np.int64)
    elif isinstance(column, (NumberColumn, LevelColumn)):
        wrong = column.absent()
        wrong = wrong if wrong.any() else ~wrong
    else:
        wrong = np.ones(raw.rows, dtype=bool)
    first = int(np.argmax(wrong))
    raise DataError(
        f"The order column {name!r} must hold a whole number in every row; one does "
        f"not{format_rows(first, 1)}. Name another column, or none to take the rows in their "
        "order.",
        column=name,
    )
