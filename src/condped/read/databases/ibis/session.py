"""Connections to the engines behind Ibis: finding a table, and fetching its rows."""

from __future__ import annotations

import itertools
import os
import tempfile
import threading
import weakref
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path
from secrets import token_hex
from typing import Any

import ibis
import ibis.expr.types as ir
import pyarrow as pa

from condped.errors import (
    CondpedError,
    DataError,
    MissingLibraryError,
    SettingsError,
    SourceError,
    not_found,
)
from condped.read.databases.engine_errors import failure
from condped.read.databases.fetched_rows import duckdb_batches, large_batches
from condped.read.databases.urls import split_url, without_password
from condped.read.expansion import check_cells
from condped.read.files.named_path import expanded
from condped.read.stream.pyarrow_parquet_files import BATCH

# Names of the engines that the tests cover; others are accepted, too.
_ENGINES = {"duckdb": "DuckDB", "postgres": "PostgreSQL", "pyspark": "Spark"}
# What they need: a library, and the extra that installs it.
_DRIVERS = {"duckdb": ("duckdb", "ibis"), "postgres": ("psycopg", "postgresql")}
# Rows of PostgreSQL at a time. Each is briefly a tuple: with more of them at once, Python's garbage
# collector scans them again and again.
_TUPLES = 2_000
_cursors = itertools.count()
# A file cannot make the engine install or load any.
_NO_EXTENSIONS = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}

# Bytes of memory, and of temporary files, that queries of a file may take, and more for each of its
# bytes: sorting and grouping all of it takes a few times its size. At most a share of the memory.
_WORK, _WORK_PER_BYTE = 1 << 30, 20
_SHARE_OF_MEMORY = 0.8
# How long a query may take: much longer than reading all of the file.
_SECONDS, _SECONDS_PER_BYTE = 60.0, 2e-6
_ROWS = 1 << 14  # at a time, of which each can be long


class Session:
    """A connection to an engine.

    Attributes
    ----------
    label
        The table, or where it is, for messages.
    secrets
        Texts that must not appear in messages.
    engine
        What gives the rows, for messages.
    can_cancel
        Whether a query can be stopped from another thread than the one that waits for it.
        Connections of others, such as SQLite's, may belong to the thread that made them.
    size
        Bytes of a file that is not trusted: what its views return must be in proportion to them.
        None: no limit.
    """

    def __init__(
        self,
        backend: Any,
        label: str,
        *,
        secrets: Sequence[str] = (),
        end: Callable[[], None] | None = None,
        size: int | None = None,
    ) -> None:
        """Wrap a connection; ``end`` closes one that was opened here (None: the caller's)."""
        self.backend, self.label, self.secrets = backend, label, tuple(secrets)
        self.size = size
        self.engine = _title(backend.name)
        self.can_cancel = backend.name in ("duckdb", "postgres")
        self._end = None if end is None else weakref.finalize(self, end)

    def close(self) -> None:
        """Close the connection if it was opened here."""
        if self._end is not None:
            self._end()

    def cancel(self) -> None:
        """Cancel the query that another thread waits for."""
        if self.backend.name == "duckdb":
            self.backend.con.interrupt()
        else:
            self.backend.con.cancel_safe()

    @contextmanager
    def failing(self, step: str) -> Generator[None]:
        """Turn the engine's failures inside into errors that name the table."""
        try:
            yield
        except CondpedError:
            raise
        except Exception as error:
            raise failure(self.engine, self.label, step, error, self.secrets) from error

    def snapshot(self) -> AbstractContextManager[Any]:
        """Return a context in which all queries see the same rows, where the engine supports it."""
        postgresql = self.backend.name == "postgres"
        return _transaction(self.backend.con) if postgresql else nullcontext()

    def rows(self, query: Any, step: str) -> list[tuple[Any, ...]]:
        """Run a query with few rows and return them; ``step`` describes it in errors."""
        with self.failing(step):
            batches = list(self.batches(query))
        return [tuple(row.values()) for batch in batches for row in batch.to_pylist()]

    def batches(self, expression: Any) -> Generator[Any]:
        """Iterate over the rows of an expression, in the fastest way for each engine.

        No more than a record batch or two is held.
        """
        backend = self.backend
        if backend.name == "duckdb":
            # Not by execute, which would hold all rows; nor by a cursor, which sees no temporary
            # tables.
            yield from self._in_bounds(backend.con.sql(backend.compile(expression)))
        elif backend.name == "postgres":
            row = expression.schema().as_struct().to_pyarrow()
            yield from _postgresql_batches(backend.con, backend.compile(expression), row)
        else:
            with closing(expression.to_pyarrow_batches(chunk_size=BATCH)) as reader:
                yield from reader

    def _in_bounds(self, relation: Any) -> Generator[Any]:
        """Iterate over the rows of a relation of DuckDB; raises if a file gives far too many."""
        if self.size is None:
            yield from duckdb_batches(relation, BATCH)
            return
        with self._in_time(_SECONDS + _SECONDS_PER_BYTE * self.size):
            yield from large_batches(self._checked(duckdb_batches(relation, _ROWS)))

    def _checked(self, batches: Iterable[Any]) -> Generator[Any]:
        assert self.size is not None
        cells = 0
        for batch in batches:
            cells += max(len(batch) * batch.num_columns, batch.nbytes // 8)
            check_cells(cells, self.size, f"What is read from {self.label}")
            yield batch

    @contextmanager
    def _in_time(self, seconds: float) -> Generator[None]:
        """Stop a query that takes far longer than reading all of a file."""
        late = threading.Event()

        def stop() -> None:
            late.set()
            self.cancel()

        timer = threading.Timer(seconds, stop)
        timer.daemon = True
        timer.start()
        try:
            yield
        except Exception as error:
            if not late.is_set():
                raise
            raise DataError(
                f"Reading {self.label} takes far longer than reading all of the file: it may be a "
                "view that never ends. Make a table of the view's rows (CREATE TABLE … AS)."
            ) from error
        finally:
            timer.cancel()


def _title(engine: str) -> str:
    return f"{_ENGINES.get(engine, engine)} through Ibis"


@contextmanager
def _transaction(connection: Any) -> Generator[None]:
    idle = connection.info.transaction_status == 0
    with connection.transaction():
        if idle:  # a transaction of the caller's has its snapshot already
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield


def _postgresql_batches(connection: Any, query: str, row: Any) -> Generator[Any]:
    """Fetch rows in binary form through a cursor on the server, which needs no rights to write."""
    name = f"condped_{next(_cursors)}"
    with _transaction(connection), connection.cursor(name=name, binary=True) as cursor:
        cursor.execute(query)
        fetched = iter(lambda: cursor.fetchmany(_TUPLES), [])
        yield from large_batches(
            pa.RecordBatch.from_struct_array(pa.array(rows, type=row)) for rows in fetched
        )


def named_table(source: str, backend: str | None) -> tuple[Session, ir.Table]:
    """Find a table by its name in a backend, or the only one of a DuckDB file."""
    if not source.strip():
        raise SourceError(
            "The source is an empty string. Give the path or pattern of files, or the name of a "
            "table in a backend."
        )
    session = _duckdb(source) if backend is None else _connected_by(backend)
    try:
        table = _find_table(session, None if backend is None else source)
    except BaseException:
        session.close()
        raise
    session.label = f"the table {table.get_name()!r} in {session.label}"
    return session, table


def _connected_by(backend: str) -> Session:
    scheme, sign, place = backend.partition("://")
    if sign and scheme.lower() == "duckdb" and place:
        return _duckdb(place)
    if sign and scheme.lower() in ("postgres", "postgresql"):
        parts = split_url(backend)
        address = parts._replace(scheme="postgres").geturl()
        secrets = [parts.password] if parts.password else []
        label = without_password(backend)
        return _connected("postgres", label, lambda: ibis.connect(address), secrets)
    raise SettingsError(
        "backend must be a URL such as duckdb://file.duckdb, postgres://user@host/database or "
        f"spark://local[2] (got {without_password(backend)!r}). For other backends connect with "
        "Ibis, and give its table."
    )


def _duckdb(path: str) -> Session:
    path = expanded(path)
    if not Path(path).is_file():
        raise DataError(f"There is no DuckDB database {path!r}. Give the path of one.")
    size = Path(path).stat().st_size
    return _connected("duckdb", repr(path), lambda: _connect_confined(path, size), size=size)


def _connect_confined(path: str, size: int) -> Any:
    """Connect to a file that is not trusted: its views reach nothing outside of it.

    It is attached to an engine of its own, since settings would hold for all connections of this
    process to the file. It keeps its name, which views may use.
    """
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    backend = ibis.duckdb.connect(
        temp_directory=str(Path(tempfile.gettempdir(), f"condped-{token_hex(8)}")),
        memory_limit=f"{min(int(_SHARE_OF_MEMORY * memory), _WORK + _WORK_PER_BYTE * size)}B",
        max_temp_directory_size=f"{_WORK + _WORK_PER_BYTE * size}B",
        **_NO_EXTENSIONS,
    )
    try:
        own = _attached(backend)
        quoted = path.replace("'", "''")
        # The engine's own database has this name.
        other = " AS memory_db" if Path(path).name.lower().startswith("memory.") else ""
        backend.raw_sql(f"ATTACH '{quoted}'{other} (READ_ONLY, TYPE duckdb)")
        (name,) = _attached(backend) - own
        quoted = name.replace('"', '""')
        backend.raw_sql(f'USE "{quoted}"')
        backend.raw_sql("SET enable_external_access = false")
        backend.raw_sql("SET lock_configuration = true")
    except BaseException:
        backend.disconnect()
        raise
    return backend


def _attached(backend: Any) -> set[str]:
    rows = backend.raw_sql("SELECT database_name FROM duckdb_databases()").fetchall()
    return {name for (name,) in rows}


def _connected(
    engine: str,
    label: str,
    connect: Callable[[], Any],
    secrets: Sequence[str] = (),
    size: int | None = None,
) -> Session:
    """Connect; the connection is closed with its session."""
    try:
        backend = connect()
    except ImportError as error:
        library, extra = _DRIVERS[engine]
        feature = f"Reading tables of {_ENGINES[engine]}"
        raise MissingLibraryError(feature=feature, library=library, extra=extra) from error
    except Exception as error:
        raise failure(_title(engine), label, "connecting", error, secrets) from error
    return Session(backend, label, secrets=secrets, end=backend.disconnect, size=size)


def _find_table(session: Session, name: str | None) -> ir.Table:
    """Return a table by its name; without one there must be a single table."""
    with session.failing("looking for the table"):
        known = _tables(session.backend)
    if name is None:
        if len(known) != 1:
            names = ", ".join(map(repr, known[:12])) or "none"
            raise DataError(
                f"{session.label} holds {len(known)} tables: name one as the source, and the "
                f"database as the backend (found: {names})."
            )
        name = known[0]
    schema = None
    if name not in known:
        schema, dot, rest = name.partition(".")
        with session.failing("looking for the table"):
            inside = _tables(session.backend, schema) if dot else []
        if rest not in inside:
            raise not_found("table", name, known)
        name = rest
    with session.failing("opening the table"):
        table: ir.Table = session.backend.table(name, database=schema)
    return table


def _tables(backend: Any, schema: str | None = None) -> list[str]:
    """Return the names of the tables and views in a schema, or in the default one."""
    if backend.name != "duckdb":
        databases = [schema] if schema is None else backend.list_databases()
        return sorted(backend.list_tables(database=schema)) if schema in databases else []
    # Ibis 12 lists tables with a function that DuckDB 2 no longer has.
    rows = backend.raw_sql(
        "SELECT table_schema, table_name FROM information_schema.tables "
        "WHERE table_catalog = current_database()"
    ).fetchall()
    return sorted(name for there, name in rows if there == (schema or backend.current_database))
