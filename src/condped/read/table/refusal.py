"""Refusing values: the parameter, the first row, how many there are, and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from condped.arrays import BoolArray
from condped.errors import DataError


@dataclass(frozen=True, slots=True)
class Part:
    """Rows that are read apart from the rest of their source.

    Attributes
    ----------
    before
        How many rows of the source come before; None: its rows have no order, and so no numbers.
    file
        The file that they stand in, where there are several.
    before_in_file
        How many of its rows come before.
    """

    before: int | None
    file: str | None = None
    before_in_file: int = 0

    def after(self, rows: int) -> Part:
        """Return the part that comes after so many rows of this one."""
        before = None if self.before is None else self.before + rows
        return Part(before, self.file, self.before_in_file + rows)


_part: ContextVar[Part | None] = ContextVar("part", default=None)


@contextmanager
def reading_part(part: Part) -> Iterator[None]:
    """Let rows be numbered as those of the whole source in what is said inside."""
    token = _part.set(part)
    try:
        yield
    finally:
        _part.reset(token)


def row_number(place: int) -> int | None:
    """Return the number of a row in the whole source; None: it has none."""
    part = _part.get()
    if part is None:
        return int(place)
    return None if part.before is None else part.before + int(place)


def row_told(place: int) -> str:
    """Say which row it is, in the middle of a sentence."""
    number = row_number(place)
    return "a row" if number is None else f"row {number}"


def refuse(name: str, where: BoolArray, what: str, remedy: str) -> NoReturn:
    """Raise a DataError for the rows ``where`` a parameter's value is not right."""
    first, count = int(np.argmax(where)), int(np.count_nonzero(where))
    raise DataError(
        f"Parameter {name!r} {what}{rows_told(first, count)}. {remedy}.",
        column=name,
        first_row=row_number(first),
        count=known_count(count),
    )


def rows_told(first: int, count: int) -> str:
    """Say in brackets which rows are wrong: the first, and how many there are if all were read.

    Nothing is said of rows without numbers.
    """
    part = _part.get()
    if part is None:
        told = f"row {first}" if count == 1 else f"row {first} and {count - 1} more"
    elif part.before is None:
        return ""
    else:
        file = "" if part.file is None else f"row {part.before_in_file + first} of {part.file!r}, "
        told = f"row {part.before + first}, {file}where reading stopped"
    return f" ({told}; rows count from 0)"


def known_count(count: int) -> int | None:
    """Return how many rows are wrong; None if others have not been read."""
    return count if _part.get() is None else None
