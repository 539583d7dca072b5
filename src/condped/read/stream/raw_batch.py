"""Batches of rows as files and tables hold them, handed to workers to be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from condped.read.stream.workers import Segment
from condped.read.table.row_errors import RowOffset
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
        Reads them; returns a function from a name to the column.
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
        """What was noticed of the rows when they were fetched."""
        ...

    def segments(self, columns: Sequence[str], workers: int) -> list[Segment[RawBatch]]:
        """Return all rows, with these columns, in segments that are read apart."""
        ...

    def cancel(self) -> None:
        """Stop a thread that waits for rows."""
        ...

    def close(self) -> None:
        """Release files and connections."""
        ...


class NothingHeld:
    """Rows of files, which stay closed between passes."""

    __slots__ = ()

    @property
    def notes(self) -> tuple[str, ...]:
        return ()

    def cancel(self) -> None:
        """Nothing to cancel: files do not keep anyone waiting."""

    def close(self) -> None:
        """Nothing to release."""
