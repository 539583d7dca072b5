"""CSV files: cells are texts, which the space turns into numbers and choices."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import chain, compress
from pathlib import Path
from typing import IO, TypeVar

from condped.errors import DataError
from condped.progress import report
from condped.read.files.decompress import open_decompressed
from condped.read.files.many_files import (
    FileVersion,
    all_columns,
    check_unique_columns,
    load_files,
    partition_of,
)
from condped.read.files.space_sidecar import with_sidecar
from condped.read.files.text_columns import (
    column_of_texts,
    has_numbers_and_words,
    names_column,
    words_in,
)
from condped.read.options import ReadOptions
from condped.read.table.build import build_table, no_rows
from condped.read.table.raw import RawTable
from condped.trials.columns import Column, LevelColumn, UnusableColumn
from condped.trials.notes import choice_words_note, words_note
from condped.trials.table import TrialTable

BLOCK = 1 << 22  # bytes of lines at a time
Rows = list[list[str]]
Parsed = TypeVar("Parsed")


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return a CSV file's rows as trials.

    The first line names the columns; the separator is a comma, semicolon or tab. Cells are
    texts until the space says otherwise: a choice '01' stays '01'.
    """
    return read_many([source], with_sidecar(source, options))


def read_many(paths: Sequence[str], options: ReadOptions, root: Path | None = None) -> TrialTable:
    """Return the rows of several CSV files, below a root, as trials."""
    notes: list[str] = []

    def load(path: str) -> tuple[int, dict[str, Sequence[str | None]]]:
        file = CsvFile.open(path)
        rows: Rows = []
        done = 0
        corrupt: list[int] = []
        for block, length in file.blocks(corrupt if options.skip_corrupt else None):
            rows += block
            done += length
            report(f"Reading {path}", min(done, file.version.size), file.version.size)
        notes.extend(file.notes(corrupt))
        cells = list(zip(*rows, strict=True)) or [()] * len(file.names)
        columns: dict[str, Sequence[str | None]] = dict(zip(file.names, cells, strict=True))
        for name, text in partition_of(path, root).items():
            columns.setdefault(name, [text] * len(rows))
        return len(rows), columns

    files = load_files(paths, load, options, notes)
    names = all_columns([list(columns) for _, columns in files], notes)
    words: dict[str, int] = {}  # cells such as NA that were read as missing, by column
    choices: dict[str, int] = {}  # and that are a choice

    def cells_of(name: str) -> list[str | None]:
        parts = (columns.get(name, [None] * rows) for rows, columns in files)
        return list(chain.from_iterable(parts))

    @cache
    def words_mean_absent() -> bool:
        results = options.objective if isinstance(options.objective, (str, list, tuple)) else ()
        others = [name for name in names if name != results and name not in results]
        return any(has_numbers_and_words(cells_of(name)) for name in others)

    def column(name: str) -> Column:
        cells = cells_of(name)
        if name == options.study_column:  # study 01 is not study 1
            return names_column(cells)
        made = column_of_texts(cells, options.space, name, words_mean_absent=words_mean_absent)
        if not isinstance(made, UnusableColumn):
            words[name] = words_in(compress(cells, made.absent()))
            if isinstance(made, LevelColumn) and name not in (options.space or ()):
                choices[name] = words_in(cells) - words[name]
        return made

    count = sum(rows for rows, _ in files)
    if not count:
        raise no_rows(notes)
    table = build_table(RawTable(names, count, column), options)
    kept = set(table.names)
    counts = {name: count for name, count in words.items() if count and name in kept}
    if counts:
        notes.append(words_note(counts))
    named = {name: count for name, count in choices.items() if count and name in kept}
    if named:
        notes.append(choice_words_note(named))
    return table.with_notes(notes)


@dataclass(frozen=True, slots=True)
class CsvFile:
    """One CSV file, read in blocks of lines."""

    path: str
    version: FileVersion
    names: list[str]
    separator: str

    @classmethod
    def open(cls, path: str) -> CsvFile:
        """Read the names of the columns."""
        with _csv_file(path) as file:
            names, separator, rest, _ = _header(file)
            if not names and (rest or file.read(1)):
                raise DataError(f"The first line of {path!r} is blank. It must name the columns.")
        if not names:
            raise DataError(f"The file {path!r} is empty. Its first line must name the columns.")
        check_unique_columns(path, names)
        return cls(path, FileVersion.of(path), names, separator)

    def blocks(
        self,
        corrupt: list[int] | None,
        parse: Callable[[bytes], Parsed | None] = lambda lines: None,
    ) -> Generator[tuple[Rows | Parsed, int]]:
        """Iterate over the rows, a block of lines at a time, with the length of the block.

        Python's csv module defines what a file holds. ``parse`` may be a faster parser; it returns
        None for lines that could mean something else to it.

        Rows with more or fewer cells than the header raise, unless ``corrupt`` is given to collect
        their line numbers; blank lines are skipped.
        """
        with _csv_file(self.path) as file:
            _, _, rest, before = _header(file)
            while block := rest + file.read(BLOCK):
                block += b"" if block.endswith(b"\n") else file.readline()
                parsed = parse(block)
                if parsed is not None:
                    yield parsed, len(block)
                    rest, before = b"", before + block.count(b"\n")
                    if b"\r" in block:
                        before += block.count(b"\r") - block.count(b"\r\n")
                else:
                    lines = _Lines(block.decode(), file)
                    rows, taken = self._rows(lines, before, corrupt)
                    yield rows, len(block)
                    rest, before = lines.rest(), before + taken

    def _rows(self, lines: _Lines, before: int, corrupt: list[int] | None) -> tuple[Rows, int]:
        """Return the rows that begin in a block, and how many lines they are."""
        reader = csv.reader(lines, delimiter=self.separator, strict=True)
        rows: Rows = []
        while lines.in_block():
            row = next(reader, [])
            if len(row) == len(self.names):
                rows.append(row)
            elif row and corrupt is not None:
                corrupt.append(before + reader.line_num)
            elif row:
                raise DataError(
                    f"Line {before + reader.line_num} of {self.path!r} has {len(row)} cells, the "
                    f"header has {len(self.names)}. Quote cells that contain a separator, or skip "
                    "such lines with the option skip_corrupt."
                )
        return rows, reader.line_num

    def notes(self, corrupt: Sequence[int]) -> list[str]:
        """Return a note on lines that were left out, if any."""
        if not corrupt:
            return []
        return [
            f"Lines of {self.path!r} with more or fewer cells than the header, left out: "
            f"{len(corrupt)} (first: line {corrupt[0]})."
        ]


@contextmanager
def _csv_file(path: str) -> Iterator[IO[bytes]]:
    try:
        with open_decompressed(path) as file:
            yield file
    except csv.Error as error:
        raise DataError(f"The file {path!r} is not valid CSV: {error}.") from error


def _header(file: IO[bytes]) -> tuple[list[str], str, bytes, int]:
    """Return the columns, their separator, the bytes read beyond, and the number of lines."""
    first = file.readline().decode("utf-8-sig")
    # The most frequent of these outside of quotes.
    separator = max(",;\t", key=re.sub(r'"[^"]*("|$)', "", first).count)
    lines = _Lines(first, file)
    reader = csv.reader(lines, delimiter=separator, strict=True)
    return next(reader, []), separator, lines.rest(), reader.line_num


class _Lines:
    """The lines of a block and, for a row that spans lines, those that follow in the file.

    Lines may end in carriage returns, too: blocks and the file are cut after line feeds only.
    """

    def __init__(self, block: str, file: IO[bytes]) -> None:
        self.block = self.current = io.StringIO(block, newline="")
        self.size, self.file = len(block), file

    def __iter__(self) -> Iterator[str]:
        return chain(self.block, chain.from_iterable(map(self._lines_from, self.file)))

    def _lines_from(self, line: bytes) -> io.StringIO:
        self.current = io.StringIO(line.decode(), newline="")
        return self.current

    def in_block(self) -> bool:
        """Return whether the next line is one of the block."""
        return self.block.tell() < self.size

    def rest(self) -> bytes:
        """Return what was read from the file and is not part of any line yet."""
        return self.current.read().encode()
