"""Parquet, Arrow and Feather files, read in batches of rows."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from condped.errors import DataError
from condped.read.files.folder import ending_of
from condped.read.files.parts import all_columns, joined, partition_of
from condped.read.files.pyarrow_files import fitted, index_of, one_line, spelled, unreadable
from condped.read.options import ReadOptions
from condped.read.stream.piece import Piece
from condped.read.stream.pyarrow_columns import column_of, is_text
from condped.read.stream.stamp import Stamp
from condped.read.stream.workers import Stretch
from condped.read.table.refusal import Part
from condped.trials.columns import Column, LevelColumn

# Rows at a time: many, for threads to wait for each other less, yet few tens of megabytes.
BATCH = 1 << 17
# ... of so many columns; of more, fewer rows.
_COLUMNS = 16
# Bytes of all columns that are fetched at a time, however large their row groups are.
_BUFFER = 1 << 24
# Rows of an Arrow file that are mapped into memory at a time.
_MAPPED = 1 << 20


class TableFile(Protocol):
    """One file.

    Attributes
    ----------
    schema
        Its columns, those that are no data left out.
    stretches
        How many rows there are in each of the parts that can be read apart.
    """

    path: str
    stamp: Stamp
    schema: Any
    stretches: tuple[int, ...]

    def batches(self, place: int, columns: Sequence[str], threads: bool) -> Generator[Any]:
        """Iterate over the rows of one part, as record batches."""
        ...


@dataclass(slots=True)
class ParquetFile:
    """A Parquet file, whose parts are its row groups."""

    path: str
    stamp: Stamp
    schema: Any
    stretches: tuple[int, ...]
    metadata: Any

    @classmethod
    def open(cls, path: str, notes: list[str]) -> ParquetFile:
        """Read the file's footer."""
        stamp = Stamp.of(path)
        with pq.ParquetFile(path) as file:
            metadata, schema = file.metadata, file.schema_arrow
        groups = [metadata.row_group(place).num_rows for place in range(metadata.num_row_groups)]
        plain = _without(schema, index_of(path, schema, notes))
        return cls(path, stamp, plain, tuple(groups), metadata)

    def batches(self, place: int, columns: Sequence[str], threads: bool) -> Generator[Any]:
        texts = [name for name in columns if is_text(self.schema.field(name).type)]
        with pq.ParquetFile(
            self.path,
            metadata=self.metadata,
            read_dictionary=texts,
            pre_buffer=False,
            buffer_size=min(1 << 20, max(1 << 14, _BUFFER // max(1, len(columns)))),
            page_checksum_verification=True,
        ) as file:
            yield from file.iter_batches(
                _batch_rows(columns), row_groups=[place], columns=list(columns), use_threads=threads
            )


@dataclass(slots=True)
class ArrowFile:
    """An Arrow or Feather file, whose parts are some of its record batches.

    Attributes
    ----------
    parts
        The first and the last but one of the record batches of each; None where a stream was saved
        as a file, which has no parts.
    """

    path: str
    stamp: Stamp
    schema: Any
    stretches: tuple[int, ...]
    parts: tuple[tuple[int, int], ...] | None

    @classmethod
    def open(cls, path: str, notes: list[str]) -> ArrowFile:
        """Look at the file's record batches, none of which is kept."""
        stamp = Stamp.of(path)
        with pa.memory_map(path) as source:
            reader = _arrow_reader(source, None)
            schema = reader.schema
        plain = _without(schema, index_of(path, schema, notes))
        with pa.memory_map(path) as source:
            reader = _arrow_reader(source, [0] if len(schema) else None)
            rows = [len(batch) for batch in _arrow_batches(reader, None)]
            parts = None
            if isinstance(reader, pa.ipc.RecordBatchFileReader):
                parts = tuple(_runs(rows))
        stretches = [sum(rows)] if parts is None else [sum(rows[a:b]) for a, b in parts]
        return cls(path, stamp, plain, tuple(stretches), parts)

    def batches(self, place: int, columns: Sequence[str], threads: bool) -> Generator[Any]:
        with pa.memory_map(self.path) as source:
            names = _arrow_reader(source, None).schema.names
            source.seek(0)
            reader = _arrow_reader(source, [names.index(name) for name in columns])
            for batch in _arrow_batches(reader, None if self.parts is None else self.parts[place]):
                rows = _batch_rows(columns)
                for start in range(0, len(batch), rows):
                    yield batch.slice(start, rows)


def _batch_rows(columns: Sequence[str]) -> int:
    return max(BATCH * _COLUMNS // max(_COLUMNS, len(columns)), 1)


def _runs(rows: Sequence[int]) -> Generator[tuple[int, int]]:
    """Cut record batches into runs of about as many rows as may be mapped at a time."""
    start, taken = 0, 0
    for place, count in enumerate(rows):
        taken += count
        if taken >= _MAPPED or place == len(rows) - 1:
            yield start, place + 1
            start, taken = place + 1, 0


def _arrow_reader(source: Any, fields: list[int] | None) -> Any:
    options = pa.ipc.IpcReadOptions(included_fields=fields, use_threads=False)
    try:
        return pa.ipc.open_file(source, options=options)
    except pa.ArrowInvalid:
        source.seek(0)
        return pa.ipc.open_stream(source, options=options)


def _arrow_batches(reader: Any, part: tuple[int, int] | None) -> Generator[Any]:
    if isinstance(reader, pa.ipc.RecordBatchFileReader):
        for place in range(*(part or (0, reader.num_record_batches))):
            yield reader.get_batch(place)
    else:
        yield from reader


_KINDS: dict[str, type[ParquetFile] | type[ArrowFile]] = {
    ".parquet": ParquetFile,
    ".pq": ParquetFile,
    ".arrow": ArrowFile,
    ".feather": ArrowFile,
}
ENDINGS = tuple(_KINDS)


@dataclass(frozen=True, slots=True, eq=False)
class TableFiles:
    """Files whose columns have types.

    Attributes
    ----------
    said
        What directories say of all rows of each file.
    types
        Of each column the one that suits all files.
    """

    files: tuple[TableFile, ...]
    said: tuple[Mapping[str, Any], ...]
    types: Mapping[str, Any]

    @classmethod
    def open(
        cls, paths: Sequence[str], root: Path | None, options: ReadOptions, notes: list[str]
    ) -> TableFiles:
        """Look at all files; where some may be left out, read each through to find them."""

        def load(path: str) -> TableFile:
            try:
                file: TableFile = _KINDS[ending_of(path)].open(path, notes)
                if options.skip_corrupt:
                    for place in range(len(file.stretches)):
                        for _ in file.batches(place, file.schema.names, threads=True):
                            pass
            except (OSError, pa.ArrowException) as error:
                raise unreadable(path, error) from error
            return file

        files = tuple(joined(paths, load, options, notes))
        partitions = [partition_of(file.path, root) for file in files]
        schemas = [_with_said(f.schema, said) for f, said in zip(files, partitions, strict=True)]
        names = all_columns([schema.names for schema in schemas], notes)
        # Not by the method empty_table, which imports pandas.
        whole = fitted([pa.Table.from_batches([], schema) for schema in schemas]).schema
        types = {name: whole.field(name).type for name in names}
        return cls(files, tuple(_spelled(partitions)), types)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.types)

    @property
    def work(self) -> float:
        return sum(file.stamp.size for file in self.files)

    def stretches(self, columns: Sequence[str], workers: int) -> list[Stretch[Piece]]:
        # A worker with a row group of its own decodes it alone; the fewer there are, the more
        # help is needed with each.
        threads = sum(len(file.stretches) for file in self.files) < workers
        found: list[Stretch[Piece]] = []
        before = 0
        for number, file in enumerate(self.files):
            name = file.path if len(self.files) > 1 else None
            in_file = 0
            for place, rows in enumerate(file.stretches):
                part = Part(before, name, in_file)
                found.append(partial(self._pieces, number, place, columns, part, threads))
                before, in_file = before + rows, in_file + rows
        return found

    def _pieces(
        self, number: int, place: int, columns: Sequence[str], part: Part, threads: bool
    ) -> Generator[Piece]:
        file = self.files[number]
        per_row = file.stamp.size / max(1, sum(file.stretches))
        some = [name for name in columns if name in file.schema.names]
        try:
            file.stamp.check(file.path)
            for batch in file.batches(place, some, threads):
                rows = len(batch)
                if rows:
                    yield Piece(rows, part, rows * per_row, partial(self._reader, batch, number))
                part = part.after(rows)
        except (OSError, pa.ArrowException) as error:
            raise unreadable(file.path, error) from error

    def _reader(self, batch: Any, number: int) -> Callable[[str], Column]:
        return partial(self._column, batch, number)

    def _column(self, batch: Any, number: int, name: str) -> Column:
        if name in batch.schema.names:
            return column_of(_cast(batch.column(name), self.types[name], self.files[number], name))
        said = self.said[number].get(name)
        if said is None:
            return LevelColumn(np.full(len(batch), -1, dtype=np.int64), ())
        return column_of(pa.repeat(said, len(batch)))


def _without(schema: Any, names: Sequence[str]) -> Any:
    return pa.schema([field for field in schema if field.name not in names])


def _with_said(schema: Any, said: Mapping[str, str | None]) -> Any:
    for name in said:
        if name not in schema.names:
            schema = schema.append(pa.field(name, pa.string()))
    return schema


def _spelled(partitions: Sequence[Mapping[str, str | None]]) -> Generator[dict[str, Any]]:
    """Yield what directories say as scalars: numbers if all that is said of a name spells some."""
    names = dict.fromkeys(name for said in partitions for name in said)
    values = {
        name: spelled(pa.array([said.get(name) for said in partitions], pa.string()))
        for name in names
    }
    for place, said in enumerate(partitions):
        yield {name: values[name][place] for name in said}


def _cast(array: Any, kind: Any, file: TableFile, name: str) -> Any:
    """Return an array as the type that suits all files; texts are fine as they come."""
    if array.type == kind or pa.types.is_dictionary(array.type) or is_text(kind):
        return array
    try:
        return array.cast(kind)
    except pa.ArrowException as error:
        raise DataError(
            f"Column {name!r} of {file.path!r} does not fit the other files: {one_line(error)}. "
            "Read them apart.",
            column=name,
        ) from error
