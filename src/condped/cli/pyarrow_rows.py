"""Rows as a Parquet file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
from pyarrow import parquet


def write_rows(
    path: str, rows: Sequence[Mapping[str, Any]], columns: Sequence[str], schema: str
) -> None:
    """Write flat records; the file says which schema they follow."""
    table = pa.table({name: pa.array([row[name] for row in rows]) for name in columns})
    parquet.write_table(table.replace_schema_metadata({"condped.schema": schema}), path)
