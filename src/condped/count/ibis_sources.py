"""Where tables are: files through DuckDB, and databases by their URL."""

from __future__ import annotations

import glob
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import ibis
import ibis.expr.types as ir

from condped.count.ibis_session import Failing, Session
from condped.count.ibis_spark import spark_session
from condped.errors import DataError, MissingLibraryError, SettingsError, not_found
from condped.read.urls import split_url, without_password

_DATABASES = (".duckdb", ".ddb")
_PARQUET = (".parquet", ".parq", ".pq")
_CSV = (".csv", ".tsv", ".csv.gz", ".tsv.gz")


@dataclass(frozen=True, slots=True)
class Opened:
    """A table that was found.

    Attributes
    ----------
    texts
        Whether all columns are texts that spell their values, as in a CSV file.
    """

    session: Session
    table: ir.Table
    texts: bool = False


def opened(source: str, backend: str | None) -> Opened:
    """Find a table by its path or by its name in a backend."""
    if backend is None:
        if Path(source).suffix.lower() in _DATABASES:
            return _in_database(_duckdb(source), None)
        return _files(_duckdb(None), source)
    scheme = backend.partition("://")[0].lower()
    if scheme == "duckdb":
        path = backend.partition("://")[2]
        session = _duckdb(path or None)
        return _files(session, source) if _is_path(source) else _in_database(session, source)
    if scheme in ("postgres", "postgresql"):
        return _in_database(_postgres(backend), source)
    if scheme == "spark":
        session = spark_session(backend)
        return _files(session, source) if _is_path(source) else _in_database(session, source)
    raise SettingsError(
        f"backend must be a URL such as duckdb://file.duckdb, postgres://user@host/database or "
        f"spark://local[2] (got {without_password(backend)!r}). For other backends connect with "
        "Ibis, and give its table."
    )


def _is_path(source: str) -> bool:
    return source.lower().endswith((*_PARQUET, *_CSV)) or Path(source).is_dir()


def _connected(shown: str, feature: str, connect: Callable[[], Any], secrets: Any = ()) -> Session:
    """Connect, and have the connection closed when the passes are."""
    blank = Session(_Nobody(feature), shown, tuple(secrets))
    try:
        with Failing(blank, "connecting"):
            backend = connect()
    except DataError as error:
        if isinstance(error.__cause__, ImportError):
            extra = {"DuckDB": "ibis", "PostgreSQL": "postgresql"}[feature]
            library = {"DuckDB": "duckdb", "PostgreSQL": "psycopg"}[feature]
            raise MissingLibraryError(
                feature=f"Counting in {feature}", library=library, extra=extra
            ) from error
        raise
    return Session(backend, shown, tuple(secrets), backend.disconnect)


@dataclass(frozen=True, slots=True)
class _Nobody:
    """Stands for a backend that there is no connection to yet."""

    name: str


def _duckdb(path: str | None) -> Session:
    if path is None:
        return _connected("the files", "DuckDB", ibis.duckdb.connect)
    if not Path(path).is_file():
        raise DataError(f"There is no DuckDB database {path!r}. Give the path of one.")
    return _connected(repr(path), "DuckDB", lambda: ibis.duckdb.connect(path, read_only=True))


def _postgres(url: str) -> Session:
    parts = split_url(url)
    secrets = [parts.password] if parts.password else []
    shown = without_password(url)

    def connect() -> Any:
        return ibis.connect(parts._replace(scheme="postgres").geturl())

    return _connected(shown, "PostgreSQL", connect, secrets)


def _files(session: Session, pattern: str) -> Opened:
    """Return files as one table; columns that only some of them have are empty in the others."""
    session = replace(session, shown=repr(pattern))
    try:
        path = Path(pattern)
        lower = pattern.lower()
        if path.is_dir():
            pattern, lower = f"{pattern.rstrip('/')}/**/*.parquet", ".parquet"
        paths = sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207
        if "://" not in pattern and not paths:
            raise DataError(f"There is no file {pattern!r}. Give the path or pattern of files.")
        with session.failing("opening the files"):
            if lower.endswith(_CSV):
                table = _csv(session, pattern)
                return Opened(_forgetting(session, table), table, texts=True)
            if lower.endswith(_PARQUET):
                return _parquet(session, pattern, paths)
        raise DataError(
            f"The engine 'ibis' does not read {pattern!r}. Allowed: Parquet and CSV files, and "
            "DuckDB databases; engine='memory' reads more."
        )
    except BaseException:
        session.close()
        raise


def _parquet(session: Session, pattern: str, paths: list[str]) -> Opened:
    backend = session.backend
    if backend.name != "duckdb":
        table = backend.read_parquet(pattern)
        return Opened(_forgetting(session, table), table)

    def blame(said: str) -> str | None:
        if len(paths) == 1 or any(path in said for path in paths):
            return None
        return next((path for path in paths if _is_damaged(backend, path)), None)

    return Opened(replace(session, blame=blame), backend.read_parquet(pattern, union_by_name=True))


def _forgetting(session: Session, table: ir.Table) -> Session:
    """Have the name that Ibis gave to files in a session of the caller's forgotten at the end."""

    def end() -> None:
        if session.backend.name == "pyspark":
            with suppress(Exception):  # the session may have ended before
                session.backend.drop_view(table.get_name(), force=True)
        session.close()

    return replace(session, end=end)


def _is_damaged(backend: Any, path: str) -> bool:
    """Return whether not all cells of a file can be read."""
    try:
        table = backend.read_parquet(path)
        # As texts, so that every cell is looked at: bounds and counts a file may have written down.
        sums = {
            f"c{k}": table[c].cast("string").length().sum() for k, c in enumerate(table.columns)
        }
        backend.raw_sql(backend.compile(table.agg(**sums))).fetchall()
    except Exception:
        return True
    return False


def _csv(session: Session, pattern: str) -> ir.Table:
    if session.backend.name == "duckdb":
        return session.backend.read_csv(
            pattern, all_varchar=True, union_by_name=True, header=True, sample_size=-1
        )
    return session.backend.read_csv(pattern, header=True, inferSchema=False)


def _tables(backend: Any, schema: str | None = None) -> list[str]:
    """Return the names of the tables and views in a schema, or in the usual one."""
    if backend.name != "duckdb":
        databases = [schema] if schema is None else backend.list_databases()
        return sorted(backend.list_tables(database=schema)) if schema in databases else []
    # Ibis 12 lists tables with a function that DuckDB 2 no longer has.
    rows = backend.raw_sql(
        "SELECT table_schema, table_name FROM information_schema.tables "
        "WHERE table_catalog = current_database()"
    ).fetchall()
    return sorted(name for there, name in rows if there == (schema or backend.current_database))


def _in_database(session: Session, name: str | None) -> Opened:
    """Return a table by its name; without one there must be a single table."""
    try:
        with session.failing("looking for the table"):
            known = _tables(session.backend)
        if name is None:
            if len(known) != 1:
                shown = ", ".join(map(repr, known[:12])) or "none"
                raise DataError(
                    f"{session.shown} holds {len(known)} tables: name one as the source, and the "
                    f"database as the backend (there are: {shown})."
                )
            name = known[0]
        database = None
        if name not in known:
            database, dot, rest = name.partition(".")
            with session.failing("looking for the table"):
                inside = _tables(session.backend, database) if dot else []
            if rest not in inside:
                raise not_found("table", name, known)
            name = rest
        with session.failing("opening the table"):
            table = session.backend.table(name, database=database)
        return Opened(replace(session, shown=f"the table {name!r} in {session.shown}"), table)
    except BaseException:
        session.close()
        raise
