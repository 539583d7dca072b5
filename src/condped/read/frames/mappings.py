"""Plain Python data: a mapping of columns, or a list of mappings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

from condped.errors import DataError
from condped.read.options import ReadOptions
from condped.read.table.build import build_table
from condped.read.table.raw import RawTable
from condped.safe_text import brief
from condped.trials.columns import array_column
from condped.trials.table import TrialTable

_MOST_NESTED = 100


def read(
    source: Mapping[str, Any] | Sequence[Mapping[str, Any]], options: ReadOptions
) -> TrialTable:
    """Return named columns, or a mapping per trial, as trials.

    Numpy arrays are used without copying. The mappings of trials may lack entries; nested ones are
    flattened: ``{"config": {"lr": 0.1}}`` gives ``config.lr``.
    """
    if not isinstance(source, Mapping):
        return build_table(RawTable.of_records([flat(record) for record in source]), options)
    columns, rows = source, _rows(source)
    raw = RawTable(tuple(columns), rows, lambda name: array_column(columns[name]))
    return build_table(raw, options)


def flat(record: Mapping[str, Any], separator: str = ".") -> dict[str, Any]:
    """Return a flattened mapping, nested names joined by the separator."""
    kinds = set(map(type, record.values()))
    if set(map(type, record)) == {str} and not any(issubclass(kind, Mapping) for kind in kinds):
        return dict(record)  # the usual case; types are compared since this runs for every trial
    found: dict[str, Any] = {}
    for name, value in _entries(record, "", separator):
        if name in found:
            raise DataError(
                f"{name!r} occurs twice in one trial, directly and nested in another entry. Rename "
                "one of them.",
                column=name,
            )
        found[name] = value
    return found


def _rows(columns: Mapping[str, Any]) -> int:
    """Return the number of rows; raises if columns differ in length."""
    lengths: dict[str, int] = {}
    for name, values in columns.items():
        try:
            if isinstance(values, (str, bytes, Mapping, Set)):
                raise TypeError
            lengths[name] = len(values)
        except TypeError:
            raise DataError(
                f"Column {name!r} must be an array or a list (got {type(values).__name__}).",
                column=str(name),
            ) from None
    if len(set(lengths.values())) > 1:
        raise DataError(f"Columns must be equally long (got {lengths}).")
    return next(iter(lengths.values()), 0)


def _entries(
    record: Mapping[str, Any], before: str, separator: str, depth: int = 0
) -> Iterator[tuple[str, Any]]:
    if depth > _MOST_NESTED:
        raise DataError(
            f"A record is nested more than {_MOST_NESTED} levels deep, or contains itself, at "
            f"{brief(before)}. Give the parameters themselves."
        )
    for name, value in record.items():
        if isinstance(value, Mapping):
            yield from _entries(value, f"{before}{name}{separator}", separator, depth + 1)
        else:
            yield f"{before}{name}", value
