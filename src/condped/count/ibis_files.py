"""Parquet files as a table of an engine: which files are meant, and what their directories say."""

from __future__ import annotations

import glob
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import ibis.expr.types as ir

from condped.count.ibis_session import Session
from condped.errors import DataError, SourceError
from condped.read.files.folder import ending_of, find_files
from condped.read.files.parts import all_columns, partition_of
from condped.read.files.pyarrow_files import column_names, kind_spelled
from condped.read.registry import no_file

_PARQUET = (".parquet", ".parq", ".pq")
_TEXTS = (".csv", ".tsv", ".txt")
_SIGNS = "*?[]{}\\"  # have a meaning of their own in a path that Spark is given


@dataclass(frozen=True, slots=True)
class Opened:
    """A table that was found.

    Attributes
    ----------
    files
        The path or pattern of the files that make it; None: it is no files.
    notes
        What the user should know of them.
    """

    session: Session
    table: ir.Table
    files: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Found:
    """The files that are meant, and what directories named ``k=a`` say of them."""

    paths: tuple[str, ...]
    said: tuple[dict[str, str | None], ...]
    notes: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that directories tell."""
        return tuple(dict.fromkeys(name for one in self.said for name in one))


def is_path(source: str) -> bool:
    """Return whether a source is files rather than the name of a table."""
    return ending_of(source) in (*_PARQUET, *_TEXTS) or Path(source).is_dir()


def files(session: Session, source: str) -> Opened:
    """Return files as one table; columns that only some of them have are empty in the others."""
    session = replace(session, shown=repr(source))
    try:
        if "://" in source:
            _check_endings(source, [source])
            return _remote(session, source)
        found = _found(source)
        _check_endings(source, found.paths)
        make = _in_duckdb if session.backend.name == "duckdb" else _in_spark
        with session.failing("opening the files"):
            made = make(session, found)
        with made.session.failing("reading the names of columns"):
            notes = _notes(found)
        return replace(made, files=source, notes=notes)
    except BaseException:
        session.close()
        raise


def _found(source: str) -> _Found:
    if Path(source).is_file():
        return _Found((source,), ({},), ())
    if not Path(source).is_dir() and not glob.glob(source, recursive=True):  # noqa: PTH207
        raise no_file(source)
    found = find_files(source)
    said = tuple(partition_of(path, found.root) for path in found.paths)
    return _Found(found.paths, said, found.notes)


def _notes(found: _Found) -> tuple[str, ...]:
    notes = list(found.notes)
    if len(found.paths) > 1:
        notes.append(f"{len(found.paths)} files were read together.")
        all_columns([column_names(path) for path in found.paths], notes)
    return tuple(notes)


def _check_endings(source: str, paths: Any) -> None:
    """Refuse what is no Parquet file."""
    for path in paths:
        if ending_of(path) in _TEXTS:
            raise SourceError(
                f"The engine 'ibis' does not read CSV or other text files (got {source!r}): their "
                "cells are texts until the space says what they are. Use engine='stream', or give "
                "an Ibis table with the types that you mean."
            )
        if Path(path).suffix.lower() not in _PARQUET:
            raise SourceError(
                f"The engine 'ibis' does not read {path!r}. Allowed: Parquet files and DuckDB "
                "databases; engine='memory' reads more."
            )


def _remote(session: Session, source: str) -> Opened:
    with session.failing("opening the files"):
        if session.backend.name == "duckdb":
            return Opened(session, session.backend.read_parquet(source, union_by_name=True))
        table = session.backend.read_parquet(source, mergeSchema=True)
    return Opened(_forgetting(session, table.get_name()), table)


def _in_duckdb(session: Session, found: _Found) -> Opened:
    backend, paths = session.backend, found.paths

    def blame(said: str) -> str | None:
        if len(paths) == 1 or any(path in said for path in paths):
            return None
        return next((path for path in paths if _is_damaged(backend, path)), None)

    named = [glob.escape(path) for path in paths]
    plain = {"union_by_name": True, "hive_partitioning": False}
    table = backend.read_parquet(named, **plain)
    session = replace(session, blame=blame)
    if not found.names:
        return Opened(session, table)
    own = set(table.columns)
    _refuse_twice(found, own)
    # As texts first: what they spell is settled as in memory, not by the look of some of them.
    plain |= {"hive_partitioning": True, "hive_types_autocast": False}
    table = backend.read_parquet(named, **plain)
    table = table.select(*(name for name in table.columns if name in own or name in found.names))
    return Opened(
        session, table.mutate(**{name: _spelled(table, found, name) for name in found.names})
    )


def _refuse_twice(found: _Found, own: set[str]) -> None:
    lower = {name.lower(): name for name in own}
    for name in found.names:
        if name.lower() in lower:
            raise DataError(
                f"Column {lower[name.lower()]!r} is in the files, and the directories say it, too "
                f"({name}=…). Use engine='stream'.",
                column=name,
            )


def _spelled(table: ir.Table, found: _Found, name: str) -> ir.Value:
    """Return what directories say of a column as numbers, if all of it spells some."""
    kind = kind_spelled([one.get(name) for one in found.said])
    return table[name] if kind == "string" else table[name].cast(kind)


def _in_spark(session: Session, found: _Found) -> Opened:
    if found.names:
        raise SourceError(
            f"Spark does not read files whose directories say a column ({found.names[0]}=…) as the "
            "other engines do. Use engine='stream', or give an Ibis table."
        )
    for path in found.paths:
        # Spark passes over some files, and takes some names for patterns.
        if Path(path).name.startswith((".", "_")) or any(sign in path for sign in _SIGNS):
            raise SourceError(
                f"Spark does not read {path!r}: its name begins with a dot or an underscore, or "
                f"holds one of {' '.join(_SIGNS)}. Rename it, or use engine='stream'."
            )
    backend = session.backend
    places = [f"file://{Path(path).absolute()}" for path in found.paths]
    frame = backend.raw_sql("SELECT 1").sparkSession.read.parquet(*places, mergeSchema=True)
    name = f"condped_files_{id(frame)}"
    frame.createOrReplaceTempView(name)
    return Opened(_forgetting(session, name), backend.table(name))


def _forgetting(session: Session, name: str) -> Session:
    """Have the name that files got in a session of the caller's forgotten at the end."""

    def end() -> None:
        with suppress(Exception):  # the session may have ended before
            session.backend.drop_view(name, force=True)
        session.close()

    return replace(session, end=end)


def _is_damaged(backend: Any, path: str) -> bool:
    """Return whether not all cells of a file can be read."""
    try:
        table = backend.read_parquet(glob.escape(path))
        # As texts, so that every cell is looked at: bounds and counts a file may have written down.
        sums = {
            f"c{k}": table[c].cast("string").length().sum() for k, c in enumerate(table.columns)
        }
        backend.raw_sql(backend.compile(table.agg(**sums))).fetchall()
    except Exception:
        return True
    return False
