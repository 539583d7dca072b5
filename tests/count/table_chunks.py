"""A table in memory as a source of chunks: the reference that engines are compared with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from condped.count.chunked import ChunkedPasses
from condped.count.passes import Outline

from condped.arrays import IntArray
from condped.trials.batch import Chunk
from condped.trials.table import TrialTable

State = TypeVar("State")


class TableChunks:
    """Hands out a table in pieces, to two workers in turn."""

    notes: tuple[str, ...] = ()

    def __init__(self, table: TrialTable, size: int, times: IntArray | None = None) -> None:
        (objective,) = table.objectives
        self.table, self.size, self.times = table, size, times
        self.outline = Outline(
            engine="reference",
            names=table.names,
            domains=tuple(parameter.domains for parameter in table.parameters),
            objective=objective.name,
            direction=objective.direction,
            ordered=True,
            space=table.space,
        )

    def fold(
        self,
        make: Callable[[], State],
        step: Callable[[State, Chunk], None],
        parameters: Sequence[str],
        what: str,
    ) -> list[State]:
        states = [make(), make()]
        some = self.table.with_parameters(parameters)
        for number, first in enumerate(range(0, len(some), self.size)):
            rows = np.zeros(len(some), dtype=bool)
            rows[first : first + self.size] = True
            times = None if self.times is None else self.times[rows]
            step(states[number % 2], Chunk(some.only(rows), first, times))
        return states

    def close(self) -> None:
        pass


def reference(table: TrialTable, size: int = 37, times: IntArray | None = None) -> ChunkedPasses:
    """Return passes over a table in memory."""
    return ChunkedPasses(TableChunks(table, size, times))
