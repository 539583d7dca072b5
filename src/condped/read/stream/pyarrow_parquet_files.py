"""Parquet, Arrow and Feather files as one table, read in batches of rows."""

from __future__ import annotations

import struct
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from condped.errors import DataError
from condped.read.expansion import check_cells
from condped.read.files.folder import ending_of
from condped.read.files.many_files import (
    FileVersion,
    all_columns,
    check_unique_columns,
    load_files,
    partition_of,
)
from condped.read.options import ReadOptions
from condped.read.stream.arrow_messages import expanded_bytes
from condped.read.stream.pyarrow_columns import columns_of, is_text
from condped.read.stream.pyarrow_ipc import ipc_batches, ipc_schema
from condped.read.stream.source import NothingHeld, RawBatch
from condped.read.stream.workers import Segment
from condped.read.table.row_errors import RowOffset

# Rows at a time: many, so that threads wait less for each other, yet only tens of megabytes.
BATCH = 1 << 18
# ... for up to this many columns; fewer rows of more columns.
_COLUMNS = 16
# Bytes fetched at a time over all columns, however large the row groups are.
_BUFFER = 1 << 24
_ARROW = (".arrow", ".feather")
ENDINGS = (".parquet", ".pq", *_ARROW)
# Raised on reading a damaged file.
_DAMAGE = (OSError, pa.ArrowException, UnicodeDecodeError, MemoryError, struct.error)


def batch_rows(columns: Sequence[str]) -> int:
    """Return how many rows of these columns to read at a time."""
    return max(BATCH * _COLUMNS // max(_COLUMNS, len(columns)), 1)


@dataclass(frozen=True, slots=True)
class TableFile:
    """One file.

    Attributes
    ----------
    schema
        Its columns, without the index of a pandas frame.
    segments
        The number of rows of each part that can be read separately: a row group of a Parquet file,
        or all of an Arrow file.
    metadata
        The footer of a Parquet file; None: an Arrow file.
    """

    path: str
    version: FileVersion
    schema: Any
    segments: tuple[int, ...]
    metadata: Any

    @classmethod
    def open(cls, path: str, notes: list[str]) -> TableFile:
        """Read the schema and the number of rows."""
        version = FileVersion.of(path)
        metadata, what = None, f"The file {path!r}"
        if ending_of(path) in _ARROW:
            schema = ipc_schema(path)
            check_unique_columns(path, schema.names)
            check_cells(expanded_bytes(path) // 8, version.size, what)
            segments = (sum(map(len, ipc_batches(path, schema.names[:1]))),)
        else:
            with pq.ParquetFile(path) as file:
                metadata, schema = file.metadata, file.schema_arrow
            check_unique_columns(path, schema.names)
            groups = range(metadata.num_row_groups)
            segments = tuple(metadata.row_group(place).num_rows for place in groups)
            if sum(segments) != metadata.num_rows:
                raise DataError(
                    f"{what} is damaged: it records {metadata.num_rows:,} rows, and its row groups "
                    f"{sum(segments):,}. Restore it, or write it again."
                )
        if min(segments, default=0) < 0:
            raise DataError(
                f"{what} is damaged: it records {min(segments):,} rows. Restore it, or write it "
                "again."
            )
        check_cells(sum(segments) * max(1, len(schema.names)), version.size, what)
        index = _pandas_index(schema)
        with_names = [name for name in index if not name.startswith("__index_level_")]
        if with_names:
            notes.append(
                f"The index of the frame in {path!r} was left out: {', '.join(with_names)}."
            )
        schema = pa.schema([field for field in schema if field.name not in index])
        return cls(path, version, schema, segments, metadata)

    @property
    def expanded(self) -> int:
        """Roughly the bytes of its values in memory."""
        return 8 * sum(self.segments) * len(self.schema.names)

    def batches(
        self, place: int, columns: Sequence[str], *, threads: bool, encode: bool = False
    ) -> Generator[Any]:
        """Iterate over the rows of one segment, as record batches with some columns.

        ``threads`` decode columns in parallel; ``encode`` gives texts as dictionaries. Every batch
        is checked completely: pyarrow trusts offsets, codes and texts, however damaged they are.
        """
        rows, left = batch_rows(columns), self.segments[place]
        if self.metadata is None:
            for batch in ipc_batches(self.path, columns):
                batch.validate(full=True)
                left -= len(batch)
                yield from (batch.slice(at, rows) for at in range(0, len(batch), rows))
            self._check_left(left)
            return
        texts = [name for name in columns if is_text(self.schema.field(name).type)]
        # What fits is read whole: pages of damaged sizes are then cut off at the end of their
        # column, where otherwise a buffer as large as they claim to be would be made.
        size = self.metadata.row_group(place).total_byte_size
        fits = min(size, self.version.size) <= _BUFFER
        with pq.ParquetFile(
            self.path,
            metadata=self.metadata,
            read_dictionary=texts if encode else None,
            pre_buffer=False,
            buffer_size=0 if fits else min(1 << 20, max(1 << 14, _BUFFER // max(1, len(columns)))),
            page_checksum_verification=True,
        ) as file:
            for batch in file.iter_batches(
                rows, row_groups=[place], columns=list(columns), use_threads=threads
            ):
                batch.validate(full=True)
                left -= len(batch)
                yield batch
        self._check_left(left)

    def _check_left(self, rows: int) -> None:
        """Raise if there are fewer or more rows than the file records."""
        if rows:
            word = "fewer" if rows > 0 else "more"
            raise pa.ArrowInvalid(f"it has {abs(rows)} rows {word} than it records")


def bytes_in_memory(path: str) -> int:
    """Return roughly how many bytes the values of a file take; 0 if it cannot be read."""
    try:
        return TableFile.open(path, []).expanded
    except (*_DAMAGE, DataError):  # reading it reports what is wrong
        return 0


def _pandas_index(schema: Any) -> list[str]:
    """Return the columns that are the index of a pandas frame, not parameters."""
    try:
        columns = (schema.pandas_metadata or {}).get("index_columns", [])
    except (AttributeError, ValueError, RecursionError):  # metadata that pandas did not write
        return []
    listed = columns if isinstance(columns, list) else []
    known = set(schema.names)
    return [name for name in listed if isinstance(name, str) and name in known]


@dataclass(frozen=True, slots=True, eq=False)
class TableFiles(NothingHeld):
    """Files whose columns have types.

    Attributes
    ----------
    schema
        All columns, each in the narrowest type that holds the values of all files.
    partitions
        The partition columns of each file, as Arrow scalars.
    """

    files: tuple[TableFile, ...]
    schema: Any
    partitions: tuple[Mapping[str, Any], ...]

    @classmethod
    def open(
        cls, paths: Sequence[str], root: Path | None, options: ReadOptions, notes: list[str]
    ) -> TableFiles:
        """Open all files; with ``skip_corrupt``, read each completely to find damaged ones."""

        def load(path: str) -> TableFile:
            try:
                file = TableFile.open(path, notes)
                if options.skip_corrupt:
                    for place in range(len(file.segments)):
                        for _ in file.batches(place, file.schema.names, threads=True):
                            pass
            except _DAMAGE as error:
                raise _unreadable(path, error) from error
            return file

        files = tuple(load_files(paths, load, options, notes))
        partitions = [partition_of(file.path, root) for file in files]
        schemas = [
            _with_texts(file.schema, partition)
            for file, partition in zip(files, partitions, strict=True)
        ]
        all_columns([schema.names for schema in schemas], notes)
        schema = _common_schema(schemas)
        scalars: list[dict[str, Any]] = [{} for _ in files]
        for name in dict.fromkeys(name for partition in partitions for name in partition):
            values = pa.array([partition.get(name) for partition in partitions], pa.string())
            if not any(name in file.schema.names for file in files):
                values = _parse_numbers(values)
                schema = schema.set(schema.get_field_index(name), pa.field(name, values.type))
            for entries, value in zip(scalars, values, strict=True):
                entries[name] = value
        return cls(files, schema, tuple(scalars))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.schema.names)

    @property
    def work(self) -> float:
        return sum(file.version.size for file in self.files)

    def table(self) -> Any:
        """Return all rows as an Arrow table."""
        tables = [pa.Table.from_batches([], self.schema)]
        for number, file in enumerate(self.files):
            for place in range(len(file.segments)):
                batches = self._batches(number, place, self.names, threads=True, encode=False)
                tables += (pa.Table.from_batches([batch]) for batch in batches)
        return pa.concat_tables(tables, promote_options="permissive")

    def segments(self, columns: Sequence[str], workers: int) -> list[Segment[RawBatch]]:
        # Each worker decodes its row group alone; with fewer row groups than workers, pyarrow's
        # threads help.
        threads = sum(len(file.segments) for file in self.files) < workers
        found: list[Segment[RawBatch]] = []
        offset = RowOffset(0)
        for number, file in enumerate(self.files):
            offset = RowOffset(offset.before, file.path if len(self.files) > 1 else None)
            for place, rows in enumerate(file.segments):
                found.append(partial(self._raw_batches, number, place, columns, offset, threads))
                offset = offset.after(rows)
        return found

    def _raw_batches(
        self, number: int, place: int, columns: Sequence[str], offset: RowOffset, threads: bool
    ) -> Generator[RawBatch]:
        file = self.files[number]
        per_row = file.version.size / max(1, sum(file.segments))
        for batch in self._batches(number, place, columns, threads=threads, encode=True):
            rows = len(batch)
            yield RawBatch(rows, offset, rows * per_row, partial(columns_of, batch))
            offset = offset.after(rows)

    def _batches(
        self, number: int, place: int, columns: Sequence[str], *, threads: bool, encode: bool
    ) -> Generator[Any]:
        """Iterate over the rows of one segment, with all of the columns in their common types."""
        file, partition = self.files[number], self.partitions[number]
        known = set(file.schema.names)
        present = dict.fromkeys(name for name in columns if name in known)
        try:
            file.version.check(file.path)
            for batch in file.batches(place, list(present), threads=threads, encode=encode):
                arrays = [
                    _cast(batch.column(name), self.schema.field(name), file.path)
                    if name in present
                    else pa.repeat(
                        partition.get(name, pa.scalar(None, self.schema.field(name).type)),
                        len(batch),
                    )
                    for name in columns
                ]
                if len(batch):
                    yield pa.RecordBatch.from_arrays(arrays, list(columns))
            file.version.check(file.path)
        except _DAMAGE as error:
            raise _unreadable(file.path, error) from error


def _with_texts(schema: Any, partition: Mapping[str, str | None]) -> Any:
    """Return a schema with the columns that it lacks of a partition, as texts."""
    known = set(schema.names)
    lacking = [pa.field(name, pa.string()) for name in partition if name not in known]
    return pa.schema([*schema, *lacking])


def _common_schema(schemas: Sequence[Any]) -> Any:
    """Return all columns, each in the narrowest type that holds those of all schemas."""
    # Not with Schema.empty_table, which imports pandas.
    tables = [pa.Table.from_batches([], schema) for schema in schemas]
    try:
        return pa.concat_tables(tables, promote_options="permissive").schema
    except pa.ArrowException as error:
        raise DataError(
            f"The {len(tables)} files have incompatible columns: {_one_line(error)}. Read them "
            "separately."
        ) from error


def _parse_numbers(texts: Any) -> Any:
    """Return an array of texts as numbers if all of them are, else unchanged."""
    for kind in (pa.int64(), pa.float64()):
        try:
            return texts.cast(kind)
        except pa.ArrowInvalid:
            continue
    return texts


def _cast(array: Any, field: Any, path: str) -> Any:
    """Return an array in the type that holds all files' values; texts stay as they are."""
    if array.type == field.type or pa.types.is_dictionary(array.type) or is_text(field.type):
        return array
    try:
        return array.cast(field.type)
    except pa.ArrowException as error:
        raise DataError(
            f"Column {field.name!r} of {path!r} does not match the other files: "
            f"{_one_line(error)}. Read them separately.",
            column=field.name,
        ) from error


def _unreadable(path: str, error: Exception) -> DataError:
    """Return the error for a missing or damaged file."""
    missing = isinstance(error, FileNotFoundError)
    what = "No such file or directory" if missing else _one_line(error)
    return DataError(f"The file {path!r} cannot be read: {what}.")


def _one_line(error: Exception) -> str:
    """Return an error's message on one line, without the full stop."""
    return " ".join(str(error).split()).rstrip(".")
