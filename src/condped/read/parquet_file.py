"""Parquet files, through pyarrow."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

from condped.errors import DataError
from condped.read import frame
from condped.read.options import ReadOptions
from condped.trials import TrialTable


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return a Parquet file's rows as trials."""
    try:
        table = pq.read_table(source)
    except (OSError, pa.ArrowException) as error:
        raise DataError(f"The Parquet file {source!r} cannot be read: {error}") from error
    return frame.read(table, options)
