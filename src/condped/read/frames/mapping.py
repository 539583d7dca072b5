"""A mapping of column names to arrays."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from condped.errors import DataError
from condped.read.options import ReadOptions
from condped.read.table.build import build_table
from condped.read.table.raw import RawTable
from condped.trials.columns import array_column
from condped.trials.table import TrialTable


def read(source: Mapping[str, Any], options: ReadOptions) -> TrialTable:
    """Return the mapping's columns as trials; numpy arrays are used without copying."""
    lengths: dict[str, int] = {}
    for name, values in source.items():
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
    rows = next(iter(lengths.values()), 0)
    names = tuple(source)
    return build_table(RawTable(names, rows, lambda name: array_column(source[name])), options)
