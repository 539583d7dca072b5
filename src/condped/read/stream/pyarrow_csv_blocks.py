"""CSV files, read in blocks of lines.

Python's csv module defines what a file holds. A block without quotes, or with quoted cells that
end on their line, means the same to pyarrow, which is much faster; all other blocks go through
Python's module, and so do those that pyarrow rejects, so that errors are the same as in memory.
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
from condped.read.files.csv import check_header, complete_rows, corrupt_lines_note, separator_of
from condped.read.files.decompress import open_decompressed
from condped.read.stream.file_version import FileVersion

# Bytes of lines at a time.
BLOCK = 1 << 22


@dataclass(frozen=True, slots=True)
class Block:
    """Some lines of a file.

    Attributes
    ----------
    rows
        How many there are if all of them are complete.
    lines
        Raw bytes.
    before
        How many lines come before.
    cells
        The parsed lines, if they had to be parsed to find the end of the block.
    """

    rows: int
    lines: bytes
    before: int
    cells: list[list[str]] | None = None


@dataclass(slots=True)
class CsvFile:
    """One CSV file.

    Attributes
    ----------
    complete
        The number of complete rows of each block, if others are skipped; None: others raise.
    seen
        For each block read before its number of rows if it is plain, None if not.
    """

    path: str
    version: FileVersion
    names: list[str]
    separator: str
    complete: list[int] | None = None
    seen: list[int | None] = field(default_factory=list)

    @classmethod
    def open(cls, path: str) -> CsvFile:
        """Read the names of the columns."""
        with open_decompressed(path) as file:
            names, separator, _ = _header(path, file)
            if not names and file.read(1):
                raise DataError(f"The first line of {path!r} is blank. It must name the columns.")
        check_header(path, names)
        return cls(path, FileVersion.of(path), names, separator)

    def check(self, notes: list[str]) -> None:
        """Read the whole file and record how many of its rows are complete."""
        complete: list[int] = []
        corrupt: list[int] = []
        for block in self.blocks(corrupt):
            cells = block.cells
            if cells is None and self.parse_block(block, self.names, block.rows) is None:
                cells, _ = self.split_rows(block.lines, block.before, corrupt)
            complete.append(block.rows if cells is None else len(cells))
        if corrupt:
            notes.append(corrupt_lines_note(self.path, corrupt))
        self.complete = complete

    def blocks(self, corrupt: list[int] | None) -> Generator[Block]:
        """Iterate over the file's lines; for ``corrupt`` see :meth:`split_rows`."""
        with open_decompressed(self.path) as file:
            _, _, before = _header(self.path, file)
            for place in count():
                lines = file.read(BLOCK)
                if not lines:
                    break
                lines += b"" if lines.endswith(b"\n") else file.readline()
                if place == len(self.seen):
                    self.seen.append(
                        _row_count(lines) if _is_plain(lines, self.separator) else None
                    )
                rows = self.seen[place]
                if rows is not None:
                    yield Block(rows, lines, before)
                    before += lines.count(b"\n")
                else:
                    # A block ends after a quoted cell that spans lines.
                    cells, taken = self.split_rows(lines, before, corrupt, file)
                    yield Block(len(cells), b"", before, cells)
                    before += taken

    def parse_block(self, block: Block, columns: Sequence[str], rows: int) -> Any:
        """Return some columns as an Arrow table of texts; None if not all rows are complete."""
        columns_read = list(columns) or self.names[:1]
        try:
            table = pa.csv.read_csv(
                pa.BufferReader(block.lines),
                pa.csv.ReadOptions(
                    use_threads=False, block_size=len(block.lines) + 1, column_names=self.names
                ),
                pa.csv.ParseOptions(delimiter=self.separator),
                pa.csv.ConvertOptions(
                    include_columns=columns_read,
                    column_types=dict.fromkeys(columns_read, pa.string()),
                    null_values=[],
                    strings_can_be_null=False,
                ),
            )
        except pa.ArrowInvalid:
            return None
        return table if len(table) == rows else None

    def split_rows(
        self,
        lines: bytes,
        before: int,
        corrupt: list[int] | None,
        following: IO[bytes] | None = None,
    ) -> tuple[list[list[str]], int]:
        """Return the cells of each row by Python's csv module, and how many lines there were.

        Rows with more or fewer cells than the header raise, unless ``corrupt`` is given to collect
        their line numbers. A row that spans lines continues in ``following``.
        """
        text = self._decode(lines)
        block_text = io.StringIO(text, newline="")
        more = () if following is None else map(self._decode, following)
        reader = _reader(chain(block_text, more), self.separator)

        def rows() -> Iterator[list[str]]:
            while block_text.tell() < len(text):
                yield next(reader, [])

        def line() -> int:
            return before + int(reader.line_num)

        try:
            return list(
                complete_rows(rows(), self.names, self.path, corrupt, line)
            ), reader.line_num
        except csv.Error as error:
            raise DataError(f"The file {self.path!r} is not valid CSV: {error}.") from error

    def _decode(self, lines: bytes) -> str:
        try:
            return lines.decode()
        except UnicodeDecodeError as error:
            raise DataError(f"The file {self.path!r} is not UTF-8 text: {error.reason}.") from error


def _header(path: str, file: IO[bytes]) -> tuple[list[str], str, int]:
    """Return the names of the columns, their separator, and the number of lines of the header."""
    first = file.readline().decode("utf-8-sig")
    if first.count("\r") != first.count("\r\n"):
        raise DataError(
            f"The lines of {path!r} end in a carriage return alone, which cannot be read in "
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


def _is_plain(lines: bytes, separator: str) -> bool:
    """Return whether each line is one row to every CSV parser.

    So it is if only whole cells within one line are quoted: every other quote then opens a cell,
    or escapes a quote in it, and the next ends it.
    """
    if lines.count(b"\r") != lines.count(b"\r\n"):
        return False
    characters = np.frombuffer(b"\n" + lines + b"\n", np.uint8)
    quotes = np.flatnonzero(characters == ord('"'))
    if len(quotes) % 2:
        return False
    around = np.array([ord(sign) for sign in (separator, "\n", '"')], dtype=np.uint8)
    before, after = characters[quotes[::2] - 1], characters[quotes[1::2] + 1]
    if not (np.isin(before, around).all() and np.isin(after, [*around, ord("\r")]).all()):
        return False
    ends = np.flatnonzero(characters == ord("\n"))
    return not (np.searchsorted(quotes, ends) % 2).any()


def _row_count(lines: bytes) -> int:
    """Return how many of the lines are not blank."""
    blank = lines.startswith((b"\n", b"\r")) or b"\n\n" in lines or b"\n\r\n" in lines
    if blank:
        return sum(1 for line in lines.split(b"\n") if line.rstrip(b"\r"))
    return lines.count(b"\n") + (not lines.endswith(b"\n"))
