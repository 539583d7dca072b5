"""Engines: ways to count a case, with its table put really there."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv

from condped.read.opening import open_source
from condped.space.condition import Condition
from condped.trials.batch import Source
from tests.contracts.case import Case
from tests.contracts.oracle import Oracle
from tests.contracts.places import Place
from tests.count.table_chunks import TableChunks
from tests.servers import ray, spark
from tests.servers.spark import Sparks

ENGINES = (
    "reference", "memory", "parquet", "csv", "duckdb", "relation", "postgresql", "polars", "dask",
    "spark", "ray",
)  # fmt: skip
_NUMBERS = itertools.count()


def holds(engine: str, case: Case) -> bool:
    """Return whether an engine's tables can hold a case at all."""
    if engine == "csv":
        return case.csv
    lower = [name.lower() for name in case.table.column_names]
    return len(set(lower)) == len(lower) or engine not in ("duckdb", "relation")


@dataclass(frozen=True)
class Engine:
    """A way to count.

    Attributes
    ----------
    open
        Puts a case's table there and opens it.
    by_rows
        Whether trials are numbered as they stand, in time, rather than by the column that tells.
    whole
        Whether it sees all rows at once, and so knows how many are wrong.
    """

    name: str
    open: Callable[[Case], Source]
    by_rows: bool = False
    whole: bool = False

    def __str__(self) -> str:
        return self.name

    def oracle(self, oracle: Oracle) -> Oracle:
        """Return what to expect of it."""
        return oracle.by_rows if self.by_rows else oracle


def fresh_name() -> str:
    """Return a name that no table has yet."""
    return f"trials_{next(_NUMBERS)}"


def open_case(source: Any, case: Case, **changed: Any) -> Source:
    """Open what holds a case's table."""
    return open_source(source, **{**case.options, **changed})


def in_memory(case: Case) -> Source:
    """Read the table."""
    return open_case(case.table, case, engine="memory")


def in_place(place: Place) -> Engine:
    """Return the engine that takes what is in a database through Ibis."""

    def put(case: Case) -> Source:
        name = fresh_name()
        place.put(name, case.table)
        return open_case(place.connection.table(name), case)

    return Engine(place.name, put)


def as_relation(place: Place) -> Engine:
    """Return the engine that takes relations of DuckDB."""

    def put(case: Case) -> Source:
        name = fresh_name()
        place.put(name, case.table)
        return open_case(place.connection.con.table(name), case)

    return Engine("relation", put)


def as_polars(case: Case) -> Source:
    """Open the table as a lazy frame of Polars."""
    import polars as pl  # noqa: PLC0415

    frame = pl.from_arrow(case.table)
    assert isinstance(frame, pl.DataFrame)
    return open_case(frame.lazy(), case)


def as_dask(case: Case) -> Source:
    """Open the table as a frame of Dask, in two partitions."""
    import dask.dataframe as dd  # noqa: PLC0415
    import pandas as pd  # noqa: PLC0415

    # Types of Arrow: those of numpy know no missing whole number, and NaN for nothing.
    frame = case.table.to_pandas(types_mapper=pd.ArrowDtype)
    parts = dd.from_pandas(frame, npartitions=2)  # type: ignore[no-untyped-call]
    return open_case(parts, case)


def on_spark(sparks: Sparks) -> Engine:
    """Return the engine that counts on the workers of Spark."""
    return Engine("spark", lambda case: open_case(spark.put(sparks.running(), case.table), case))


def on_ray() -> Engine:
    """Return the engine that counts on the workers of Ray."""
    return Engine("ray", lambda case: open_case(ray.put(case.table), case))


def in_files(folder: Path, ending: str) -> Engine:
    """Return the engine that streams files."""

    def put(case: Case) -> Source:
        below = folder / fresh_name()
        below.mkdir()
        # In pieces, and those with few rows in a group, so that there is something to put together.
        pieces = 3 if case.table.num_rows >= 3 else 1
        size = -(-case.table.num_rows // pieces)
        for piece in range(pieces):
            part = case.table.slice(piece * size, size)
            if ending == "parquet":
                pq.write_table(part, below / f"{piece}.parquet", row_group_size=17)
            else:
                csv.write_csv(_widened(part), below / f"{piece}.csv")
        return open_case(f"{below}/*.{ending}", case, engine="stream")

    return Engine(f"stream of {ending}", put)


def _widened(table: pa.Table) -> pa.Table:
    """Return float32 columns as float64: a text file would give them fewer digits."""
    types = [pa.float64() if pa.types.is_float32(f.type) else f.type for f in table.schema]
    return table.cast(pa.schema(list(zip(table.column_names, types, strict=True))))


def in_batches(case: Case) -> Source:
    """Cut the table in memory into batches."""
    everything = Oracle.of(replace(case, where=None, parameters=None))
    source = TableChunks(everything.table, 37, everything.order)
    source.notes = everything.table.notes
    source.schema = replace(
        source.schema,
        ignored_columns=everything.table.ignored_columns,
        where=None if case.where is None else Condition.parse(case.where),
    )
    if case.parameters is not None:
        table = everything.table.with_parameters(case.parameters)
        domains = tuple(parameter.domains for parameter in table.parameters)
        source.schema = replace(source.schema, names=table.names, domains=domains)
    return source
