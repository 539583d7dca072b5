"""What the columns of Optuna's tables hold; SQLite itself allows anything in any of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from condped.errors import DataError
from condped.safe_text import brief


class Kind(NamedTuple):
    """What a column holds, and its types in Python."""

    what: str
    types: frozenset[type]

    def or_null(self) -> Kind:
        """Return the kind of a column that may be empty."""
        return Kind(f"{self.what} or null", self.types | {type(None)})


WHOLE = Kind("a whole number", frozenset({int}))
NUMBER = Kind("a number", frozenset({int, float}))
TEXT = Kind("a string", frozenset({str}))
Columns = Mapping[str, Kind | None]  # by selected column; None: anything is allowed


def check_kinds(place: str, table: str, columns: Columns, rows: Sequence[Any]) -> None:
    """Raise for the first value of a table that is not of its column's kind.

    The first column identifies the row.
    """
    for index, (name, kind) in enumerate(columns.items()):
        if kind is None or set(map(type, map(itemgetter(index), rows))) <= kind.types:
            continue
        row = next(row for row in rows if type(row[index]) not in kind.types)
        owner = f" of {next(iter(columns))} {brief(row[0])}" if index else ""
        raise damaged(
            place, table, f"{name!r}{owner} must be {kind.what} (got {brief(row[index])})"
        )


def parsed(place: str, table: str, owner: str, key: str, text: Any) -> Any:
    """Return the value of an attribute, which is recorded as JSON."""
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError):
        reason = f"the attribute {brief(key)} of {owner} is not valid JSON (got {brief(text)})"
    raise damaged(place, table, reason)


def damaged(place: str, table: str, reason: str) -> DataError:
    """Return the error for a table with content that Optuna never writes."""
    return DataError(
        f"{place} is damaged: in the table {table!r} {reason}. Restore the database, or correct "
        "the row."
    )
