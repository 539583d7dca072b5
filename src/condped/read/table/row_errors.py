"""Errors about rows: the parameter, the first row, how many there are, and what to do."""

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
class RowOffset:
    """Where a batch of rows lies in its source.

    Attributes
    ----------
    before
        How many rows of the source come before; None: its rows have no order, and so no numbers.
    file
        The file that they are from, if there are several.
    before_in_file
        How many rows of the file come before.
    """

    before: int | None
    file: str | None = None
    before_in_file: int = 0

    def after(self, rows: int) -> RowOffset:
        """Return the offset of what follows so many rows."""
        before = None if self.before is None else self.before + rows
        return RowOffset(before, self.file, self.before_in_file + rows)


_row_offset: ContextVar[RowOffset | None] = ContextVar("row_offset", default=None)


@contextmanager
def numbering_from(offset: RowOffset) -> Iterator[None]:
    """Make messages from inside the block number rows as in the whole source."""
    token = _row_offset.set(offset)
    try:
        yield
    finally:
        _row_offset.reset(token)


def row_number(place: int) -> int | None:
    """Return the number of a row in the whole source; None: it has none."""
    offset = _row_offset.get()
    if offset is None:
        return int(place)
    return None if offset.before is None else offset.before + int(place)


def describe_row(place: int) -> str:
    """Return what to call a row in the middle of a sentence."""
    number = row_number(place)
    return "a row" if number is None else f"row {number}"


def raise_for_rows(name: str, where: BoolArray, what: str, remedy: str) -> NoReturn:
    """Raise a DataError for the rows ``where`` a parameter's value is invalid."""
    first, count = int(np.argmax(where)), int(np.count_nonzero(where))
    raise DataError(
        f"Parameter {name!r} {what}{format_rows(first, count)}. {remedy}.",
        column=name,
        first_row=row_number(first),
        count=known_count(count),
    )


def format_rows(first: int, count: int) -> str:
    """Return in brackets which rows are wrong: the first, and how many if all were read.

    Empty for rows without numbers.
    """
    offset = _row_offset.get()
    if offset is None:
        rows = f"row {first}" if count == 1 else f"row {first} and {count - 1} more"
    elif offset.before is None:
        return ""
    else:
        in_file = offset.before_in_file + first
        file = "" if offset.file is None else f"row {in_file} of {offset.file!r}, "
        rows = f"row {offset.before + first}, {file}where reading stopped"
    return f" ({rows}; rows count from 0)"


def known_count(count: int) -> int | None:
    """Return how many rows are invalid; None if others have not been read."""
    return count if _row_offset.get() is None else None
