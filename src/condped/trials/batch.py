"""Batches of trials: the waist between the sources that read and the counter that counts.

A source has a schema, and lets a fold see every batch of its trials; what the fold made of them
comes back. Whether the batches are read by threads on this machine or by the workers of a cluster
is the source's own affair. A table in memory is one batch.
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
    """What is known of the trials before any of them is looked at.

    Attributes
    ----------
    source
        What gives the batches, for messages: "memory", "stream", "Spark".
    names
        The parameters, in the order of the space.
    domains
        Of each parameter, the distinct ones in order of first appearance in its alternatives.
    goals
        The objectives.
    ordered
        Whether the trials have an order of time: that of their rows, or that of a column.
    order_given
        Whether the caller named that column.
    some_parameters
        Whether the source may have more parameters than were asked for.
    outside
        What is done with values outside their domains.
    selections
        The conditions that the source has chosen its trials by already.
    where
        A condition that whoever counts has still to choose trials by.
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
    """Some trials.

    Attributes
    ----------
    table
        The trials, with the parameters that were asked for.
    first_row
        How many rows of the source come before.
    times
        (trials,): the place of each in time, where a column tells; None: that of its row.
    notes
        What was noticed of these rows.
    dropped
        How many more trials there were, left out for a value outside its domain.
    known
        What has been found out about the trials, for whoever sees the same batch again.
    """

    table: TrialTable
    first_row: int = 0
    times: IntArray | None = None
    notes: tuple[RowsNote, ...] = ()
    dropped: int = 0
    known: dict[Hashable, Any] = field(default_factory=dict)

    @property
    def order(self) -> IntArray:
        """(trials,): the place of each in time."""
        if self.times is not None:
            return self.times
        return np.arange(self.first_row, self.first_row + len(self.table), dtype=np.int64)

    @property
    def span(self) -> tuple[int, int]:
        """The earliest and the latest place in time."""
        if self.times is not None and self.times.size:
            return int(self.times.min()), int(self.times.max())
        return self.first_row, self.first_row + len(self.table) - 1


class Fold(Protocol[State]):
    """What is done to every batch. It travels to workers, and so it holds plain data only."""

    @property
    def what(self) -> str:
        """What is done, for whoever shows progress."""
        ...

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters that the batches must have."""
        ...

    def start(self) -> State:
        """Return the state of a worker that has seen nothing."""
        ...

    def add(self, state: State, batch: Batch) -> None:
        """Take a batch into a worker's state."""
        ...

    def merge(self, state: State, other: State) -> None:
        """Take what another worker saw into a state."""
        ...


class Source(Protocol):
    """Where batches come from."""

    @property
    def schema(self) -> Schema:
        """What is known of the trials."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What was noticed so far, such as files that were left out."""
        ...

    def fold(self, fold: Fold[State]) -> list[State]:
        """Let every worker start a state and take its batches into it; return the states.

        Between them the batches hold every row once.
        """
        ...

    def close(self) -> None:
        """Let go of what is held: files, connections."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class TableSource:
    """A table in memory, which is one batch."""

    batch: Batch
    schema: Schema

    @classmethod
    def of(cls, table: TrialTable, known: dict[Hashable, Any] | None = None) -> TableSource:
        """Return a table as a source; ``known`` is what is known of its trials already."""
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

    def fold(self, fold: Fold[State]) -> list[State]:
        state = fold.start()
        fold.add(state, self.batch)
        return [state]

    def close(self) -> None:
        """Nothing is held but the table."""
