"""CSV files, read in blocks of lines.

What a file holds is what Python's own reader of CSV finds in it. A block in which nothing is
quoted, or only whole cells of one line, means the same to pyarrow, which is much faster; any other
goes through Python's reader, and so does one that pyarrow stumbles over, to be refused in the same
words as in memory.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from condped.errors import DataError
from condped.read.files.csv import check_names, corrupt_told, separator_of, whole_rows
from condped.read.files.decompress import opened
from condped.read.stream.file_version import Stamp

# Bytes of lines at a time.
BLOCK = 1 << 22


@dataclass(frozen=True, slots=True)
class Block:
    """Some lines of a file.

    Attributes
    ----------
    rows
        How many there are if all of them are whole.
    lines
        As they stand.
    before
        How many lines come before.
    cells
        The lines taken apart, where that could not wait.
    """

    rows: int
    lines: bytes
    before: int
    cells: list[list[str]] | None = None


@dataclass(slots=True)
class TextFile:
    """One CSV file.

    Attributes
    ----------
    kept
        Whole rows of each block, where others are passed over; None: others are an error.
    seen
        What the blocks were found to be: how many rows they have if they are plain, None if not.
    """

    path: str
    stamp: Stamp
    names: list[str]
    separator: str
    kept: list[int] | None = None
    seen: list[int | None] = field(default_factory=list)

    @classmethod
    def open(cls, path: str) -> TextFile:
        """Read the names of the columns."""
        with opened(path) as file:
            names, separator, _ = _header(path, file)
            if not names and file.read(1):
                raise DataError(f"The first line of {path!r} is blank. It must name the columns.")
        check_names(path, names)
        return cls(path, Stamp.of(path), names, separator)

    def check(self, notes: list[str]) -> None:
        """Read the file through and remember which of its rows are whole."""
        kept: list[int] = []
        corrupt: list[int] = []
        for block in self.blocks(corrupt):
            cells = block.cells
            if cells is None and self.parsed(block, self.names, block.rows) is None:
                cells, _ = self.taken_apart(block.lines, block.before, corrupt)
            kept.append(block.rows if cells is None else len(cells))
        if corrupt:
            notes.append(corrupt_told(self.path, corrupt))
        self.kept = kept

    def blocks(self, corrupt: list[int] | None) -> Generator[Block]:
        """Iterate over the file's lines; for ``corrupt`` see :meth:`taken_apart`."""
        with opened(self.path) as file:
            _, _, before = _header(self.path, file)
            for place in count():
                lines = file.read(BLOCK)
                if not lines:
                    break
                lines += b"" if lines.endswith(b"\n") else file.readline()
                if place == len(self.seen):
                    self.seen.append(_row_count(lines) if _plain(lines, self.separator) else None)
                rows = self.seen[place]
                if rows is not None:
                    yield Block(rows, lines, before)
                    before += lines.count(b"\n")
                else:
                    # Where a quoted cell goes on in the next line, so does the block.
                    cells, taken = self.taken_apart(lines, before, corrupt, file)
                    yield Block(len(cells), b"", before, cells)
                    before += taken

    def parsed(self, block: Block, columns: Sequence[str], rows: int) -> Any:
        """Return some columns as an Arrow table of texts; None if the lines are not all whole."""
        some = list(columns) or self.names[:1]
        try:
            table = pa.csv.read_csv(
                pa.BufferReader(block.lines),
                pa.csv.ReadOptions(
                    use_threads=False, block_size=len(block.lines) + 1, column_names=self.names
                ),
                pa.csv.ParseOptions(delimiter=self.separator),
                pa.csv.ConvertOptions(
                    include_columns=some,
                    column_types=dict.fromkeys(some, pa.string()),
                    null_values=[],
                    strings_can_be_null=False,
                ),
            )
        except pa.ArrowInvalid:
            return None
        return table if len(table) == rows else None

    def taken_apart(
        self,
        lines: bytes,
        before: int,
        corrupt: list[int] | None,
        following: IO[bytes] | None = None,
    ) -> tuple[list[list[str]], int]:
        """Return the cells of each row by Python's reader, and how many lines there were.

        Rows that are not as long as the header are an error unless ``corrupt`` is there to take
        the numbers of their lines. A row that is not at its end goes on in what is ``following``.
        """
        text = self._decoded(lines)
        own = io.StringIO(text, newline="")
        more = () if following is None else map(self._decoded, following)
        reader = _reader(chain(own, more), self.separator)

        def rows() -> Iterator[list[str]]:
            while own.tell() < len(text):
                yield next(reader, [])

        def line() -> int:
            return before + int(reader.line_num)

        try:
            return list(whole_rows(rows(), self.names, self.path, corrupt, line)), reader.line_num
        except csv.Error as error:
            raise DataError(f"The file {self.path!r} is not valid CSV: {error}.") from error

    def _decoded(self, lines: bytes) -> str:
        try:
            return lines.decode()
        except UnicodeDecodeError as error:
            raise DataError(f"The file {self.path!r} is not UTF-8 text: {error.reason}.") from error


def _header(path: str, file: IO[bytes]) -> tuple[list[str], str, int]:
    """Return the names of the columns, what separates them, and how many lines they take."""
    first = file.readline().decode("utf-8-sig")
    if first.count("\r") != first.count("\r\n"):
        raise DataError(
            f"The lines of {path!r} end in a carriage return alone, and cannot be told apart in "
            "blocks. Write line feeds, or read it with engine='memory'."
        )
    separator = separator_of(first)
    reader = _reader(chain([first], map(bytes.decode, file)), separator)
    try:
        return next(reader, []), separator, reader.line_num
    except csv.Error as error:
        raise DataError(f"The file {path!r} is not valid CSV: {error}.") from error


def _reader(lines: Iterable[str], separator: str) -> Any:
    return csv.reader(lines, delimiter=separator, strict=True)


def _plain(lines: bytes, separator: str) -> bool:
    """Return whether each line is a row to every reader of CSV.

    So it is if nothing is quoted but whole cells within one line: every other quote then opens
    a cell, or stands for a second one in it, and the next ends it.
    """
    if lines.count(b"\r") != lines.count(b"\r\n"):
        return False
    signs = np.frombuffer(b"\n" + lines + b"\n", np.uint8)
    quotes = np.flatnonzero(signs == ord('"'))
    if len(quotes) % 2:
        return False
    around = np.array([ord(sign) for sign in (separator, "\n", '"')], dtype=np.uint8)
    opened, closed = signs[quotes[::2] - 1], signs[quotes[1::2] + 1]
    if not (np.isin(opened, around).all() and np.isin(closed, [*around, ord("\r")]).all()):
        return False
    ends = np.flatnonzero(signs == ord("\n"))
    return not (np.searchsorted(quotes, ends) % 2).any()


def _row_count(lines: bytes) -> int:
    """Return how many of the lines are not blank."""
    blank = lines.startswith((b"\n", b"\r")) or b"\n\n" in lines or b"\n\r\n" in lines
    if blank:
        return sum(1 for line in lines.split(b"\n") if line.rstrip(b"\r"))
    return lines.count(b"\n") + (not lines.endswith(b"\n"))
