"""Parquet, Arrow and Feather files, through pyarrow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from condped.errors import DataError
from condped.read.files.many_files import (
    all_columns,
    check_unique_columns,
    load_files,
    partition_of,
)
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
        table = _read_file(path, notes)
        for name, text in partition_of(path, root).items():
            if name not in table.column_names:
                table = table.append_column(name, pa.array([text] * len(table), pa.string()))
        return table

    tables = load_files(paths, load, options, notes)
    all_columns([table.column_names for table in tables], notes)
    whole = concat_files(tables)
    partition_names = {name for path in paths for name in partition_of(path, root)}
    for name in partition_names & set(whole.column_names):
        place = whole.column_names.index(name)
        whole = whole.set_column(place, name, parse_numbers(whole.column(name)))
    return frame.read(whole, options).with_notes(notes)


def concat_files(tables: Sequence[pa.Table]) -> pa.Table:
    """Return the rows of all tables, each column in the narrowest type that holds them all."""
    try:
        return pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowException as error:
        raise DataError(
            f"The {len(tables)} files have incompatible columns: {one_line(error)}. Read them "
            "separately."
        ) from error


def parse_numbers(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column of texts as numbers if all of them are, else unchanged."""
    for kind in (pa.int64(), pa.float64()):
        try:
            return texts.cast(kind)
        except pa.ArrowInvalid:
            continue
    return texts


def _read_file(path: str, notes: list[str]) -> pa.Table:
    try:
        if Path(path).suffix.lower() in (".arrow", ".feather"):
            table = _read_arrow(path)
        else:
            table = pq.ParquetFile(path).read()
    except (OSError, pa.ArrowException) as error:
        raise unreadable(path, error) from error
    return table.drop_columns(pandas_index_columns(path, table.schema, notes))


def pandas_index_columns(path: str, schema: pa.Schema, notes: list[str]) -> list[str]:
    """Return the columns of pandas' index, with a note if they have names."""
    # pandas stores a frame's index as columns; these are not parameters.
    check_unique_columns(path, schema.names)
    index = _index(schema)
    with_names = [name for name in index if not name.startswith("__index_level_")]
    if with_names:
        notes.append(f"The index of the frame in {path!r} was left out: {', '.join(with_names)}.")
    return index


def _index(schema: pa.Schema) -> list[str]:
    try:
        columns = (schema.pandas_metadata or {}).get("index_columns", [])
    except (AttributeError, ValueError):  # metadata that pandas did not write
        return []
    return [name for name in columns if isinstance(name, str) and name in schema.names]


def _read_arrow(path: str) -> pa.Table:
    """Return the table of an Arrow file, in file or stream format."""
    with pa.memory_map(path) as source:
        try:
            return pa.ipc.open_file(source).read_all()
        except pa.ArrowInvalid:
            source.seek(0)
            return pa.ipc.open_stream(source).read_all()


def unreadable(path: str, error: Exception) -> DataError:
    """Return the error for a missing or damaged file."""
    missing = isinstance(error, FileNotFoundError)
    what = "No such file or directory" if missing else one_line(error)
    return DataError(f"The file {path!r} cannot be read: {what}.")


def one_line(error: Exception) -> str:
    """Return an error's message on one line, without the full stop."""
    return " ".join(str(error).split()).rstrip(".")
