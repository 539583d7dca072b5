"""Engines that the contract is tested on, and how a case's table gets to where they count it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from condped.count.chunked import ChunkedPasses
from condped.count.passes import Passes
from pyarrow import csv

from condped.space.condition import Condition
from tests.contracts.case import Case
from tests.contracts.oracle import Oracle
from tests.contracts.places import Place
from tests.count.table_chunks import TableChunks

# Not among them: Polars through Ibis, which takes no SQL and so refuses to count; its files and
# frames are read by the engines stream and memory.
ENGINES = ("reference", "parquet", "csv", "duckdb", "postgresql", "spark")
_NUMBERS = itertools.count()


def holds(engine: str, case: Case) -> bool:
    """Return whether an engine's tables can hold a case at all."""
    if engine == "csv":
        return case.csv
    lower = [name.lower() for name in case.table.column_names]
    return len(set(lower)) == len(lower) or engine not in ("duckdb", "spark")


@dataclass(frozen=True)
class Engine:
    """A way to count, with a table put really there.

    Attributes
    ----------
    open
        Puts a case's table there and opens it.
    chunked
        Whether it sees some rows at a time.
    slow
        Whether a query takes it so long that not everything is asked of every case.
    """

    name: str
    open: Callable[[Case], Passes]
    chunked: bool = False
    slow: bool = False

    def __str__(self) -> str:
        return self.name


def fresh_name() -> str:
    """Return a name that no table has yet."""
    return f"trials_{next(_NUMBERS)}"


def open_ibis(source: Any, case: Case, backend: str | None = None) -> Passes:
    """Count through Ibis: a table of its own, files, or the name of a table in a backend."""
    from condped.count.ibis_engine import open_passes  # noqa: PLC0415

    return open_passes(source, case.asked, backend)


def open_stream(source: Any, case: Case) -> Passes:
    """Count files in chunks."""
    from condped.read.stream.pyarrow_stream import open_passes  # noqa: PLC0415

    return open_passes(source, case.asked)


def in_place(place: Place) -> Engine:
    """Return the engine that counts what is in a database."""

    def put(case: Case) -> Passes:
        name = fresh_name()
        place.put(name, case.table)
        place.prepare(case.name)
        return open_ibis(place.connection.table(name), case)

    return Engine(place.name, put, slow=place.name == "spark")


def in_files(folder: Path, ending: str) -> Engine:
    """Return the engine that streams files."""

    def put(case: Case) -> Passes:
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
        return open_stream(f"{below}/*.{ending}", case)

    return Engine(f"stream of {ending}", put, chunked=True)


def _widened(table: pa.Table) -> pa.Table:
    """Return float32 columns as float64: a text file would give them fewer digits."""
    types = [pa.float64() if pa.types.is_float32(f.type) else f.type for f in table.schema]
    return table.cast(pa.schema(list(zip(table.column_names, types, strict=True))))


def open_reference(case: Case) -> Passes:
    """Count a table in memory in chunks."""
    everything = Oracle.of(replace(case, where=None, parameters=None))
    source = TableChunks(everything.table, 37, everything.order)
    source.notes = everything.table.notes
    source.outline = replace(
        source.outline, ignored_columns=everything.table.ignored_columns, outside=case.outside
    )
    if case.parameters is not None:
        table = everything.table.with_parameters(case.parameters)
        domains = tuple(parameter.domains for parameter in table.parameters)
        source.outline = replace(source.outline, names=table.names, domains=domains)
    passes: Passes = ChunkedPasses(source)
    return passes if case.where is None else passes.where(Condition.parse(case.where))
