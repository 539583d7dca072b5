"""Trials as a list of mappings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from condped.errors import DataError
from condped.read.options import ReadOptions
from condped.read.table.build import build_table
from condped.read.table.raw import RawTable
from condped.trials.table import TrialTable


def read(source: Sequence[Mapping[str, Any]], options: ReadOptions) -> TrialTable:
    """Return a list of mappings as trials; entries may be missing.

    Nested mappings are flattened: ``{"config": {"lr": 0.1}}`` gives ``config.lr``.
    """
    return build_table(RawTable.of_records([flat(record) for record in source]), options)


def flat(record: Mapping[str, Any], separator: str = ".") -> dict[str, Any]:
    """Return a flattened mapping, nested names joined by the separator."""
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


def _entries(record: Mapping[str, Any], before: str, separator: str) -> Iterator[tuple[str, Any]]:
    for name, value in record.items():
        if isinstance(value, Mapping):
            yield from _entries(value, f"{before}{name}{separator}", separator)
        else:
            yield f"{before}{name}", value
