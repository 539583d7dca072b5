"""Rows that come as record batches: read again in every pass, or fetched once and kept."""

from __future__ import annotations

import mmap
import tempfile
import threading
import weakref
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from functools import partial
from typing import Any

import pyarrow as pa

from condped.errors import DataError, SettingsError
from condped.progress import report
from condped.read.batches import BatchReader
from condped.read.stream.pyarrow_columns import column_of
from condped.read.stream.pyarrow_parquet_files import BATCH, batch_rows
from condped.read.stream.source import RawBatch
from condped.read.stream.workers import Segment, run_workers
from condped.read.table.row_errors import RowOffset
from condped.trials.batch import Schema
from condped.trials.columns import Column


class EngineTable:
    """A table of some engine.

    Attributes
    ----------
    label
        Its name in messages.
    names
        Its columns.
    ordered
        Whether its rows have an order, the same whenever they are read.
    notes
        Notes on its rows.
    can_cancel
        Whether a query that another thread waits for can be cancelled.
    """

    label: str
    names: tuple[str, ...]
    ordered = False
    notes: tuple[str, ...] = ()
    can_cancel = False

    @property
    def total(self) -> int:
        """How many rows it has; 0: unknown."""
        return 0

    def batches(self, columns: Sequence[str]) -> Generator[Any]:
        """Iterate over the rows, as record batches with these columns."""
        raise NotImplementedError

    def cancel(self) -> None:
        """Cancel the query that another thread waits for."""

    def close(self) -> None:
        """Close the connection, if it was opened here."""


class TableRows:
    """The rows of a table: what scanning and fetching them have in common."""

    def __init__(self, table: EngineTable) -> None:
        self.table = table

    @property
    def names(self) -> tuple[str, ...]:
        return self.table.names

    @property
    def notes(self) -> tuple[str, ...]:
        return self.table.notes

    def cancel(self) -> None:
        self.table.cancel()

    def close(self) -> None:
        self.table.close()

    def pieces(self, batch: Any, before: int) -> Generator[RawBatch]:
        """Cut a batch into pieces that are not too large."""
        size = batch_rows(batch.schema.names)
        for start in range(0, len(batch), size):
            piece = batch.slice(start, size)
            part = RowOffset(before + start if self.table.ordered else None)
            yield RawBatch(len(piece), part, len(piece), partial(_reader, piece))


class ScannedRows(TableRows):
    """Rows that are read again in every pass: those of a table that is cheap to scan."""

    def __init__(self, table: EngineTable) -> None:
        super().__init__(table)
        self.rows: int | None = None  # of the first pass

    @property
    def work(self) -> float:
        return self.table.total

    def segments(self, columns: Sequence[str], workers: int) -> list[Segment[RawBatch]]:
        return [partial(self._pieces, tuple(columns))]

    def _pieces(self, columns: tuple[str, ...]) -> Generator[RawBatch]:
        rows = 0
        for batch in self.table.batches(columns):
            yield from self.pieces(batch, rows)
            rows += len(batch)
        if self.rows is not None and self.rows != rows:
            raise DataError(
                f"The rows of {self.table.label} have changed since reading began: there were "
                f"{self.rows:,}, and now there are {rows:,}. Start again when nothing writes to it."
            )
        self.rows = rows


class FetchedRows(TableRows):
    """Rows that are fetched once, when they are first needed, and kept in a temporary file.

    So every pass sees the same ones, even if the table changes, and no engine computes them twice.
    ``columns`` are those that any pass may need.
    """

    def __init__(self, table: EngineTable, columns: Sequence[str]) -> None:
        super().__init__(table)
        self.columns = tuple(columns)
        self.kept: KeptBatches | None = None
        self.lock = threading.Lock()

    @property
    def work(self) -> float:
        return 0 if self.kept is None else sum(self.kept.rows)

    def segments(self, columns: Sequence[str], workers: int) -> list[Segment[RawBatch]]:
        lacking = [name for name in columns if name not in self.columns]
        if lacking:
            raise SettingsError(
                f"The rows of {self.table.label} were fetched without {', '.join(lacking)}. Name "
                "all that are needed in parameters, or leave parameters out."
            )
        kept, before = self.fetch(), 0
        found: list[Segment[RawBatch]] = []
        for place, rows in enumerate(kept.rows):
            found.append(partial(self._pieces, kept, place, before))
            before += rows
        return found

    def _pieces(self, kept: KeptBatches, place: int, before: int) -> Generator[RawBatch]:
        yield from self.pieces(kept.batch(place), before)

    def fetch(self) -> KeptBatches:
        """Fetch the rows unless that has been done; the connection is then no longer needed."""
        with self.lock:
            if self.kept is None:
                kept = KeptBatches(self.table.label)
                try:
                    self._fetch_into(kept)
                except BaseException:
                    kept.close()
                    raise
                self.kept = kept
                self.table.close()
            return self.kept

    def _fetch_into(self, kept: KeptBatches) -> None:
        fetched = 0

        def progress(rows: int) -> None:
            nonlocal fetched
            fetched += rows
            if self.table.total:
                report("Fetching the rows", min(fetched, self.table.total), self.table.total)

        def batches() -> Generator[Any]:
            return large_batches(self.table.batches(self.columns))

        if not self.table.can_cancel:
            for batch in batches():
                progress(kept.add(batch))
            return
        # In a thread of its own, so that an interrupt finds this one free to cancel the query.
        run_workers(
            [batches],
            make=lambda: kept,
            step=KeptBatches.add,
            done=progress,
            workers=1,
            cancel=self.table.cancel,
        )

    def close(self) -> None:
        super().close()
        if self.kept is not None:
            self.kept.close()


class KeptBatches:
    """Record batches in a file.

    The file has no name where the system supports that, and disappears when it is closed: by
    :meth:`close`, with this object, or when the process ends.
    """

    def __init__(self, label: str) -> None:
        self.label = label  # where the rows are from, for messages
        self.rows: list[int] = []
        self._places: list[tuple[int, int]] = []  # of each batch: where it begins, how long it is
        self._file = self._with_disk_errors(partial(tempfile.TemporaryFile, prefix="condped-"))
        self._end = weakref.finalize(self, self._file.close)

    def add(self, batch: Any) -> int:
        """Write a batch and return its number of rows."""
        self._with_disk_errors(lambda: self._write(batch))
        return len(batch)

    def _write(self, batch: Any) -> None:
        # Each batch is a stream of its own: so it may have its own dictionaries, and be mapped
        # into memory without the others.
        start = -(-self._file.tell() // mmap.ALLOCATIONGRANULARITY) * mmap.ALLOCATIONGRANULARITY
        self._file.seek(start)
        sink = pa.PythonFile(self._file, mode="w")
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        self._file.flush()
        self._places.append((start, self._file.tell() - start))
        self.rows.append(len(batch))

    def batch(self, place: int) -> Any:
        """Return a batch; its columns stay in the file until they are used."""
        start, length = self._places[place]
        mapped = mmap.mmap(self._file.fileno(), length, access=mmap.ACCESS_READ, offset=start)
        with pa.ipc.open_stream(pa.py_buffer(mapped)) as reader:
            return reader.read_next_batch()

    def close(self) -> None:
        """Remove the file."""
        self._end()

    def _with_disk_errors(self, step: Callable[[], Any]) -> Any:
        try:
            return step()
        except OSError as error:
            raise DataError(
                f"The rows of {self.label} cannot be kept in a temporary file in "
                f"{tempfile.gettempdir()!r}: {error.strerror or error}. Set the environment "
                "variable TMPDIR to a directory with room for them."
            ) from error


def needed_columns(reader: BatchReader, schema: Schema) -> tuple[str, ...]:
    """Return the columns that any pass may need."""
    conditions = () if schema.where is None else schema.where.names
    known = [name for name in conditions if name in reader.space]
    return reader.view(tuple(dict.fromkeys((*schema.names, *known)))).columns


def _reader(batch: Any) -> Callable[[str], Column]:
    return lambda name: column_of(batch.column(name))


def large_batches(batches: Iterable[Any]) -> Generator[Any]:
    """Join small record batches; their dictionaries may differ, and their types."""
    waiting: list[Any] = []
    for batch in batches:
        if waiting and batch.schema != waiting[0].schema:
            yield pa.concat_batches(waiting)
            waiting = []
        if len(batch):
            waiting.append(batch)
        if sum(map(len, waiting)) >= BATCH:
            yield pa.concat_batches(waiting)
            waiting = []
    if waiting:
        yield pa.concat_batches(waiting)


def duckdb_batches(relation: Any, rows: int = BATCH) -> Generator[Any]:
    """Iterate over the rows of a relation of DuckDB, as record batches."""
    # Before version 1.5 the method had another name.
    read = getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch
    with closing(read(rows)) as reader:
        yield from reader
