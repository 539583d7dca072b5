"""Lazy frames as sources of batches: those of Polars and Dask, and relations of DuckDB."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import narwhals as nw
import pyarrow as pa

from condped.read.batches import BatchReader
from condped.read.databases.engine_errors import failure
from condped.read.databases.fetched_rows import (
    EngineTable,
    FetchedRows,
    duckdb_batches,
    needed_columns,
)
from condped.read.options import ReadOptions
from condped.read.stream.pyarrow_parquet_files import BATCH
from condped.read.stream.source import StreamSource

_ENGINES = {"polars": "Polars", "duckdb": "DuckDB", "dask": "Dask"}


class LazyTable(EngineTable):
    """A frame that is computed when its rows are needed.

    Its engine handles interrupts itself.
    """

    label = "the lazy frame"

    def __init__(self, frame: nw.LazyFrame[Any]) -> None:
        self.frame, self.names = frame, tuple(frame.collect_schema().names())
        name = frame.implementation.name.lower()
        self.engine = _ENGINES.get(name, name)
        self.ordered = not frame.implementation.is_duckdb()  # whose rows come in any order

    def batches(self, columns: Sequence[str]) -> Generator[Any]:
        try:
            yield from self._batches(columns)
        except Exception as error:
            raise failure(self.engine, self.label, "reading the rows", error) from error

    def _batches(self, columns: Sequence[str]) -> Generator[Any]:
        kind = self.frame.implementation
        if kind.is_duckdb():
            # Not by narwhals, to which a column named * is all of them.
            quoted = (name.replace('"', '""') for name in columns)
            some: Any = self.frame.to_native().project(", ".join(f'"{name}"' for name in quoted))
            yield from duckdb_batches(some)
            return
        # By their places: some names, such as ^x$, are patterns to Polars.
        known = {name: place for place, name in enumerate(self.names)}
        places = [known[name] for name in columns]
        frame = self.frame.select(nw.nth(*places))
        native: Any = frame.to_native()
        if kind.is_polars():
            # Before version 1.37 batches just ended where a query failed.
            version = nw.get_native_namespace(frame).__version__.split(".")
            streams = (int(version[0]), int(version[1])) >= (1, 37)
            for part in native.collect_batches(chunk_size=BATCH) if streams else [native.collect()]:
                yield from part.to_arrow().to_batches()
        elif kind.is_dask():
            for part in native.partitions:
                yield pa.RecordBatch.from_pandas(part.compute(), preserve_index=False)
        else:
            yield from frame.collect("pyarrow").to_native().to_batches()


def open_frame(source: Any, options: ReadOptions) -> StreamSource:
    """Open a lazy frame; it is computed once, when its rows are first needed."""
    table = LazyTable(nw.from_native(source))
    reader = BatchReader.of(
        table.names, options, options.space, unusable=_unusable_columns(table.frame)
    )
    schema = reader.schema(table.engine, ordered=table.ordered)
    rows = FetchedRows(table, needed_columns(reader, schema))
    return StreamSource(rows, reader, schema, reader.space.notes)


def _unusable_columns(frame: nw.LazyFrame[Any]) -> dict[str, str]:
    """Return the columns that hold neither numbers, texts nor booleans, with their types."""
    usable = (nw.String, nw.Boolean, nw.Categorical, nw.Enum, nw.Unknown, nw.Object)
    return {
        name: str(kind)
        for name, kind in frame.collect_schema().items()
        if not (kind.is_numeric() or kind in usable)
    }
