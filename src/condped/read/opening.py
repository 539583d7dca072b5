"""Opening a source: in memory as one batch, or batch by batch from where it lies."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Unpack, cast, get_args

from condped.errors import SettingsError, not_found
from condped.optional import load_optional
from condped.read.databases.long_table import LongTable
from condped.read.files.folder import find_files
from condped.read.files.sidecar import with_sidecar
from condped.read.frames.lazy import is_lazy
from condped.read.options import Reading, ReadOptions
from condped.read.reading import read_table
from condped.read.registry import reader_for
from condped.trials.batch import Source, TableSource
from condped.trials.table import TrialTable

Engine = Literal["auto", "memory", "stream"]
# Files that take more of the memory than this are streamed: in memory they would take several
# times what they take on disk.
SHARE_OF_MEMORY = 1 / 8
# How the names of files end that hold a database with tables.
DATABASES = (".duckdb", ".ddb")
# Modules of the readers of files that can be streamed.
_STREAMED = tuple(f"condped.read.files.{name}" for name in ("pyarrow_files", "csv", "folder"))


_Kind = Literal["table", "long", "lazy", "other"]


class Opening(Reading, total=False):
    """The options of :func:`condped.read`, and where the trials are counted."""

    engine: Engine
    backend: str | None


def check_opening(function: str, given: Mapping[str, Any]) -> None:
    """Raise if an option is neither the function's nor :func:`open_source`'s."""
    for name in given:
        if name not in Opening.__annotations__:
            hint = not_found("option", name, Opening.__annotations__)
            raise TypeError(f"{function}() does not take {name!r}. {hint}")


def open_source(source: Any, **opening: Unpack[Opening]) -> Source:
    """Return where the batches of a source's trials come from.

    Parameters
    ----------
    source
        Anything that :func:`condped.read` takes, a lazy frame, an Ibis table, a
        :class:`condped.LongTable` or the name of a table in ``backend``.
    engine
        ``memory``: read all of it. ``stream``: read files, tables of databases and lazy frames in
        batches, in as much memory as a few of them take. ``auto``: stream for tables of databases,
        for lazy frames whose space is given, and for files that are larger than an eighth of the
        machine's memory; memory otherwise.
    backend
        Where the table is: ``duckdb://runs.duckdb``, ``postgres://…``, ``spark://…``.
    """
    engine, backend = opening.pop("engine", "auto"), opening.pop("backend", None)
    if engine not in get_args(Engine):
        raise SettingsError(
            f"engine must be one of {', '.join(get_args(Engine))} (got {engine!r})."
        )
    source = str(source) if isinstance(source, Path) else source
    options = ReadOptions.of(opening)
    if backend is not None and not isinstance(source, str):
        raise SettingsError(
            "backend is where a table is that the source names (got an object of type "
            f"{type(source).__name__}, which knows where it is). Leave backend out."
        )
    kind: _Kind = "other" if options.reader is not None else _kind(source, backend)
    if engine == "memory" or (engine == "auto" and _fits(kind, source, options)):
        return TableSource.of(read_table(_readable(kind, source, backend), options))
    for name in ("loss", "study", "budget", "reader"):
        if getattr(options, name) is not None:
            raise SettingsError(
                f"{name} cannot be set for rows that are read in batches. Leave it out, or use "
                "engine='memory'."
            )
    if kind == "table":
        opened = _tables().open_table(source, options, backend)
    elif kind == "long":
        opened = _long_tables().open_long(source, options)
    elif kind == "lazy":
        opened = _frames().open_frame(source, options)
    else:
        opened = _files().open_stream(source, options)
    return cast(Source, opened)


def _kind(source: Any, backend: str | None) -> _Kind:
    """Return whether a source is a table of a database, a lazy frame, or something else."""
    if isinstance(source, LongTable):
        return "long"
    if isinstance(source, str):
        named = backend is not None or Path(source).suffix.lower() in DATABASES
        return "table" if named else "other"
    if type(source).__module__.split(".")[0] == "ibis":
        return "table"
    if isinstance(source, TrialTable) or reader_for(source).name != "frame":
        return "other"
    return "lazy" if is_lazy(source) else "other"


def _fits(kind: _Kind, source: Any, options: ReadOptions) -> bool:
    """Return whether a source is to be read into memory if nothing is said about it."""
    if kind in ("table", "long"):
        return False
    if kind == "lazy":
        return _only_in_memory(options)
    if not isinstance(source, str):
        return True
    return _only_in_memory(with_sidecar(source, options)) or not _too_large(source)


def _tables() -> Any:
    return load_optional(
        "condped.read.databases.ibis_tables",
        feature="Reading tables of databases",
        library="ibis and pyarrow and duckdb",
        extra="ibis",
    )


def _long_tables() -> Any:
    return load_optional(
        "condped.read.databases.ibis_long",
        feature="Reading long tables",
        library="ibis and pyarrow and duckdb",
        extra="ibis",
    )


def _frames() -> Any:
    return load_optional(
        "condped.read.databases.pyarrow_frames",
        feature="Reading lazy frames in batches",
        library="pyarrow",
        extra="parquet",
    )


def _files() -> Any:
    return load_optional(
        "condped.read.stream.pyarrow_stream",
        feature="Streaming files",
        library="pyarrow",
        extra="parquet",
    )


def _readable(kind: _Kind, source: Any, backend: str | None) -> Any:
    """Return what the readers take: a table of a database as an Arrow table."""
    if kind == "long":
        raise SettingsError(
            "A LongTable is not read into memory. Leave engine out, or give the trials as a table "
            "of one row each."
        )
    return _tables().read_whole(source, backend) if kind == "table" else source


def _too_large(source: str) -> bool:
    """Return whether files take more than their share of the memory."""
    if reader_for(source).module not in _STREAMED:
        return False
    paths = (source,) if Path(source).is_file() else find_files(source).paths
    return sum(Path(path).stat().st_size for path in paths) > SHARE_OF_MEMORY * _memory()


def _memory() -> int:
    """Return the machine's memory in bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _only_in_memory(options: ReadOptions) -> bool:
    """Return whether something is asked for that only works in memory."""
    if options.space is None:
        return True  # domains are guessed from values
    if any(getattr(options, name) is not None for name in ("loss", "study", "budget", "reader")):
        return True
    return not isinstance(options.objective, str)
