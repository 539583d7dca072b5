"""Parquet, Arrow and Feather files, read in batches of rows."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from condped.count.pyarrow_columns import is_text
from condped.errors import DataError
from condped.read.pyarrow_files import index_of, unreadable

# Rows at a time: few enough for their columns to stay in the processor's cache.
BATCH = 1 << 16
# Bytes of each column that are fetched at a time, however large its row group is.
_BUFFER = 1 << 20


@dataclass(frozen=True, slots=True)
class Stamp:
    """By what a file is known to be as it was."""

    size: int
    time: int

    @classmethod
    def of(cls, path: str) -> Stamp:
        """Look at a file."""
        found = Path(path).stat()
        return cls(found.st_size, found.st_mtime_ns)


@dataclass(frozen=True, slots=True)
class ParquetSource:
    """One Parquet file.

    Attributes
    ----------
    schema
        Its columns, those that are no data left out.
    metadata
        Its footer.
    rows
        How many it has.
    stretches
        How many of its rows follow each other in each of its parts, the row groups.
    """

    path: str
    stamp: Stamp
    schema: Any
    metadata: Any
    rows: int
    stretches: tuple[int, ...]

    @classmethod
    def open(cls, path: str, notes: list[str]) -> ParquetSource:
        """Read the file's footer."""
        try:
            stamp = Stamp.of(path)
            with pq.ParquetFile(path) as file:
                metadata, schema = file.metadata, file.schema_arrow
        except (OSError, pa.ArrowException) as error:
            raise unreadable(path, error) from error
        groups = [metadata.row_group(place).num_rows for place in range(metadata.num_row_groups)]
        plain = _without(schema, index_of(path, schema, notes))
        return cls(path, stamp, plain, metadata, sum(groups), tuple(groups))

    def batches(self, place: int, columns: Sequence[str], threads: bool) -> Generator[Any]:
        """Iterate over the rows of a row group."""
        texts = [name for name in columns if is_text(self.schema.field(name).type)]
        try:
            check_stamp(self.path, self.stamp)
            with pq.ParquetFile(
                self.path,
                metadata=self.metadata,
                read_dictionary=texts,
                pre_buffer=False,
                buffer_size=_BUFFER,
                page_checksum_verification=True,
            ) as file:
                yield from file.iter_batches(
                    BATCH, row_groups=[place], columns=list(columns), use_threads=threads
                )
        except (OSError, pa.ArrowException) as error:
            raise unreadable(self.path, error) from error


@dataclass(frozen=True, slots=True)
class ArrowSource:
    """One Arrow or Feather file, or a stream that was saved as one."""

    path: str
    stamp: Stamp
    schema: Any
    rows: int
    stretches: tuple[int, ...]

    @classmethod
    def open(cls, path: str, notes: list[str]) -> ArrowSource:
        """Look at the file's batches, none of which is kept."""
        try:
            stamp = Stamp.of(path)
            with pa.memory_map(path) as source:
                reader = _arrow_reader(source)
                schema = reader.schema
                rows = sum(len(batch) for batch in _arrow_batches(reader))
        except (OSError, pa.ArrowException) as error:
            raise unreadable(path, error) from error
        plain = _without(schema, index_of(path, schema, notes))
        return cls(path, stamp, plain, rows, (rows,))

    def batches(self, place: int, columns: Sequence[str], threads: bool) -> Generator[Any]:
        """Iterate over the rows."""
        try:
            check_stamp(self.path, self.stamp)
            with pa.memory_map(self.path) as source:
                for batch in _arrow_batches(_arrow_reader(source)):
                    some = batch.select(list(columns))
                    for start in range(0, len(some), BATCH):
                        yield some.slice(start, BATCH)
        except (OSError, pa.ArrowException) as error:
            raise unreadable(self.path, error) from error


def _arrow_reader(source: Any) -> Any:
    try:
        return pa.ipc.open_file(source)
    except pa.ArrowInvalid:
        source.seek(0)
        return pa.ipc.open_stream(source)


def _arrow_batches(reader: Any) -> Generator[Any]:
    if isinstance(reader, pa.ipc.RecordBatchFileReader):
        for place in range(reader.num_record_batches):
            yield reader.get_batch(place)
    else:
        yield from reader


def check_stamp(path: str, stamp: Stamp) -> None:
    """Refuse a file that is another than when it was opened: passes would not fit together."""
    if Stamp.of(path) != stamp:
        raise DataError(
            f"The file {path!r} has changed while it was being read. Read again when nothing "
            "writes to it."
        )


def _without(schema: Any, names: Sequence[str]) -> Any:
    return pa.schema([field for field in schema if field.name not in names])
