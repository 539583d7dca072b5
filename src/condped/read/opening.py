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
from condped.read.files.space_sidecar import with_sidecar
from condped.read.options import Reading, ReadOptions
from condped.read.read_table import read_table
from condped.read.registry import reader_for
from condped.trials.batch import Source, TableSource

Engine = Literal["auto", "memory", "stream", "ibis"]
# Files that take more of the memory than this are streamed: in memory they would take several
# times what they take on disk.
SHARE_OF_MEMORY = 1 / 8
# How the names of files end that hold a database with tables.
DATABASES = (".duckdb", ".ddb")
# Modules of the readers of files that can be streamed.
_STREAMED = tuple(f"condped.read.files.{name}" for name in ("pyarrow_files", "csv", "folder"))


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
        Anything that :func:`condped.read` takes, an Ibis table, a :class:`condped.LongTable` or the
        name of a table in ``backend``.
    engine
        ``memory``: read all of it. ``stream``: read files in batches, in as much memory as one
        takes. ``ibis``: let a database give batches. ``auto``: ibis for Ibis tables, DuckDB files
        and where a backend is given; stream for files that are larger than an eighth of the
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
    chosen = _chosen(source, engine, backend, options)
    if chosen == "memory":
        return TableSource.of(read_table(_readable(source), options))
    for name in ("loss", "study", "budget", "reader"):
        if getattr(options, name) is not None:
            raise SettingsError(
                f"{name} cannot be set for the engine {chosen!r}, which counts tables. Leave it "
                "out, or use the engine 'memory'."
            )
    module = load_optional(
        "condped.read.stream.pyarrow_stream",
        feature="Streaming files",
        library="pyarrow",
        extra="parquet",
    )
    return cast(Source, module.open_stream(source, options))


def _chosen(
    source: Any, engine: Engine, backend: str | None, options: ReadOptions
) -> Literal["memory", "stream", "ibis"]:
    """Return the engine to use."""
    if backend is not None and engine not in ("auto", "ibis"):
        raise SettingsError(
            f"A backend is where the engine 'ibis' counts (got engine {engine!r}). Leave backend "
            "or engine out."
        )
    if engine != "auto":
        return engine
    if backend is not None or isinstance(source, LongTable) or _is_ibis(source):
        return "ibis"
    if isinstance(source, str):
        if Path(source).suffix.lower() in DATABASES:
            return "ibis"
        if not _only_in_memory(source, options) and _too_large(source):
            return "stream"
    return "memory"


def _is_ibis(source: Any) -> bool:
    return type(source).__module__.split(".")[0] == "ibis"


def _readable(source: Any) -> Any:
    """Return what the readers take: an Ibis table that is wanted in memory as an Arrow table."""
    return source.to_pyarrow() if _is_ibis(source) else source


def _too_large(source: str) -> bool:
    """Return whether files take more than their share of the memory."""
    if reader_for(source).module not in _STREAMED:
        return False
    paths = (source,) if Path(source).is_file() else find_files(source).paths
    return sum(Path(path).stat().st_size for path in paths) > SHARE_OF_MEMORY * _memory()


def _memory() -> int:
    """Return the machine's memory in bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _only_in_memory(source: str, options: ReadOptions) -> bool:
    """Return whether something is asked for that only works in memory."""
    if with_sidecar(source, options).space is None:
        return True  # domains are guessed from values
    if any(getattr(options, name) is not None for name in ("loss", "study", "budget", "reader")):
        return True
    return not isinstance(options.objective, str)
