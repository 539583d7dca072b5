"""Tables of databases by their name: DuckDB files, and PostgreSQL by its URL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import ibis
import ibis.expr.types as ir

from condped.errors import DataError, MissingLibraryError, SettingsError, SourceError, not_found
from condped.read.databases.ibis.session import Session
from condped.read.databases.urls import split_url, without_password


def named_table(source: str, backend: str | None) -> tuple[Session, ir.Table]:
    """Find a table by its name in a backend, or the only one of a DuckDB file."""
    if not source.strip():
        raise SourceError(
            "The source is an empty text. Give the path or pattern of files, or the name of a "
            "table in a backend."
        )
    if backend is None:
        session, name = _duckdb(source), None
    else:
        session, name = _connected_by(backend), source
    try:
        return _found(session, name)
    except BaseException:
        session.close()
        raise


def _connected_by(backend: str) -> Session:
    scheme, sign, place = backend.partition("://")
    if sign and scheme.lower() == "duckdb" and place:
        return _duckdb(place)
    if sign and scheme.lower() in ("postgres", "postgresql"):
        return _postgresql(backend)
    raise SettingsError(
        "backend must be a URL such as duckdb://file.duckdb, postgres://user@host/database or "
        f"spark://local[2] (got {without_password(backend)!r}). For other backends connect with "
        "Ibis, and give its table."
    )


def _duckdb(path: str) -> Session:
    with suppress(RuntimeError):  # there is no home directory
        path = str(Path(path).expanduser())
    if not Path(path).is_file():
        raise DataError(f"There is no DuckDB database {path!r}. Give the path of one.")
    return _connected(repr(path), "duckdb", lambda: ibis.duckdb.connect(path, read_only=True))


def _postgresql(url: str) -> Session:
    parts = split_url(url)
    address = parts._replace(scheme="postgres").geturl()
    return _connected(
        without_password(url),
        "postgres",
        lambda: ibis.connect(address),
        secrets=[parts.password] if parts.password else [],
    )


def _connected(
    shown: str, engine: str, connect: Callable[[], Any], secrets: Sequence[str] = ()
) -> Session:
    """Connect; the connection is closed with its session."""
    nobody = Session(_Nobody(engine), shown, secrets=secrets)
    try:
        with nobody.failing("connecting"):
            backend = connect()
    except DataError as error:
        if isinstance(error.__cause__, ImportError):
            feature, library, extra = {
                "duckdb": ("Reading tables of DuckDB", "duckdb", "ibis"),
                "postgres": ("Reading tables of PostgreSQL", "psycopg", "postgresql"),
            }[engine]
            raise MissingLibraryError(feature=feature, library=library, extra=extra) from error
        raise
    return Session(backend, shown, secrets=secrets, end=backend.disconnect)


class _Nobody:
    """Stands for a backend that there is no connection to yet."""

    def __init__(self, name: str) -> None:
        self.name = name


def _found(session: Session, name: str | None) -> tuple[Session, ir.Table]:
    """Return a table by its name; without one there must be a single table."""
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
    schema = None
    if name not in known:
        schema, dot, rest = name.partition(".")
        with session.failing("looking for the table"):
            inside = _tables(session.backend, schema) if dot else []
        if rest not in inside:
            raise not_found("table", name, known)
        name = rest
    with session.failing("opening the table"):
        table = session.backend.table(name, database=schema)
    session.shown = f"the table {name!r} in {session.shown}"
    return session, table


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
