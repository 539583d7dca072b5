"""CSV files: cells are texts, which the space turns into numbers and choices."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, compress
from pathlib import Path

from condped.errors import DataError
from condped.progress import report
from condped.read.files.decompress import file_size, open_decompressed
from condped.read.files.many_files import (
    all_columns,
    check_unique_columns,
    load_files,
    partition_of,
)
from condped.read.files.space_sidecar import with_sidecar
from condped.read.files.text_columns import column_of_texts
from condped.read.options import ReadOptions
from condped.read.table.build import build_table
from condped.read.table.raw import RawTable
from condped.trials.columns import Column, UnusableColumn
from condped.trials.notes import words_note
from condped.trials.table import TrialTable

_REPORT_EVERY = 20_000  # rows between two progress reports


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return a CSV file's rows as trials.

    The first line names the columns; commas, semicolons or tabs separate. Cells are texts until
    the space says otherwise: a choice '01' stays '01'.
    """
    return read_many([source], with_sidecar(source, options))


def read_many(paths: Sequence[str], options: ReadOptions, root: Path | None = None) -> TrialTable:
    """Return the rows of several CSV files, below a root, as trials."""
    notes: list[str] = []

    def load(path: str) -> _Cells:
        return _cells(path, options.skip_corrupt, notes).with_constants(partition_of(path, root))

    files = load_files(paths, load, options, notes)
    names = all_columns([file.names for file in files], notes)
    words: dict[str, int] = {}  # cells such as NA that were read as missing, by column

    def column(name: str) -> Column:
        cells = list(chain.from_iterable(file.column(name) for file in files))
        made = column_of_texts(cells, options.space, name)
        if not isinstance(made, UnusableColumn):
            missing = compress(cells, made.absent())
            words[name] = sum(1 for cell in missing if cell is not None and cell.strip())
        return made

    rows = sum(file.rows for file in files)
    table = build_table(RawTable(names, rows, column), options)
    counts = {name: count for name, count in words.items() if count and name in table.names}
    if counts:
        notes.append(words_note(counts))
    return table.with_notes(notes)


@dataclass(frozen=True, slots=True)
class _Cells:
    """The cells of one file."""

    names: list[str]
    columns: dict[str, Sequence[str | None]]
    rows: int

    def with_constants(self, entries: Mapping[str, str | None]) -> _Cells:
        """Return the cells with constant columns added, unless they exist."""
        added = {k: [v] * self.rows for k, v in entries.items() if k not in self.columns}
        return _Cells([*self.names, *added], {**self.columns, **added}, self.rows)

    def column(self, name: str) -> Sequence[str | None]:
        return self.columns.get(name, [None] * self.rows)


def _cells(path: str, skip: bool, notes: list[str]) -> _Cells:
    with open_decompressed(path) as file:
        size = file_size(path)
        text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
        first = text.readline()
        lines = csv.reader(chain([first], text), delimiter=separator_of(first), strict=True)
        corrupt: list[int] = []
        try:
            names = next(lines, [])
            rows = []
            skipped = corrupt if skip else None
            for row in complete_rows(lines, names, path, skipped, lambda: lines.line_num):
                rows.append(row)
                if len(rows) % _REPORT_EVERY == 0:
                    report(f"Reading {path}", min(file.tell(), size), size)
        except csv.Error as error:
            raise DataError(f"The file {path!r} is not valid CSV: {error}.") from error
    check_header(path, names)
    if corrupt:
        notes.append(corrupt_lines_note(path, corrupt))
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    return _Cells(names, dict(zip(names, columns, strict=True)), len(rows))


def separator_of(first_line: str) -> str:
    """Return the separator of the cells: the most frequent one outside quotes."""
    return max(",;\t", key=re.sub(r'"[^"]*("|$)', "", first_line).count)


def check_header(path: str, names: Sequence[str]) -> None:
    """Raise if the first line does not name columns, each once."""
    if not names:
        raise DataError(f"The file {path!r} is empty. Its first line must name the columns.")
    check_unique_columns(path, names)


def corrupt_lines_note(path: str, corrupt: Sequence[int]) -> str:
    """Return the note on lines that were left out."""
    return (
        f"Lines of {path!r} with more or fewer cells than the header, left out: "
        f"{len(corrupt)} (first: line {corrupt[0]})."
    )


def complete_rows(
    rows: Iterable[list[str]],
    names: Sequence[str],
    path: str,
    corrupt: list[int] | None,
    line: Callable[[], int],
) -> Iterator[list[str]]:
    """Iterate over the rows with as many cells as the header, skipping blank lines.

    Other rows raise, unless ``corrupt`` is given to collect their line numbers. ``line`` returns
    the number of the line that was read last.
    """
    for row in rows:
        if len(row) == len(names):
            yield row
        elif not names:
            raise DataError(f"The first line of {path!r} is blank. It must name the columns.")
        elif row and corrupt is not None:
            corrupt.append(line())
        elif row:
            raise DataError(
                f"Line {line()} of {path!r} has {len(row)} cells, the header has "
                f"{len(names)}. Quote cells that contain a separator, or skip such lines with "
                "the option skip_corrupt."
            )
