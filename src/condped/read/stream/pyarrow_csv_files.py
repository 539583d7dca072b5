"""Several CSV files as one table, read in batches of rows."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from condped.read.files.many_files import all_columns, load_files, partition_of
from condped.read.options import ReadOptions
from condped.read.stream.pyarrow_csv_blocks import Block, CsvFile
from condped.read.stream.pyarrow_csv_columns import cells_column, text_column
from condped.read.stream.raw_batch import NothingHeld, RawBatch
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
    """

    files: tuple[CsvFile, ...]
    partitions: tuple[Mapping[str, str | None], ...]
    names: tuple[str, ...]
    space: Space | None

    @classmethod
    def open(
        cls, paths: Sequence[str], root: Path | None, options: ReadOptions, notes: list[str]
    ) -> CsvFiles:
        """Read all headers; with ``skip_corrupt``, also all rows, to find damaged ones."""

        def load(path: str) -> CsvFile:
            file = CsvFile.open(path)
            if options.skip_corrupt:
                file.check(notes)
            return file

        files = tuple(load_files(paths, load, options, notes))
        partitions = tuple(partition_of(file.path, root) for file in files)
        listed = [
            tuple(dict.fromkeys((*file.names, *entries)))
            for file, entries in zip(files, partitions, strict=True)
        ]
        return cls(files, partitions, all_columns(listed, notes), options.space)

    @property
    def work(self) -> float:
        return sum(file.version.size for file in self.files)

    def segments(self, columns: Sequence[str], workers: int) -> list[Segment[RawBatch]]:
        # The number of rows is unknown until a file has been read; fetching lines is quick.
        return [partial(self._batches, columns)]

    def _batches(self, columns: Sequence[str]) -> Generator[RawBatch]:
        before = 0
        for number, file in enumerate(self.files):
            file.version.check(file.path)
            name = file.path if len(self.files) > 1 else None
            in_file = 0
            for place, block in enumerate(file.blocks(None if file.complete is None else [])):
                rows = block.rows if file.complete is None else file.complete[place]
                if rows:
                    words: dict[str, int] = {}
                    read = partial(self._read, number, block, rows, columns, words)
                    offset = RowOffset(before, name, in_file)
                    yield RawBatch(rows, offset, len(block.lines), read, words)
                before, in_file = before + rows, in_file + rows

    def _read(
        self, number: int, block: Block, rows: int, columns: Sequence[str], words: dict[str, int]
    ) -> Callable[[str], Column]:
        file = self.files[number]
        table, cells = None, block.cells
        if cells is None:
            table = file.parse_block(block, [name for name in columns if name in file.names], rows)
        if cells is None and table is None:
            cells, _ = file.split_rows(
                block.lines, block.before, corrupt=None if file.complete is None else []
            )
        return _Cells(
            file.names, self.partitions[number], table, cells, rows, self.space, words
        ).column


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """Cells of some rows: columns of an Arrow table, or row by row."""

    names: Sequence[str]
    partition: Mapping[str, str | None]
    table: Any
    rows_of_cells: list[list[str]] | None
    rows: int
    space: Space | None
    words: dict[str, int]

    def column(self, name: str) -> Column:
        if name in self.names and self.table is not None:
            texts = self.table.column(name).combine_chunks()
            column, self.words[name] = text_column(texts, self.space, name)
            return column
        partition = self.partition.get(name)
        listed: Sequence[str | None] = [partition] * self.rows
        if name in self.names:
            place = self.names.index(name)
            listed = [row[place] for row in self.rows_of_cells or ()]
        elif partition is None:
            return LevelColumn(np.full(self.rows, -1, dtype=np.int64), ())
        column, words_missing = cells_column(listed, self.space, name)
        self.words[name] = int(np.count_nonzero(words_missing))
        return column
