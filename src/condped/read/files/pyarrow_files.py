"""Parquet, Arrow and Feather files, through pyarrow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.parquet as pq

from condped.errors import DataError
from condped.read.files.many_files import all_columns, joined, partition_of, refuse_twice
from condped.read.files.space_sidecar import with_sidecar
from condped.read.frames import frame
from condped.read.options import ReadOptions
from condped.trials.table import TrialTable


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return a file's rows as trials."""
    return read_many([source], with_sidecar(source, options))


def read_many(paths: Sequence[str], options: ReadOptions, root: Path | None = None) -> TrialTable:
    """Return the rows of several files, below a root, as trials."""
    notes: list[str] = []

    def load(path: str) -> pa.Table:
        table = _table(path, notes)
        for name, text in partition_of(path, root).items():
            if name not in table.column_names:
                table = table.append_column(name, pa.array([text] * len(table), pa.string()))
        return table

    tables = joined(paths, load, options, notes)
    all_columns([table.column_names for table in tables], notes)
    whole = fitted(tables)
    said = {name for path in paths for name in partition_of(path, root)}
    for name in said & set(whole.column_names):
        place = whole.column_names.index(name)
        whole = whole.set_column(place, name, spelled(whole.column(name)))
    return frame.read(whole, options).with_notes(notes)


def fitted(tables: Sequence[pa.Table]) -> pa.Table:
    """Return the rows of all tables, each column in the narrowest type that suits them all."""
    try:
        return pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowException as error:
        raise DataError(
            f"The {len(tables)} files do not fit together: {one_line(error)}. Read them apart."
        ) from error


def spelled(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column of texts as numbers, if all of them spell some."""
    for kind in (pa.int64(), pa.float64()):
        try:
            return texts.cast(kind)
        except pa.ArrowInvalid:
            continue
    return texts


def kind_spelled(texts: Sequence[str | None]) -> Literal["int64", "float64", "string"]:
    """Return what :func:`spelled` makes of texts."""
    kind = spelled(pa.chunked_array([pa.array(texts, pa.string())])).type
    if pa.types.is_string(kind):
        return "string"
    return "int64" if pa.types.is_integer(kind) else "float64"


def _table(path: str, notes: list[str]) -> pa.Table:
    try:
        if Path(path).suffix.lower() in (".arrow", ".feather"):
            table = _arrow(path)
        else:
            table = pq.ParquetFile(path).read()
    except (OSError, pa.ArrowException) as error:
        raise unreadable(path, error) from error
    return table.drop_columns(index_of(path, table.schema, notes))


def column_names(path: str) -> list[str]:
    """Return the columns of a Parquet file that are data."""
    schema = pq.read_schema(path)
    return [name for name in schema.names if name not in _index(schema)]


def index_of(path: str, schema: pa.Schema, notes: list[str]) -> list[str]:
    """Return the columns that are no data, noting them."""
    # pandas keeps a frame's index as columns; it is no parameter there and none here.
    refuse_twice(path, schema.names)
    index = _index(schema)
    named = [name for name in index if not name.startswith("__index_level_")]
    if named:
        notes.append(f"The index of the frame in {path!r} was left out: {', '.join(named)}.")
    return index


def _index(schema: pa.Schema) -> list[str]:
    try:
        columns = (schema.pandas_metadata or {}).get("index_columns", [])
    except (AttributeError, ValueError):  # something else than pandas wrote there
        return []
    return [name for name in columns if isinstance(name, str) and name in schema.names]


def _arrow(path: str) -> pa.Table:
    """Return an Arrow file's table, or that of a stream which was saved as one."""
    with pa.memory_map(path) as source:
        try:
            return pa.ipc.open_file(source).read_all()
        except pa.ArrowInvalid:
            source.seek(0)
            return pa.ipc.open_stream(source).read_all()


def unreadable(path: str, error: Exception) -> DataError:
    """Return the error for a file that is gone or damaged."""
    gone = isinstance(error, FileNotFoundError)
    what = "No such file or directory" if gone else one_line(error)
    return DataError(f"The file {path!r} cannot be read: {what}.")


def one_line(error: Exception) -> str:
    """Return what an error says, without the stop at its end."""
    return " ".join(str(error).split()).rstrip(".")
