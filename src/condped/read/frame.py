"""Dataframes of pandas, Polars and pyarrow, through narwhals."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np

from condped.read.build import RawTable, build_table
from condped.read.columns import (
    Column,
    LevelColumn,
    UnusableColumn,
    array_column,
    level_column,
    number_column,
)
from condped.read.options import ReadOptions
from condped.trials import TrialTable


def read(source: Any, options: ReadOptions) -> TrialTable:
    """Return the frame's columns as trials."""
    lazy_or_eager = nw.from_native(source)
    frame = lazy_or_eager.collect() if isinstance(lazy_or_eager, nw.LazyFrame) else lazy_or_eager
    names = tuple(frame.columns)
    return build_table(RawTable(names, len(frame), lambda name: _column(frame[name])), options)


def _column(series: nw.Series[Any]) -> Column:
    dtype = series.dtype
    if dtype == nw.Object:
        return array_column(np.asarray(series.to_list(), dtype=object))
    missing = series.is_null().to_numpy()
    some = bool(missing.any())
    if dtype.is_numeric():
        if not some:
            return number_column(series.to_numpy())
        present = series.drop_nulls().to_numpy()
        values = np.zeros(len(series), present.dtype)
        values[~missing] = present
        if values.dtype.kind == "f":
            values[missing] = np.nan
        return number_column(values, missing)
    if dtype == nw.Boolean:
        codes = np.full(len(series), -1, dtype=np.int64)
        codes[~missing] = series.drop_nulls().to_numpy().astype(np.int64)
        return LevelColumn(codes, (False, True))
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return level_column(series.to_list(), missing if some else None)
    return UnusableColumn(str(dtype))
