"""Rows as a Parquet file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from condped.analyse.saving.files import written_whole


def write_rows(
    rows: Sequence[Mapping[str, Any]],
    columns: Sequence[str],
    schema: str,
    path: str | os.PathLike[str],
) -> None:
    """Write flat records; the file says which schema they follow."""
    table = pa.table({name: pa.array([row[name] for row in rows]) for name in columns})
    table = table.replace_schema_metadata({"condped.schema": schema})
    with written_whole(path) as beside:
        parquet.write_table(table, beside)
