"""Rows as a Parquet file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from condped.writing.whole_files import encoded, whole_file


def write_rows(
    rows: Sequence[Mapping[str, Any]],
    columns: Sequence[str],
    schema: str,
    path: str | os.PathLike[str],
) -> None:
    """Write flat records; the file's metadata name their schema."""
    table = pa.table({name: pa.array([_cell(row[name]) for row in rows]) for name in columns})
    table = table.replace_schema_metadata({"condped.schema": schema})
    with whole_file(path) as file:
        parquet.write_table(table, file)


def _cell(value: Any) -> Any:
    return encoded(value).decode() if isinstance(value, str) else value
