"""Batches of rows of files, as they are handed to workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from condped.read.stream.workers import Segment
from condped.read.table.row_errors import RowOffset
from condped.trials.columns import Column


@dataclass(frozen=True, slots=True, eq=False)
class FileBatch:
    """Consecutive rows of a file.

    Attributes
    ----------
    rows, offset
        How many there are, and where they lie.
    work
        The cost of reading them, in bytes of the file.
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


class StreamFiles(Protocol):
    """Files of one kind with compatible columns, as one table."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of all of them."""
        ...

    @property
    def work(self) -> float:
        """The cost of reading them all, in bytes."""
        ...

    def segments(self, columns: Sequence[str], workers: int) -> list[Segment[FileBatch]]:
        """Return the rows of all files, with these columns."""
        ...
