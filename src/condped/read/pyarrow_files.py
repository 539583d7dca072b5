"""Parquet, Arrow and Feather files, through pyarrow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from condped.errors import DataError
from condped.read import frame
from condped.read.options import ReadOptions
from condped.read.parts import all_columns, joined
from condped.read.sidecar import with_sidecar
from condped.trials import TrialTable


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return a file's rows as trials."""
    return read_many([source], with_sidecar(source, options))


def read_many(paths: Sequence[str], options: ReadOptions) -> TrialTable:
    """Return the rows of several files as trials."""
    notes: list[str] = []
    tables = joined(paths, _table, options, notes)
    all_columns([table.column_names for table in tables], notes)
    try:
        whole = pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowException as error:
        raise DataError(
            f"The {len(tables)} files do not fit together: {_line(error)}. Read them apart."
        ) from error
    return frame.read(whole, options).with_notes(notes)


def _table(path: str) -> pa.Table:
    try:
        if Path(path).suffix.lower() in (".arrow", ".feather"):
            table = _arrow(path)
        else:
            table = pq.ParquetFile(path).read()
    except FileNotFoundError as error:
        raise DataError(f"The file {path!r} cannot be read: No such file or directory.") from error
    except (OSError, pa.ArrowException) as error:
        raise DataError(f"The file {path!r} cannot be read: {_line(error)}.") from error
    # pandas keeps a frame's index as columns; it is no parameter there and none here.
    pandas = table.schema.pandas_metadata or {}
    index = [name for name in pandas.get("index_columns", []) if isinstance(name, str)]
    return table.drop_columns(index)


def _arrow(path: str) -> pa.Table:
    """Return an Arrow file's table, or that of a stream which was saved as one."""
    with pa.memory_map(path) as source:
        try:
            return pa.ipc.open_file(source).read_all()
        except pa.ArrowInvalid:
            source.seek(0)
            return pa.ipc.open_stream(source).read_all()


def _line(error: Exception) -> str:
    return " ".join(str(error).split()).rstrip(".")
