"""Opening a source: in memory as one batch, or batch by batch from where it lies."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, Unpack, cast

from condped.errors import SettingsError
from condped.optional import load_optional
from condped.options import check_names
from condped.read.databases.long_table import LongTable
from condped.read.files.folder import find_files
from condped.read.files.space_sidecar import with_sidecar
from condped.read.frames.is_lazy import is_lazy
from condped.read.options import Reading, ReadOptions
from condped.read.read_table import read_table
from condped.read.registry import reader_for
from condped.trials.batch import Source, TableSource
from condped.trials.table import TrialTable

# Files that take more of the memory than this are streamed: in memory they would take several
# times what they take on disk.
SHARE_OF_MEMORY = 1 / 8
# How the names of files end that hold a database with tables.
DATABASES = (".duckdb", ".ddb")
# Modules of the readers of files that can be streamed.
_STREAMED = tuple(f"condped.read.files.{name}" for name in ("pyarrow_files", "csv", "folder"))

_Kind = Literal["files", "table", "long", "lazy", "spark", "ray", "other"]


class _Opener(NamedTuple):
    """How sources of a kind are opened for their batches."""

    module: str
    function: str
    feature: str
    library: str
    extra: str


_IBIS = ("ibis and pyarrow and duckdb", "ibis")
_OPENERS: Mapping[_Kind, _Opener] = {
    "files": _Opener("stream.open_files", "open_stream", "Streaming files", "pyarrow", "parquet"),
    "table": _Opener("databases.ibis.tables", "open_table", "Reading tables of databases", *_IBIS),
    "long": _Opener("databases.ibis.long_tables", "open_long", "Reading long tables", *_IBIS),
    "lazy": _Opener(
        "databases.lazy_frames", "open_frame", "Reading lazy frames", "pyarrow", "parquet"
    ),
    "spark": _Opener(
        "databases.clusters.spark",
        "open_spark",
        "Counting in Spark",
        "pyspark and pyarrow and py4j",
        "spark",
    ),
    "ray": _Opener(
        "databases.clusters.ray_data", "open_ray", "Counting in Ray Data", "ray and pyarrow", "ray"
    ),
}


def read_whole(source: Any, given: Mapping[str, Any]) -> TrialTable:
    """Read all trials of a source into memory, by the options of :func:`condped.read`."""
    check_names("read", given, Reading.__annotations__)
    options = ReadOptions.of(given)
    if options.engine == "stream":
        raise SettingsError(
            "condped.read reads all trials into memory (got engine='stream'). Leave engine out; "
            "importance, sweep, branches and report can count trials in batches."
        )
    return _read_whole(source, options)


def open_source(source: Any, **reading: Unpack[Reading]) -> Source:
    """Return where the batches of a source's trials come from.

    Parameters
    ----------
    source
        Anything that :func:`condped.read` takes, a lazy frame, an Ibis table, a
        :class:`condped.LongTable`, a DataFrame of Spark, a dataset of Ray Data, or the name of a
        table in ``backend``. Rows in Spark and Ray Data are counted by the workers of the cluster.
    **reading
        Options of :func:`condped.read`.
    """
    options = ReadOptions.of(reading)
    if options.engine == "memory":
        return TableSource.of(_read_whole(source, options))
    source, kind = _recognised(source, options)
    if options.engine == "auto" and _fits(kind, source, options):
        return TableSource.of(_read_whole(source, options))
    for name in ("loss", "study", "budget", "reader"):
        if getattr(options, name) is not None:
            raise SettingsError(
                f"{name} cannot be set for rows that are read in batches. Leave it out, or use "
                "engine='memory'."
            )
    kind = "files" if kind == "other" else kind
    open_it = getattr(_load(kind), _OPENERS[kind].function)
    extra = (options.backend,) if kind in ("table", "spark") else ()
    return cast(Source, open_it(source, options, *extra))


def _read_whole(source: Any, options: ReadOptions) -> TrialTable:
    source, kind = _recognised(source, options)
    if kind == "spark" and isinstance(source, str):
        options = with_sidecar(source, options)
    return read_table(_in_memory(kind, source, options.backend), options)


def _recognised(source: Any, options: ReadOptions) -> tuple[Any, _Kind]:
    """Return a source, a path as text, and what it is."""
    source = str(source) if isinstance(source, Path) else source
    if options.backend is not None and not isinstance(source, str):
        raise SettingsError(
            "backend is where a table is that the source names (got an object of type "
            f"{type(source).__name__}, which knows where it is). Leave backend out."
        )
    if options.backend is not None and options.reader is not None:
        raise SettingsError(
            f"reader cannot be set for a table in a backend (got {options.reader!r}): the backend "
            "reads it. Leave one of them out."
        )
    return source, "other" if options.reader is not None else _kind(source, options.backend)


def _kind(source: Any, backend: str | None) -> _Kind:
    """Return what a source is: a table of a database or cluster, a lazy frame, or neither."""
    if isinstance(source, str):
        if (backend or "").lower().startswith("spark://"):
            return "spark"
        named = backend is not None or Path(source).suffix.lower() in DATABASES
        return "table" if named else "other"
    known: tuple[tuple[_Kind, bool], ...] = (
        ("long", isinstance(source, LongTable)),
        ("table", type(source).__module__.split(".")[0] == "ibis"),
        ("spark", _is_a(source, "pyspark.sql.", "DataFrame")),
        ("ray", _is_a(source, "ray.data.", "Dataset")),
        ("other", isinstance(source, TrialTable)),
    )
    for kind, recognised in known:
        if recognised:
            return kind
    lazy = reader_for(source).name == "frame" and is_lazy(source)
    return "lazy" if lazy else "other"


def _is_a(source: Any, module: str, name: str) -> bool:
    """Return whether an object is of a class, without importing it."""
    kinds = type(source).__mro__
    return any(kind.__name__ == name and kind.__module__.startswith(module) for kind in kinds)


def _fits(kind: _Kind, source: Any, options: ReadOptions) -> bool:
    """Return whether a source is to be read into memory if nothing is said about it."""
    if kind == "lazy":
        return _only_in_memory(options)
    if kind != "other":
        return False
    if not isinstance(source, str):
        return True
    return _only_in_memory(with_sidecar(source, options)) or not _too_large(source)


def _load(kind: _Kind) -> Any:
    opener = _OPENERS[kind]
    return load_optional(
        f"condped.read.{opener.module}",
        feature=opener.feature,
        library=opener.library,
        extra=opener.extra,
    )


def _in_memory(kind: _Kind, source: Any, backend: str | None) -> Any:
    """Return what the readers take: tables of databases and clusters as Arrow tables."""
    if kind == "long":
        raise SettingsError(
            "A LongTable is not read into memory. Leave engine out, or give the trials as a table "
            "of one row each."
        )
    if kind == "spark":
        return _load(kind).arrow_table(source, backend)
    if kind == "ray":
        return _load(kind).arrow_table(source)
    return _load(kind).read_whole(source, backend) if kind == "table" else source


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
