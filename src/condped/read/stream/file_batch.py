"""Pieces of files, as they are handed to workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from condped.read.stream.workers import Stretch
from condped.read.table.row_errors import RowOffset
from condped.trials.columns import Column


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Some rows that follow each other in a file.

    Attributes
    ----------
    rows, part
        How many there are, and where they stand.
    work
        What it takes to read them, in bytes of the file.
    read
        Reads them; what it returns makes the column of a name.
    words
        Takes, for columns of texts, in how many rows a word stood for nothing.
    """

    rows: int
    part: RowOffset
    work: float
    read: Callable[[], Callable[[str], Column]]
    words: dict[str, int] = field(default_factory=dict)


class Files(Protocol):
    """Files of one kind that make one table, opened and found to fit together."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of all of them."""
        ...

    @property
    def work(self) -> float:
        """What it takes to read them all, in bytes."""
        ...

    def stretches(self, columns: Sequence[str], workers: int) -> list[Stretch[Piece]]:
        """Return the rows of all files, of which these columns will be asked for."""
        ...
