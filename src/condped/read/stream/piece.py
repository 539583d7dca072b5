"""Pieces of files and tables, as they are handed to workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from condped.read.stream.workers import Stretch
from condped.read.table.refusal import Part
from condped.trials.columns import Column


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Some rows that follow each other.

    Attributes
    ----------
    rows, part
        How many there are, and where they stand.
    work
        What it takes to read them, in the unit of all that there are.
    read
        Reads them; what it returns makes the column of a name.
    words
        Takes, for columns of texts, in how many rows a word stood for nothing.
    """

    rows: int
    part: Part
    work: float
    read: Callable[[], Callable[[str], Column]]
    words: dict[str, int] = field(default_factory=dict)


class Rows(Protocol):
    """Rows that make one table: files of one kind that fit together, or what a database has."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        ...

    @property
    def work(self) -> float:
        """What it takes to read them all, such as bytes; 0: unknown."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What was noticed of the rows when they were fetched."""
        ...

    def stretches(self, columns: Sequence[str], workers: int) -> list[Stretch[Piece]]:
        """Return all rows, of which these columns will be asked for."""
        ...

    def cancel(self) -> None:
        """Make a thread give up that waits for rows."""
        ...

    def close(self) -> None:
        """Let go of what is held."""
        ...


class NothingHeld:
    """Rows of which nothing is held between passes: those of files."""

    __slots__ = ()

    @property
    def notes(self) -> tuple[str, ...]:
        return ()

    def cancel(self) -> None:
        """Nobody waits for long."""

    def close(self) -> None:
        """Nothing is open."""
