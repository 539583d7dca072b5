"""Dataframes of pandas, Polars and pyarrow, through narwhals."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import narwhals as nw
import numpy as np

from condped.arrays import BoolArray, FloatArray
from condped.duplicates import first_duplicate
from condped.errors import DataError
from condped.read.frames import mappings
from condped.read.options import ReadOptions
from condped.read.table.build import build_table
from condped.read.table.raw import RawTable
from condped.trials.columns import (
    Column,
    LevelColumn,
    UnusableColumn,
    absent_column,
    array_column,
    level_column,
    number_column,
    object_column,
    seconds_of_array,
)
from condped.trials.table import TrialTable


def read(source: Any, options: ReadOptions) -> TrialTable:
    """Return the frame's columns as trials."""
    try:
        lazy_or_eager = nw.from_native(source, pass_through=False)
    except nw.exceptions.DuplicateError as error:
        listed = getattr(source, "column_names", None) or source.columns
        duplicate = first_duplicate(map(str, listed))
        raise DataError(
            f"There are two columns named {duplicate!r}. Rename or drop one of them.",
            column=duplicate,
        ) from error
    frame = lazy_or_eager.collect() if isinstance(lazy_or_eager, nw.LazyFrame) else lazy_or_eager
    names = tuple(frame.columns)
    if _holds_records(frame):
        return mappings.read(frame.rows(named=True), options)
    return build_table(
        RawTable(names, len(frame), lambda name: column_of(frame.get_column(name))), options
    )


def _holds_records(frame: nw.DataFrame[Any]) -> bool:
    """Return whether the frame follows W&B's guide: columns of dicts, config and summary."""
    return all(
        name in frame.columns
        and any(isinstance(entry, Mapping) for entry in frame.get_column(name).to_list())
        for name in ("config", "summary")
    )


def column_of(series: nw.Series[Any]) -> Column:
    """Return a series as a column."""
    try:
        dtype = series.dtype
    except ValueError as error:  # one that Arrow has and narwhals has not: a negative scale
        return UnusableColumn(str(error))
    return _column_of_type(series, dtype)


def _column_of_type(series: nw.Series[Any], dtype: nw.dtypes.DType) -> Column:
    if dtype == nw.Object:
        return array_column(np.fromiter(series.to_list(), dtype=object, count=len(series)))
    missing = series.is_null().to_numpy()
    if missing.all():
        return absent_column(len(series))
    if dtype.is_numeric():
        return _numbers(series, missing)
    if dtype == nw.Boolean:
        codes = np.full(len(series), -1, dtype=np.int64)
        codes[~missing] = series.drop_nulls().to_numpy().astype(np.int64)
        return LevelColumn(codes, (False, True))
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return level_column(series.to_list(), missing if missing.any() else None)
    return UnusableColumn(str(dtype), _seconds(series))


def _seconds(series: nw.Series[Any]) -> FloatArray | None:
    """Return dates and durations as seconds; None for other types."""
    if series.dtype not in (nw.Datetime, nw.Duration):
        return None
    if getattr(series.dtype, "time_zone", None) is not None:  # numpy only has dates without a zone
        # Not as local times, which are repeated or skipped when clocks change.
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return seconds_of_array(series.to_numpy())


def _numbers(series: nw.Series[Any], missing: BoolArray) -> Column:
    if series.dtype in (nw.Decimal, nw.Int128, nw.UInt128):  # numpy has no such types
        listed = series.to_list()
        return object_column([float(v) if isinstance(v, Decimal) else v for v in listed])
    if not missing.any():
        return number_column(series.to_numpy())
    present = series.drop_nulls().to_numpy()
    values = np.zeros(len(series), present.dtype)
    values[~missing] = present
    if values.dtype.kind == "f":
        values[missing] = np.nan
    return number_column(values, missing)
