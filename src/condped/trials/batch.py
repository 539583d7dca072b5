"""Batches of trials: the waist between the sources that read and the counter that counts.

A source has a schema and runs a fold over every batch of its trials; only the states of the fold
come back. Whether threads on this machine or the workers of a cluster read the batches is up to
the source. A table in memory is one batch.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import numpy as np

from condped.arrays import IntArray
from condped.space.condition import Condition
from condped.space.domain import Domain
from condped.space.space import Space
from condped.trials.notes import RowsNote
from condped.trials.table import Direction, Selection, TrialTable

State = TypeVar("State")


@dataclass(frozen=True, slots=True)
class Goal:
    """An objective that is explained."""

    name: str
    direction: Direction


@dataclass(frozen=True, slots=True)
class Schema:
    """What is known about the trials before any of them is read.

    Attributes
    ----------
    source
        Where the batches come from, for messages: "memory", "stream", "Spark".
    names
        The parameters, in the order of the space.
    domains
        The distinct domains of each parameter, in order of first appearance.
    goals
        The objectives.
    ordered
        Whether the trials have an order in time: that of the rows, or that of a column.
    order_given
        Whether the caller named that column.
    some_parameters
        Whether the source may have more parameters than were requested.
    outside
        What is done with values outside their domains.
    selections
        Conditions that the source has applied already.
    where
        A condition that the counter still has to apply.
    """

    source: str
    names: tuple[str, ...]
    domains: tuple[tuple[Domain, ...], ...]
    goals: tuple[Goal, ...]
    ordered: bool = True
    order_given: bool = False
    space: Space | None = None
    space_inferred: bool = False
    ignored_columns: tuple[str, ...] = ()
    some_parameters: bool = False
    outside: str = "error"
    selections: tuple[Selection, ...] = ()
    where: Condition | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some of the trials of a source.

    Attributes
    ----------
    table
        The trials, with the requested parameters.
    first_row
        How many rows of the source come before.
    times
        (trials,): the position of each in time, from a column; None: that of its row.
    notes
        Notes on these rows.
    dropped
        How many more trials were dropped for a value outside its domain.
    known
        Cache of what was computed from these trials, for later passes over the same batch.
    """

    table: TrialTable
    first_row: int = 0
    times: IntArray | None = None
    notes: tuple[RowsNote, ...] = ()
    dropped: int = 0
    known: dict[Hashable, Any] = field(default_factory=dict)

    @property
    def order(self) -> IntArray:
        """(trials,): the position of each in time."""
        if self.times is not None:
            return self.times
        return np.arange(self.first_row, self.first_row + len(self.table), dtype=np.int64)

    @property
    def span(self) -> tuple[int, int]:
        """The earliest and the latest position in time."""
        if self.times is not None and self.times.size:
            return int(self.times.min()), int(self.times.max())
        return self.first_row, self.first_row + len(self.table) - 1


class Fold(Protocol[State]):
    """What is done to every batch. It is sent to workers, so it holds plain data only."""

    @property
    def what(self) -> str:
        """What is done, for progress messages."""
        ...

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters that the batches must have."""
        ...

    def start(self) -> State:
        """Return the initial state of a worker."""
        ...

    def add(self, state: State, batch: Batch) -> None:
        """Add a batch to a worker's state."""
        ...

    def merge(self, state: State, other: State) -> None:
        """Merge another worker's state into a state."""
        ...


class Source(Protocol):
    """Where batches come from."""

    @property
    def schema(self) -> Schema:
        """What is known about the trials."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes so far, such as on files that were left out."""
        ...

    def fold(self, fold: Fold[State]) -> State:
        """Let every worker add its batches to a state; return these states merged.

        Between them the batches hold every row once.
        """
        ...

    def close(self) -> None:
        """Release files and connections."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class TableSource:
    """A table in memory, which is one batch."""

    batch: Batch
    schema: Schema

    @classmethod
    def of(cls, table: TrialTable, known: dict[Hashable, Any] | None = None) -> TableSource:
        """Return a table as a source; ``known`` is a cache of results for its trials."""
        schema = Schema(
            source="memory",
            names=table.names,
            domains=tuple(parameter.domains for parameter in table.parameters),
            goals=tuple(Goal(entry.name, entry.direction) for entry in table.objectives),
            order_given=table.order_given,
            space=table.space,
            space_inferred=table.space_inferred,
            ignored_columns=table.ignored_columns,
            some_parameters=table.some_parameters,
            selections=table.selections,
        )
        return cls(Batch(table, known={} if known is None else known), schema)

    @property
    def table(self) -> TrialTable:
        """The trials."""
        return self.batch.table

    @property
    def notes(self) -> tuple[str, ...]:
        return self.table.notes

    def fold(self, fold: Fold[State]) -> State:
        state = fold.start()
        fold.add(state, self.batch)
        return state

    def close(self) -> None:
        """Nothing to release."""
