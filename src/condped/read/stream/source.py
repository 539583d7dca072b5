"""Rows that are read in pieces, by threads, as a source of batches."""

from __future__ import annotations

from dataclasses import dataclass

from condped.progress import report
from condped.read.batches import BatchReader
from condped.read.stream.piece import Piece, Rows
from condped.read.stream.workers import share_out, worker_count
from condped.read.table.build import no_rows
from condped.read.table.raw import RawTable
from condped.trials.batch import Fold, Schema, State


@dataclass(frozen=True, slots=True, eq=False)
class StreamSource:
    """Batches of rows, read by threads."""

    rows: Rows
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

        def take(state: State, piece: Piece) -> tuple[int, float]:
            raw = RawTable(self.reader.names, piece.rows, piece.read())
            fold.add(state, self.reader.batch(raw, view, piece.part, piece.words))
            return piece.rows, piece.work  # and nothing that holds the piece itself

        def tell(taken: tuple[int, float]) -> None:
            nonlocal rows, done
            rows, done = rows + taken[0], done + taken[1]
            if self.rows.work:
                report(fold.what, min(done, self.rows.work), self.rows.work)

        workers = worker_count()
        pieces = self.rows.stretches(view.columns, workers)
        states = share_out(pieces, fold.start, take, tell, workers, cancel=self.rows.cancel)
        if not rows:
            raise no_rows()
        return states
