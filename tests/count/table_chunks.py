"""A table in memory as a source of many batches: the reference that sources are compared with."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np

from condped.arrays import IntArray
from condped.count.counter import Counter
from condped.trials.batch import Batch, Fold, Schema, State, TableSource
from condped.trials.table import TrialTable


class TableChunks:
    """Hands out a table in pieces, to its workers in turn.

    As on a cluster, folds are pickled on their way to the workers, and states on their way back.
    """

    notes: tuple[str, ...] = ()

    def __init__(
        self, table: TrialTable, size: int, times: IntArray | None = None, workers: int = 2
    ) -> None:
        self.table, self.size, self.times, self.workers = table, size, times, workers
        self.schema: Schema = replace(TableSource.of(table).schema, source="reference")

    def fold(self, fold: Fold[State]) -> State:
        some = self.table.with_parameters(fold.parameters)
        folds: list[Fold[State]] = [pickle.loads(pickle.dumps(fold)) for _ in range(self.workers)]
        states = [own.start() for own in folds]
        for number, first in enumerate(range(0, len(some), self.size)):
            rows = np.zeros(len(some), dtype=bool)
            rows[first : first + self.size] = True
            times = None if self.times is None else self.times[rows]
            worker = number % self.workers
            folds[worker].add(states[worker], Batch(some.only(rows), first, times))
        whole, *others = [pickle.loads(pickle.dumps(state)) for state in states]
        for other in others:
            fold.merge(whole, other)
        found: State = whole
        return found

    def close(self) -> None:
        pass


def reference(
    table: TrialTable, size: int = 37, times: IntArray | None = None, workers: int = 2
) -> Counter:
    """Return what counts a table in memory batch by batch."""
    return Counter(TableChunks(table, size, times, workers))
