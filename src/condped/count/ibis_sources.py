"""Where tables are: files through DuckDB, and databases by their URL."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import ibis

from condped.count.ibis_files import Opened, files, is_path
from condped.count.ibis_session import Failing, Session
from condped.count.ibis_spark import spark_session
from condped.errors import DataError, MissingLibraryError, SettingsError, SourceError, not_found
from condped.read.asked import DATABASES
from condped.read.databases.urls import split_url, without_password


def opened(source: str, backend: str | None) -> Opened:
    """Find a table by its path or by its name in a backend."""
    if not source.strip():
        raise SourceError(
            "The source is an empty text. Give the path or pattern of files, or the name of a "
            "table in a backend."
        )
    source = _at_home(source)
    if backend is None:
        if Path(source).suffix.lower() in DATABASES:
            return _in_database(_duckdb(source), None)
        return files(_duckdb(None), source)
    scheme, sign, place = backend.partition("://")
    scheme = scheme.lower() if sign else ""
    if scheme == "duckdb":
        session = _duckdb(_at_home(place) if place else None)
        return files(session, source) if is_path(source) else _in_database(session, source)
    if scheme in ("postgres", "postgresql"):
        return _in_database(_postgres(backend), source)
    if scheme == "spark":
        session = spark_session(backend)
        return files(session, source) if is_path(source) else _in_database(session, source)
    raise SettingsError(
        f"backend must be a URL such as duckdb://file.duckdb, postgres://user@host/database or "
        f"spark://local[2] (got {without_password(backend)!r}). For other backends connect with "
        "Ibis, and give its table."
    )


def _at_home(path: str) -> str:
    """Return a path with the home directory that it begins with, if it does and there is one."""
    with suppress(RuntimeError):
        return str(Path(path).expanduser()) if path.startswith("~") else path
    return path


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
