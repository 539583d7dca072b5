"""Rows that are read in pieces, by threads, as a source of batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from condped.progress import report
from condped.read.batches import BatchReader
from condped.read.stream.workers import Segment, run_workers, worker_count
from condped.read.table.build import no_rows
from condped.read.table.raw import RawTable
from condped.read.table.row_errors import RowOffset
from condped.trials.batch import Fold, Schema, State
from condped.trials.columns import Column


@dataclass(frozen=True, slots=True, eq=False)
class RawBatch:
    """Consecutive rows of a file or table.

    Attributes
    ----------
    rows, offset
        How many there are, and where they lie.
    work
        The cost of reading them, in the unit of the whole source.
    read
        Returns a function from a name to the column.
    words
        Filled, for columns of texts, with the number of cells such as NA that were missing.
    """

    rows: int
    offset: RowOffset
    work: float
    read: Callable[[], Callable[[str], Column]]
    words: dict[str, int] = field(default_factory=dict)


class RowSource(Protocol):
    """Rows that make one table: compatible files, or a table of a database."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        ...

    @property
    def work(self) -> float:
        """The cost of reading them all, such as bytes; 0: unknown."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the rows, from fetching them."""
        ...

    def segments(self, columns: Sequence[str], workers: int) -> list[Segment[RawBatch]]:
        """Return all rows, with these columns, in segments that are read separately."""
        ...

    def cancel(self) -> None:
        """End the wait of another thread for rows."""
        ...

    def close(self) -> None:
        """Release files and connections."""
        ...


class NothingHeld:
    """Rows of files, which are closed between passes: nothing to cancel or release."""

    __slots__ = ()

    @property
    def notes(self) -> tuple[str, ...]:
        return ()

    def cancel(self) -> None:
        """Nothing to cancel."""

    def close(self) -> None:
        """Nothing to release."""


@dataclass(frozen=True, slots=True, eq=False)
class StreamSource:
    """Batches of rows, read by threads."""

    rows: RowSource
    reader: BatchReader
    schema: Schema
    opening_notes: tuple[str, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        return (*self.reader.notes(self.schema), *self.opening_notes, *self.rows.notes)

    def close(self) -> None:
        self.rows.close()

    def fold(self, fold: Fold[State]) -> State:
        view = self.reader.view(fold.parameters)
        rows, done = 0, 0.0

        def step(state: State, batch: RawBatch) -> tuple[int, float]:
            raw = RawTable(self.reader.names, batch.rows, batch.read())
            fold.add(state, self.reader.batch(raw, view, batch.offset, batch.words))
            return batch.rows, batch.work  # and no reference to the batch itself

        def report_progress(added: tuple[int, float]) -> None:
            nonlocal rows, done
            rows, done = rows + added[0], done + added[1]
            if self.rows.work:
                report(fold.what, min(done, self.rows.work), self.rows.work)

        workers = worker_count()
        segments = self.rows.segments(view.columns, workers)
        states = run_workers(
            segments, fold.start, step, report_progress, workers, cancel=self.rows.cancel
        )
        if not rows:
            raise no_rows()
        whole, *others = states
        for other in others:
            fold.merge(whole, other)
        return whole
