"""CSV files as one table, read in batches of rows: by pyarrow wherever it agrees with Python."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from condped.read.files.csv import CsvFile
from condped.read.files.many_files import all_columns, load_files, partition_of
from condped.read.options import ReadOptions
from condped.read.stream.pyarrow_columns import names_column, text_column
from condped.read.stream.source import NothingHeld, RawBatch
from condped.read.stream.workers import Segment
from condped.read.table.row_errors import RowOffset
from condped.space.space import Space
from condped.trials.columns import Column, LevelColumn

ENDINGS = (".csv", ".tsv")


@dataclass(frozen=True, slots=True, eq=False)
class CsvFiles(NothingHeld):
    """Files whose cells are texts until the space gives them a type.

    Attributes
    ----------
    partitions
        The partition columns of each file.
    skip
        Whether rows with more or fewer cells than the header are left out.
    study_column
        The column whose texts are names.
    """

    files: tuple[CsvFile, ...]
    partitions: tuple[Mapping[str, str | None], ...]
    names: tuple[str, ...]
    space: Space | None
    skip: bool
    study_column: str | None = None

    @classmethod
    def open(
        cls, paths: Sequence[str], root: Path | None, options: ReadOptions, notes: list[str]
    ) -> CsvFiles:
        """Read all headers; with ``skip_corrupt``, also all rows, to find damaged ones."""

        def load(path: str) -> CsvFile:
            file = CsvFile.open(path)
            if options.skip_corrupt:
                corrupt: list[int] = []
                for _ in file.blocks(corrupt, partial(_parse, file, file.names)):
                    pass
                notes.extend(file.notes(corrupt))
            return file

        files = tuple(load_files(paths, load, options, notes))
        partitions = tuple(partition_of(file.path, root) for file in files)
        listed = [
            tuple(dict.fromkeys((*file.names, *entries)))
            for file, entries in zip(files, partitions, strict=True)
        ]
        names = all_columns(listed, notes)
        return cls(
            files, partitions, names, options.space, options.skip_corrupt, options.study_column
        )

    @property
    def work(self) -> float:
        return sum(file.version.size for file in self.files)

    def segments(self, columns: Sequence[str], workers: int) -> list[Segment[RawBatch]]:
        # The number of rows is unknown until a file has been read.
        return [partial(self._batches, columns)]

    def _batches(self, columns: Sequence[str]) -> Generator[RawBatch]:
        offset = RowOffset(0)
        for file, partition in zip(self.files, self.partitions, strict=True):
            file.version.check(file.path)
            offset = RowOffset(offset.before, file.path if len(self.files) > 1 else None)
            places = {name: place for place, name in enumerate(file.names)}
            parse = partial(_parse, file, [name for name in columns if name in places])
            for block, length in file.blocks([] if self.skip else None, parse):
                if len(block):
                    words: dict[str, int] = {}
                    read = partial(self._reader, places, partition, block, words)
                    yield RawBatch(len(block), offset, length, read, words)
                offset = offset.after(len(block))

    def _reader(
        self,
        places: Mapping[str, int],
        partition: Mapping[str, str | None],
        block: Any,
        words: dict[str, int],
    ) -> Callable[[str], Column]:
        """Return a function from a name to the column; ``places`` are those of a file."""

        def column(name: str) -> Column:
            if name not in places:
                texts = pa.repeat(pa.scalar(partition.get(name), pa.string()), len(block))
            elif isinstance(block, pa.Table):
                texts = block.column(name).combine_chunks()
            else:
                place = places[name]
                texts = pa.array([row[place] for row in block], pa.string())
            if texts.null_count:
                return LevelColumn(np.full(len(block), -1, dtype=np.int64), ())
            if name == self.study_column:
                return names_column(texts)
            made, words[name] = text_column(texts, self.space, name)
            return made

        return column


def _parse(file: CsvFile, columns: Sequence[str], lines: bytes) -> Any:
    """Return some columns as a table of texts; None if they must be left to Python's csv module.

    They must unless all parsers see the same rows, each with as many cells as the header.
    """
    if not _is_plain(lines, file.separator):
        return None
    columns_read = list(columns) or file.names[:1]
    try:
        return pa.csv.read_csv(
            pa.BufferReader(lines),
            pa.csv.ReadOptions(
                use_threads=False, block_size=len(lines) + 1, column_names=file.names
            ),
            pa.csv.ParseOptions(delimiter=file.separator),
            pa.csv.ConvertOptions(
                include_columns=columns_read,
                column_types=dict.fromkeys(columns_read, pa.string()),
                null_values=[],
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid:
        return None


def _is_plain(lines: bytes, separator: str) -> bool:
    """Return whether quotes are only around whole cells, or doubled in such cells."""
    if b'"' not in lines:
        return True
    characters = np.frombuffer(b"\n%b\n" % lines, np.uint8)
    quotes = np.flatnonzero(characters == ord('"'))
    beside = np.append(characters[quotes[::2] - 1], characters[quotes[1::2] + 1])
    return len(quotes) % 2 == 0 and bool(np.isin(beside, list(f'{separator}\r\n"'.encode())).all())
