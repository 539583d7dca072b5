"""Rows that are read in pieces, by threads, as a source of batches."""

from __future__ import annotations

from dataclasses import dataclass

from condped.progress import report
from condped.read.batches import BatchReader
from condped.read.stream.raw_batch import RawBatch, RowSource
from condped.read.stream.workers import run_workers, worker_count
from condped.read.table.build import no_rows
from condped.read.table.raw import RawTable
from condped.trials.batch import Fold, Schema, State


@dataclass(frozen=True, slots=True, eq=False)
class StreamSource:
    """Batches of rows, read by threads."""

    rows: RowSource
    reader: BatchReader
    schema: Schema
    noticed: tuple[str, ...]  # when it was opened

    @property
    def notes(self) -> tuple[str, ...]:
        return (*self.noticed, *self.rows.notes)

    def close(self) -> None:
        self.rows.close()

    def fold(self, fold: Fold[State]) -> list[State]:
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
        return states
