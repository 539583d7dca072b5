"""Batches from the columns of some rows, by the code that reads whole tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from condped.arrays import IntArray
from condped.errors import DataError, SettingsError, not_found
from condped.read.direction import assumed_direction_notes
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
    """What one pass reads.

    Attributes
    ----------
    parameters
        Parameters that its batches have.
    options
        The caller's, with a space of these parameters and those that their conditions name.
    columns
        All columns that must be read.
    """

    parameters: tuple[str, ...]
    options: ReadOptions
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BatchReader:
    """Makes batches of a source's rows, from what is known of its columns.

    Attributes
    ----------
    unusable
        Columns of unsupported types, with the name of the type.
    """

    names: tuple[str, ...]
    options: ReadOptions
    space: Space
    layout: Layout | None
    unusable: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        options: ReadOptions,
        space: Space | None,
        *,
        texts: bool = False,
        unusable: Mapping[str, str] | None = None,
    ) -> BatchReader:
        """Return a reader for columns with these names; nothing is read yet.

        ``texts``: whether all cells are texts, from which types must be inferred.
        """
        if space is None or space.to_infer:
            raise SettingsError(
                "A space is needed to count rows that are not held in memory: domains cannot be "
                "inferred from them. Give space, or read the source with engine='memory'."
            )
        for name in (*(options.parameters or ()), *(options.ignore or ())):
            if name not in space:
                raise not_found("parameter", name, space)
        if options.ignore:
            kept = tuple(name for name in space if name not in options.ignore)
            options = replace(options, parameters=kept)
        layout = select_layout(names, space)
        if layout is not None and (texts or not layout.row_by_row):
            raise DataError(
                f"The columns are those of {layout.source}, whose rows must be read "
                "together. Read it with engine='memory'."
            )
        return cls(tuple(names), options, space, layout, unusable or {})

    def schema(self, source: str, *, ordered: bool = True) -> Schema:
        """Return the schema of the trials; raises if the columns do not fit."""
        table = self._empty_row(replace(self.options, space=self.space), [])
        requested = self.options.parameters
        known = {parameter.name: parameter.domains for parameter in table.parameters}
        names = tuple(known) if requested is None else tuple(dict.fromkeys(requested))
        return Schema(
            source=source,
            names=names,
            domains=tuple(known[name] for name in names),
            goals=tuple(Goal(o.name, o.direction) for o in table.objectives),
            ordered=ordered or self.options.order is not None,
            order_given=self.options.order is not None,
            space=table.space,
            ignored_columns=table.ignored_columns,
            some_parameters=requested is not None,
            outside=self.options.outside,
            where=self.options.where,
        )

    def notes(self, schema: Schema) -> list[str]:
        """Return warnings about directions not given, and a note on ignored parameters."""
        notes = [] if self.options.direction is not None else assumed_direction_notes(schema.goals)
        if self.options.ignore:
            notes.append(f"Ignored, as requested: {', '.join(dict.fromkeys(self.options.ignore))}.")
        return notes

    def view(self, parameters: Sequence[str]) -> View:
        """Return what to read for batches with these parameters."""
        # With "drop", a value outside any parameter's domain excludes the trial.
        needed = set(self.space) if self.options.outside == "drop" else set(parameters)
        while not (gates := self.space.gates(needed)) <= needed:
            needed |= gates
        space = Space({name: self.space[name] for name in self.space if name in needed})
        options = replace(self.options, space=space)
        columns: list[str] = []
        self._empty_row(options, columns)
        # The order column is read separately: rows are not sorted.
        options = replace(options, order=None)
        return View(tuple(parameters), options, tuple(dict.fromkeys(columns)))

    def batch(self, raw: RawTable, view: View, part: RowOffset, words: Mapping[str, int]) -> Batch:
        """Return some rows as a batch; messages name their place in the source.

        ``words`` is filled as columns are made: how many words such as NA each has for "missing".
        """
        with numbering_from(part):
            table = self.table(raw, view.options)
            if self.options.failure_values:
                table = table.with_failures(self.options.failure_values)
            notes = [note for note in table.notes if isinstance(note, RowsNote)]
            present = set(table.names)
            notes += [
                RowsNote("words", name, f"{name} (", count, ")")
                for name, count in words.items()
                if count and name in present
            ]
            times = None if self.options.order is None else _times(raw, self.options.order)
            dropped = 0
            if self.options.outside != "error":
                found, outside = find_outside(table, self.options.outside)
                notes += found
                if outside is not None:
                    table, dropped = table.only(~outside), int(np.count_nonzero(outside))
                    if times is None and part.before is not None:
                        times = np.arange(part.before, part.before + len(outside))
                    times = None if times is None else times[~outside]
        kept = {parameter.name: parameter for parameter in table.parameters}
        table = replace(table, parameters=tuple(kept[name] for name in view.parameters), notes=())
        return Batch(table, part.before or 0, times, tuple(notes), dropped)

    def table(self, raw: RawTable, options: ReadOptions) -> TrialTable:
        """Return some rows as a table."""
        return build_as(self.layout, raw, options)

    def _empty_row(self, options: ReadOptions, columns: list[str]) -> TrialTable:
        """Build the table of one empty row; the columns it needs are appended to ``columns``."""

        def absent(name: str) -> Column:
            columns.append(name)
            if name == self.options.order:
                return NumberColumn(np.zeros(1, dtype=np.int64), None)
            if name in self.unusable:
                return UnusableColumn(self.unusable[name])
            return absent_column(1)

        return self.table(RawTable(self.names, 1, absent), options)


def _times(raw: RawTable, name: str) -> IntArray:
    """Return the places in time that the order column gives."""
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
        f"not{format_rows(first, 1)}. Name another column, or leave order out to take the rows "
        "in their order.",
        column=name,
    )
