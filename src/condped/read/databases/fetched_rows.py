"""Rows that come as record batches: read anew in every pass, or fetched once and kept."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Sequence
from functools import partial
from typing import Any, Protocol

from condped.errors import DataError, SettingsError
from condped.progress import report
from condped.read.batches import BatchReader
from condped.read.databases.kept_batches import KeptBatches
from condped.read.stream.pyarrow_columns import column_of
from condped.read.stream.pyarrow_parquet_files import batch_rows
from condped.read.stream.source import RawBatch
from condped.read.stream.workers import Segment, run_workers
from condped.read.table.row_errors import RowOffset
from condped.trials.batch import Schema
from condped.trials.columns import Column


class EngineTable(Protocol):
    """A table of some engine.

    Attributes
    ----------
    shown
        What to call it in messages.
    names
        Its columns.
    ordered
        Whether its rows have an order, the same whenever they are read.
    notes
        What was noticed of its rows.
    can_cancel
        Whether another thread may wait for its rows, and be told to give up.
    """

    shown: str
    names: tuple[str, ...]
    ordered: bool
    notes: tuple[str, ...]
    can_cancel: bool

    @property
    def total(self) -> int:
        """How many rows it has; 0: unknown."""
        ...

    def batches(self, columns: Sequence[str]) -> Generator[Any]:
        """Iterate over the rows, as record batches with these columns."""
        ...

    def cancel(self) -> None:
        """Stop the query that another thread waits for."""
        ...

    def close(self) -> None:
        """Let go of the connection, if it was opened here."""
        ...


class TableRows:
    """What both ways have in common."""

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
    """Rows that are read anew in every pass: those of a table that is close at hand."""

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
                f"The rows of {self.table.shown} have changed since reading began: there were "
                f"{self.rows:,}, and now there are {rows:,}. Start again when nothing writes to it."
            )
        self.rows = rows


class FetchedRows(TableRows):
    """Rows that are fetched once, when they are first asked for, and kept in a temporary file.

    So every pass sees the same ones, whatever happens to the table meanwhile, and no engine
    computes them twice. ``columns`` are those that any pass may ask for.
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
                f"The rows of {self.table.shown} were fetched without {', '.join(lacking)}. Name "
                "all that is wanted in parameters, or leave parameters out."
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
        """Fetch the rows if that has not been done; the connection is then no longer needed."""
        with self.lock:
            if self.kept is None:
                kept = KeptBatches(self.table.shown)
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

        def tell(rows: int) -> None:
            nonlocal fetched
            fetched += rows
            if self.table.total:
                report("Fetching the rows", min(fetched, self.table.total), self.table.total)

        if not self.table.can_cancel:
            for batch in self.table.batches(self.columns):
                tell(kept.add(batch))
            kept.end()
            return
        # In a thread of its own, so that an interrupt finds this one free to cancel the query.
        run_workers(
            [lambda: self.table.batches(self.columns)],
            make=lambda: kept,
            step=KeptBatches.add,
            done=tell,
            workers=1,
            cancel=self.table.cancel,
        )
        kept.end()

    def close(self) -> None:
        super().close()
        if self.kept is not None:
            self.kept.close()


def needed_columns(reader: BatchReader, schema: Schema) -> tuple[str, ...]:
    """Return the columns that any pass may ask for."""
    conditions = () if schema.where is None else schema.where.names
    known = [name for name in conditions if name in reader.space]
    return reader.view(tuple(dict.fromkeys((*schema.names, *known)))).columns


def _reader(batch: Any) -> Callable[[str], Column]:
    return lambda name: column_of(batch.column(name))
