"""CSV files: texts that the space turns into numbers and choices."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from condped.errors import DataError
from condped.read.build import build_table
from condped.read.columns import Column
from condped.read.opened import opened
from condped.read.options import ReadOptions
from condped.read.parts import all_columns, joined
from condped.read.raw import RawTable
from condped.read.sidecar import with_sidecar
from condped.read.texts import column_of_texts
from condped.trials import TrialTable


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return a CSV file's rows as trials.

    The first line names the columns; commas, semicolons or tabs separate. Cells are texts until
    the space says otherwise: a choice '01' stays '01'.
    """
    return read_many([source], with_sidecar(source, options))


def read_many(paths: Sequence[str], options: ReadOptions) -> TrialTable:
    """Return the rows of several CSV files as trials."""
    notes: list[str] = []
    files = joined(paths, _cells, options, notes)
    names = all_columns([file.names for file in files], notes)

    def column(name: str) -> Column:
        cells = chain.from_iterable(file.column(name) for file in files)
        return column_of_texts(list(cells), options.space, name)

    rows = sum(file.rows for file in files)
    return build_table(RawTable(names, rows, column), options).with_notes(notes)


@dataclass(frozen=True, slots=True)
class _Cells:
    """What stands in one file."""

    names: list[str]
    columns: dict[str, Sequence[str]]
    rows: int

    def column(self, name: str) -> Sequence[str | None]:
        return self.columns.get(name, [None] * self.rows)


def _cells(path: str) -> _Cells:
    with opened(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
        first = text.readline()
        separator = max(",;\t", key=re.sub(r'"[^"]*("|$)', "", first).count)
        lines = csv.reader(chain([first], text), delimiter=separator, strict=True)
        try:
            names = next(lines, [])
            rows = list(_rows(lines, names, path))
        except csv.Error as error:
            raise DataError(f"The file {path!r} is not valid CSV: {error}.") from error
    if not names:
        raise DataError(f"The file {path!r} is empty. Its first line must name the columns.")
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    return _Cells(names, dict(zip(names, columns, strict=True)), len(rows))


def _rows(lines: Any, names: list[str], path: str) -> Iterator[list[str]]:
    """Iterate over the rows, all as long as the header; blank lines are none."""
    for row in lines:
        if len(row) == len(names):
            yield row
        elif not names:
            raise DataError(f"The first line of {path!r} is blank. It must name the columns.")
        elif row:
            raise DataError(
                f"Line {lines.line_num} of {path!r} has {len(row)} cells, the header has "
                f"{len(names)}. Quote cells that hold a separator."
            )
