"""Parquet files, through pyarrow."""

from __future__ import annotations

from condped.errors import DataError, MissingLibraryError
from condped.read import frame
from condped.read.options import ReadOptions
from condped.trials import TrialTable


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return a Parquet file's rows as trials."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingLibraryError(
            feature="Reading Parquet files", library="pyarrow", extra="parquet"
        ) from error
    try:
        return frame.read(pq.read_table(source), options)
    except (OSError, pa.ArrowInvalid) as error:
        raise DataError(f"The Parquet file {source!r} cannot be read: {error}") from error
