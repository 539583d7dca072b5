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
from condped.read.files.many_files import all_columns, load_files, partition_of
from condped.read.files.pyarrow_files import (
    concat_files,
    one_line,
    pandas_index_columns,
    parse_numbers,
    unreadable,
)
from condped.read.options import ReadOptions
from condped.read.stream.file_version import FileVersion
from condped.read.stream.pyarrow_columns import column_of, is_text
from condped.read.stream.raw_batch import NothingHeld, RawBatch
from condped.read.stream.workers import Segment
from condped.read.table.row_errors import RowOffset
from condped.trials.columns import Column, LevelColumn

# Rows at a time: many, so that threads wait less for each other, yet only tens of megabytes.
BATCH = 1 << 17
# ... for up to this many columns; fewer rows of more columns.
_COLUMNS = 16
# Bytes fetched at a time over all columns, however large the row groups are.
_BUFFER = 1 << 24
# Rows of an Arrow file that are mapped into memory at a time.
_MAPPED = 1 << 20


class TableFile(Protocol):
    """One file.

    Attributes
    ----------
    schema
        Its data columns.
    stretches
        The number of rows of each segment that can be read independently.
    """

    path: str
    version: FileVersion
    schema: Any
    segments: tuple[int, ...]

    def batches(self, place: int, columns: Sequence[str], threads: bool) -> Generator[Any]:
        """Iterate over the rows of one segment, as record batches."""
        ...


@dataclass(slots=True)
class ParquetFile:
    """A Parquet file, whose segments are its row groups."""

    path: str
    version: FileVersion
    schema: Any
    segments: tuple[int, ...]
    metadata: Any

    @classmethod
    def open(cls, path: str, notes: list[str]) -> ParquetFile:
        """Read the file's footer."""
        version = FileVersion.of(path)
        with pq.ParquetFile(path) as file:
            metadata, schema = file.metadata, file.schema_arrow
        groups = [metadata.row_group(place).num_rows for place in range(metadata.num_row_groups)]
        plain = _without(schema, pandas_index_columns(path, schema, notes))
        return cls(path, version, plain, tuple(groups), metadata)

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
                batch_rows(columns), row_groups=[place], columns=list(columns), use_threads=threads
            )


@dataclass(slots=True)
class ArrowFile:
    """An Arrow or Feather file, whose segments are runs of its record batches.

    Attributes
    ----------
    ranges
        First and last (excluded) record batch of each segment; None for the stream format, which
        has one segment.
    """

    path: str
    version: FileVersion
    schema: Any
    segments: tuple[int, ...]
    ranges: tuple[tuple[int, int], ...] | None

    @classmethod
    def open(cls, path: str, notes: list[str]) -> ArrowFile:
        """Read the sizes of the file's record batches."""
        version = FileVersion.of(path)
        with pa.memory_map(path) as source:
            reader = _arrow_reader(source, None)
            schema = reader.schema
        plain = _without(schema, pandas_index_columns(path, schema, notes))
        with pa.memory_map(path) as source:
            reader = _arrow_reader(source, [0] if len(schema) else None)
            rows = [len(batch) for batch in _arrow_batches(reader, None)]
            ranges = None
            if isinstance(reader, pa.ipc.RecordBatchFileReader):
                ranges = tuple(_runs(rows))
        segments = [sum(rows)] if ranges is None else [sum(rows[a:b]) for a, b in ranges]
        return cls(path, version, plain, tuple(segments), ranges)

    def batches(self, place: int, columns: Sequence[str], threads: bool) -> Generator[Any]:
        with pa.memory_map(self.path) as source:
            names = _arrow_reader(source, None).schema.names
            source.seek(0)
            reader = _arrow_reader(source, [names.index(name) for name in columns])
            part = None if self.ranges is None else self.ranges[place]
            for batch in _arrow_batches(reader, part):
                rows = batch_rows(columns)
                for start in range(0, len(batch), rows):
                    yield batch.slice(start, rows)


def batch_rows(columns: Sequence[str]) -> int:
    """Return how many rows of these columns to look at together."""
    return max(BATCH * _COLUMNS // max(_COLUMNS, len(columns)), 1)


def _runs(rows: Sequence[int]) -> Generator[tuple[int, int]]:
    """Group record batches into runs of about _MAPPED rows."""
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


def _arrow_batches(reader: Any, span: tuple[int, int] | None) -> Generator[Any]:
    if isinstance(reader, pa.ipc.RecordBatchFileReader):
        for place in range(*(span or (0, reader.num_record_batches))):
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
class TableFiles(NothingHeld):
    """Files whose columns have types.

    Attributes
    ----------
    partitions
        The partition columns of each file.
    types
        The type of each column that holds the values of all files.
    """

    files: tuple[TableFile, ...]
    partitions: tuple[Mapping[str, Any], ...]
    types: Mapping[str, Any]

    @classmethod
    def open(
        cls, paths: Sequence[str], root: Path | None, options: ReadOptions, notes: list[str]
    ) -> TableFiles:
        """Open all files; with ``skip_corrupt``, read each completely to find damaged ones."""

        def load(path: str) -> TableFile:
            try:
                file: TableFile = _KINDS[ending_of(path)].open(path, notes)
                if options.skip_corrupt:
                    for place in range(len(file.segments)):
                        for _ in file.batches(place, file.schema.names, threads=True):
                            pass
            except (OSError, pa.ArrowException) as error:
                raise unreadable(path, error) from error
            return file

        files = tuple(load_files(paths, load, options, notes))
        partitions = [partition_of(file.path, root) for file in files]
        schemas = [
            _with_partition(f.schema, partition)
            for f, partition in zip(files, partitions, strict=True)
        ]
        names = all_columns([schema.names for schema in schemas], notes)
        # Not with Schema.empty_table, which imports pandas.
        whole = concat_files([pa.Table.from_batches([], schema) for schema in schemas]).schema
        types = {name: whole.field(name).type for name in names}
        return cls(files, tuple(_partition_scalars(partitions)), types)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.types)

    @property
    def work(self) -> float:
        return sum(file.version.size for file in self.files)

    def segments(self, columns: Sequence[str], workers: int) -> list[Segment[RawBatch]]:
        # Each worker decodes its row group alone; with fewer row groups than workers, pyarrow's
        # threads help.
        threads = sum(len(file.segments) for file in self.files) < workers
        found: list[Segment[RawBatch]] = []
        before = 0
        for number, file in enumerate(self.files):
            name = file.path if len(self.files) > 1 else None
            in_file = 0
            for place, rows in enumerate(file.segments):
                offset = RowOffset(before, name, in_file)
                found.append(partial(self._batches, number, place, columns, offset, threads))
                before, in_file = before + rows, in_file + rows
        return found

    def _batches(
        self, number: int, place: int, columns: Sequence[str], offset: RowOffset, threads: bool
    ) -> Generator[RawBatch]:
        file = self.files[number]
        per_row = file.version.size / max(1, sum(file.segments))
        present = [name for name in columns if name in file.schema.names]
        try:
            file.version.check(file.path)
            for batch in file.batches(place, present, threads):
                rows = len(batch)
                if rows:
                    read = partial(self._reader, batch, number)
                    yield RawBatch(rows, offset, rows * per_row, read)
                offset = offset.after(rows)
        except (OSError, pa.ArrowException) as error:
            raise unreadable(file.path, error) from error

    def _reader(self, batch: Any, number: int) -> Callable[[str], Column]:
        return partial(self._column, batch, number)

    def _column(self, batch: Any, number: int, name: str) -> Column:
        if name in batch.schema.names:
            return column_of(_cast(batch.column(name), self.types[name], self.files[number], name))
        partition = self.partitions[number].get(name)
        if partition is None:
            return LevelColumn(np.full(len(batch), -1, dtype=np.int64), ())
        return column_of(pa.repeat(partition, len(batch)))


def _without(schema: Any, names: Sequence[str]) -> Any:
    return pa.schema([field for field in schema if field.name not in names])


def _with_partition(schema: Any, partition: Mapping[str, str | None]) -> Any:
    for name in partition:
        if name not in schema.names:
            schema = schema.append(pa.field(name, pa.string()))
    return schema


def _partition_scalars(partitions: Sequence[Mapping[str, str | None]]) -> Generator[dict[str, Any]]:
    """Yield the partition columns as scalars: numbers if all values of a name are."""
    names = dict.fromkeys(name for partition in partitions for name in partition)
    values = {
        name: parse_numbers(
            pa.array([partition.get(name) for partition in partitions], pa.string())
        )
        for name in names
    }
    for place, partition in enumerate(partitions):
        yield {name: values[name][place] for name in partition}


def _cast(array: Any, kind: Any, file: TableFile, name: str) -> Any:
    """Return an array in the type that holds all files' values; texts stay as they are."""
    if array.type == kind or pa.types.is_dictionary(array.type) or is_text(kind):
        return array
    try:
        return array.cast(kind)
    except pa.ArrowException as error:
        raise DataError(
            f"Column {name!r} of {file.path!r} does not match the other files: {one_line(error)}. "
            "Read them separately.",
            column=name,
        ) from error
