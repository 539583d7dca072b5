"""Several CSV files that make one table."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from condped.read.files.many_files import all_columns, joined, partition_of
from condped.read.options import ReadOptions
from condped.read.stream.file_batch import Piece
from condped.read.stream.pyarrow_csv_blocks import Block, TextFile
from condped.read.stream.pyarrow_csv_columns import cells_column, text_column
from condped.read.stream.workers import Stretch
from condped.read.table.row_errors import RowOffset
from condped.space.space import Space
from condped.trials.columns import Column, LevelColumn

ENDINGS = (".csv", ".tsv")


@dataclass(frozen=True, slots=True, eq=False)
class TextFiles:
    """Files whose cells are texts until the space says otherwise.

    Attributes
    ----------
    said
        What directories say of all rows of each file.
    """

    files: tuple[TextFile, ...]
    said: tuple[Mapping[str, str | None], ...]
    names: tuple[str, ...]
    space: Space | None

    @classmethod
    def open(
        cls, paths: Sequence[str], root: Path | None, options: ReadOptions, notes: list[str]
    ) -> TextFiles:
        """Look at all headers; if rows and files may be left out, also at all that follows."""

        def load(path: str) -> TextFile:
            file = TextFile.open(path)
            if options.skip_corrupt:
                file.check(notes)
            return file

        files = tuple(joined(paths, load, options, notes))
        said = tuple(partition_of(file.path, root) for file in files)
        listed = [
            tuple(dict.fromkeys((*file.names, *entries)))
            for file, entries in zip(files, said, strict=True)
        ]
        return cls(files, said, all_columns(listed, notes), options.space)

    @property
    def work(self) -> float:
        return sum(file.stamp.size for file in self.files)

    def stretches(self, columns: Sequence[str], workers: int) -> list[Stretch[Piece]]:
        # How many rows a file has is known once it has been read; fetching lines is quick.
        return [partial(self._pieces, columns)]

    def _pieces(self, columns: Sequence[str]) -> Generator[Piece]:
        before = 0
        for number, file in enumerate(self.files):
            file.stamp.check(file.path)
            name = file.path if len(self.files) > 1 else None
            in_file = 0
            for place, block in enumerate(file.blocks(None if file.kept is None else [])):
                rows = block.rows if file.kept is None else file.kept[place]
                if rows:
                    words: dict[str, int] = {}
                    read = partial(self._read, number, block, rows, columns, words)
                    part = RowOffset(before, name, in_file)
                    yield Piece(rows, part, len(block.lines), read, words)
                before, in_file = before + rows, in_file + rows

    def _read(
        self, number: int, block: Block, rows: int, columns: Sequence[str], words: dict[str, int]
    ) -> Callable[[str], Column]:
        file = self.files[number]
        table, cells = None, block.cells
        if cells is None:
            table = file.parsed(block, [name for name in columns if name in file.names], rows)
        if cells is None and table is None:
            cells, _ = file.taken_apart(
                block.lines, block.before, corrupt=None if file.kept is None else []
            )
        return _Cells(file.names, self.said[number], table, cells, rows, self.space, words).column


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """Cells of some rows: columns of a table, or row by row."""

    names: Sequence[str]
    said: Mapping[str, str | None]
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
        said = self.said.get(name)
        listed: Sequence[str | None] = [said] * self.rows
        if name in self.names:
            place = self.names.index(name)
            listed = [row[place] for row in self.rows_of_cells or ()]
        elif said is None:
            return LevelColumn(np.full(self.rows, -1, dtype=np.int64), ())
        column, gone = cells_column(listed, self.space, name)
        self.words[name] = int(np.count_nonzero(gone))
        return column
