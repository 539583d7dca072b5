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
        table = pq.ParquetFile(source).read()
    except FileNotFoundError as error:
        raise DataError(
            f"The Parquet file {source!r} cannot be read: No such file or directory."
        ) from error
    except (OSError, pa.ArrowException) as error:
        reason = " ".join(str(error).split())
        raise DataError(f"The Parquet file {source!r} cannot be read: {reason}") from error
    # pandas keeps a frame's index as columns; it is no parameter there and none here.
    pandas = table.schema.pandas_metadata or {}
    index = [name for name in pandas.get("index_columns", []) if isinstance(name, str)]
    return frame.read(table.drop_columns(index), options)
