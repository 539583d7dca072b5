"""The rows of an Ibis expression as record batches, from each engine by its fastest way."""

from __future__ import annotations

import itertools
from collections.abc import Generator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from typing import Any

import pyarrow as pa

from condped.read.stream.pyarrow_parquet_files import BATCH

# Rows of PostgreSQL at a time. Each is a tuple for a moment: with more of them at once Python's
# collector of garbage looks through them again and again.
_TUPLES = 2_000
_numbers = itertools.count()


def record_batches(backend: Any, expression: Any) -> Generator[Any]:
    """Iterate over the rows of an expression; no more than a batch or two is held."""
    if backend.name == "duckdb":
        yield from _duckdb(backend.con, backend.compile(expression))
    elif backend.name == "postgres":
        yield from _postgresql(
            backend.con, backend.compile(expression), expression.schema().as_struct().to_pyarrow()
        )
    else:
        with closing(expression.to_pyarrow_batches(chunk_size=BATCH)) as reader:
            yield from reader


def one_snapshot(backend: Any) -> AbstractContextManager[Any]:
    """Return a context in which all queries see the same rows, where the engine has such."""
    return _transaction(backend.con) if backend.name == "postgres" else nullcontext()


def can_cancel(backend: Any) -> bool:
    """Return whether a query can be stopped from another thread than the one that waits for it.

    Connections of others, such as SQLite's, may belong to the thread that made them.
    """
    return backend.name in ("duckdb", "postgres")


def cancel(backend: Any) -> None:
    """Stop what another thread waits for."""
    if backend.name == "duckdb":
        backend.con.interrupt()
    else:
        backend.con.cancel_safe()


def _duckdb(connection: Any, query: str) -> Generator[Any]:
    # Not by execute, which would hold all rows; nor by a cursor, which sees no temporary tables.
    relation = connection.sql(query)
    # Before version 1.5 the method had another name.
    read = getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch
    with closing(read(BATCH)) as reader:
        yield from reader


@contextmanager
def _transaction(connection: Any) -> Generator[None]:
    idle = connection.info.transaction_status == 0
    with connection.transaction():
        if idle:  # a transaction of the caller's has seen its snapshot already
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield


def _postgresql(connection: Any, query: str, row: Any) -> Generator[Any]:
    """Fetch rows in binary form through a cursor on the server, which needs no rights to write."""
    held: list[Any] = []
    rows = 0
    name = f"condped_{next(_numbers)}"
    with _transaction(connection), connection.cursor(name=name, binary=True) as cursor:
        cursor.execute(query)
        while fetched := cursor.fetchmany(_TUPLES):
            held.append(pa.RecordBatch.from_struct_array(pa.array(fetched, type=row)))
            rows += len(fetched)
            if rows >= BATCH:
                yield pa.concat_batches(held)
                held, rows = [], 0
        if held:
            yield pa.concat_batches(held)
