"""Opening a source: reading it into memory as one batch, or batch by batch."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, Unpack, cast

from condped.errors import DataError, SettingsError
from condped.optional import load_optional
from condped.options import check_names
from condped.read.databases.long_table import LongTable
from condped.read.files.folder import ending_of, find_files
from condped.read.files.named_path import expanded
from condped.read.files.space_sidecar import with_sidecar
from condped.read.guarded import guarded
from condped.read.options import Reading, ReadOptions, chosen_objective
from condped.read.registry import Reader, reader_for, reader_named
from condped.read.table.outside_domain import apply_outside_policy
from condped.safe_text import brief
from condped.trials.batch import Source, TableSource
from condped.trials.groups import with_groups
from condped.trials.table import TrialTable
from condped.trials.where import only_where
from condped.writing.inputs import remember_inputs

# Files that take more of the memory than this are streamed: in memory they would take several
# times what they take on disk.
SHARE_OF_MEMORY = 1 / 8
_BYTES_PER_VALUE = 8  # of a lazy frame, about
# Endings of files that hold a database with tables.
DATABASES = (".duckdb", ".ddb")
# Modules of the readers of files that can be streamed.
_STREAMED = tuple(f"condped.read.files.{name}" for name in ("pyarrow_files", "csv", "folder"))

# Options that only work in memory.
_WHOLE_ONLY = ("loss", "study", "budget", "reader", "groups")

_Kind = Literal["files", "table", "long", "lazy", "spark", "ray", "other"]


class _Opener(NamedTuple):
    """How sources of a kind are opened for their batches."""

    module: str
    function: str
    feature: str
    library: str
    extra: str
    description: str = ""  # of what no reader stands for


_IBIS = ("ibis and pyarrow and duckdb", "ibis")
_OPENERS: Mapping[_Kind, _Opener] = {
    "files": _Opener("stream.open_files", "open_stream", "Streaming files", "pyarrow", "parquet"),
    "table": _Opener(
        "databases.ibis.tables",
        "open_table",
        "Reading tables of databases",
        *_IBIS,
        "a table in a database: of Ibis, a .duckdb file, or --backend duckdb://…, postgres://…",
    ),
    "long": _Opener(
        "databases.ibis.long_tables",
        "open_long",
        "Reading long tables",
        *_IBIS,
        "a condped.LongTable: a row for each parameter of a trial",
    ),
    "lazy": _Opener(
        "databases.lazy_frames", "open_frame", "Reading lazy frames", "pyarrow", "parquet"
    ),
    "spark": _Opener(
        "databases.clusters.spark",
        "open_spark",
        "Counting in Spark",
        "pyspark and pyarrow and py4j",
        "spark",
        "a DataFrame of Spark, or a table of --backend spark://…; its workers count",
    ),
    "ray": _Opener(
        "databases.clusters.ray_data",
        "open_ray",
        "Counting in Ray Data",
        "ray and pyarrow",
        "ray",
        "a dataset of Ray Data; its workers count",
    ),
}


def databases_and_clusters() -> list[tuple[str, str, str]]:
    """Return the description, the library and the extra of each kind that has no reader."""
    return [
        (kind.description, kind.library, kind.extra)
        for kind in _OPENERS.values()
        if kind.description
    ]


class Recognised(NamedTuple):
    """A source, what it is, and the reader that reads it into memory, if known already."""

    source: Any  # a path as text
    kind: _Kind
    reader: Reader | None = None


def read_whole(source: Any, given: Mapping[str, Any]) -> TrialTable:
    """Read all trials of a source into memory, by the options of :func:`condped.read`."""
    check_names("read", given, Reading.__annotations__)
    options = ReadOptions.of(given)
    if options.engine == "stream":
        raise SettingsError(
            "condped.read reads all trials into memory (got engine='stream'). Leave engine out; "
            "importance, sweep, branches and report can count trials in batches."
        )
    return _table(recognised(source, options), options)


def read_with_reports(source: Any, given: Mapping[str, Any]) -> TrialTable:
    """Read all trials into memory, with their results at every budget."""
    options = replace(ReadOptions.of(given), reports=True)
    options.refuse("a comparison of budgets", "budget")
    return _table(recognised(source, options), options)


def open_source(source: Any, **reading: Unpack[Reading]) -> Source:
    """Open a source of trials, in memory or batch by batch.

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
    found = recognised(source, options)
    if is_read_whole(found, options):
        return TableSource.of(_table(found, options))
    return open_batches(found, options)


def read_all(source: Any, options: ReadOptions) -> list[tuple[str, TrialTable]] | None:
    """Read all studies of a storage, or those whose names match ``patterns``, as of one moment.

    Trials that ``where`` excludes are included: see :func:`selected`. None if the source is not
    a storage: it holds one study, or an unknown number.
    """
    found = recognised(source, options)
    read_them = None if found.reader is None else found.reader.load_all()
    if found.reader is None or read_them is None:
        return None
    return guarded(read_them, found.source, found.reader, needed(options))


def is_read_whole(found: Recognised, options: ReadOptions) -> bool:
    """Return whether a source is read into memory."""
    return options.engine == "memory" or (options.engine == "auto" and _fits_memory(found, options))


def open_batches(found: Recognised, options: ReadOptions) -> Source:
    """Open a source for its batches."""
    for name in _WHOLE_ONLY:
        if getattr(options, name) is not None:
            raise SettingsError(
                f"{name} cannot be set for rows that are read in batches. Leave it out, or use "
                "engine='memory'."
            )
    kind = "files" if found.kind == "other" else found.kind
    open_it = getattr(_load(kind), _OPENERS[kind].function)
    extra = (options.backend,) if kind in ("table", "spark") else ()
    return cast(Source, open_it(found.source, options, *extra))


def recognised(source: Any, options: ReadOptions) -> Recognised:
    """Determine the kind of a source, and its reader."""
    remember_inputs(source, options.backend)
    source = str(source) if isinstance(source, Path) else source
    if options.backend is not None and not isinstance(options.backend, str):
        raise SettingsError(f"backend must be a URL (got {brief(options.backend)}).")
    if options.backend is not None and not isinstance(source, str):
        raise SettingsError(
            "backend is only for sources that are names of tables (got an object of type "
            f"{type(source).__name__}). Leave backend out."
        )
    if options.backend is not None and options.reader is not None:
        raise SettingsError(
            f"reader cannot be set for a table in a backend (got {brief(options.reader)}): the "
            "backend reads it. Leave one of them out."
        )
    if isinstance(source, str) and options.backend is None and "://" not in source:
        source = expanded(source)
    if options.reader is not None:
        return Recognised(source, "other", reader_named(options.reader))
    kind = _kind(source, options.backend)
    if kind != "other" or isinstance(source, TrialTable):
        return Recognised(source, kind)
    if isinstance(source, str) and options.engine == "stream":
        return Recognised(source, kind)  # opening it raises if it cannot be streamed
    reader = reader_for(source)
    lazy = reader.name == "frame" and _is_lazy(source)
    return Recognised(source, "lazy" if lazy else "other", reader)


def _kind(source: Any, backend: str | None) -> _Kind:
    """Return what a source is: a table of a database or cluster, or something else."""
    if isinstance(source, str):
        if (backend or "").lower().startswith("spark://"):
            return "spark"
        named = backend is not None or Path(source).suffix.lower() in DATABASES
        return "table" if named else "other"
    if isinstance(source, LongTable):
        return "long"
    if type(source).__module__.split(".")[0] == "ibis":
        return "table"
    if _is_a(source, "pyspark.sql.", "DataFrame"):
        return "spark"
    return "ray" if _is_a(source, "ray.data.", "Dataset") else "other"


def _is_a(source: Any, module: str, name: str) -> bool:
    """Return whether an object is of a class, without importing it."""
    kinds = type(source).__mro__
    return any(kind.__name__ == name and kind.__module__.startswith(module) for kind in kinds)


def _is_lazy(frame: Any) -> bool:
    """Return whether a frame is lazy: computed when its rows are needed."""
    import narwhals as nw  # noqa: PLC0415  (other sources do without it)

    try:
        return isinstance(nw.from_native(frame, pass_through=True), nw.LazyFrame)
    except nw.exceptions.DuplicateError:
        return False


def _fits_memory(found: Recognised, options: ReadOptions) -> bool:
    """Return whether ``engine="auto"`` reads a source into memory."""
    if found.kind == "lazy":
        return _only_in_memory(options)
    if found.kind != "other":
        return False
    if not isinstance(found.source, str):
        return True
    return _only_in_memory(with_sidecar(found.source, options)) or not _too_large(found)


def _only_in_memory(options: ReadOptions) -> bool:
    """Return whether the options only work in memory."""
    if options.space is None:
        return True  # domains are inferred from values
    if any(getattr(options, name) is not None for name in _WHOLE_ONLY):
        return True
    return not isinstance(options.objective, str)


def _too_large(found: Recognised) -> bool:
    """Return whether files take more than their share of the memory."""
    if found.reader is None or found.reader.module not in _STREAMED:
        return False
    path = found.source
    paths = (path,) if Path(path).is_file() else find_files(path).paths
    return sum(map(_bytes_in_memory, paths)) > SHARE_OF_MEMORY * _memory()


def _bytes_in_memory(path: str) -> int:
    """Return roughly what a file takes; compressed tables record their size."""
    size = Path(path).stat().st_size
    if ending_of(path) not in (".parquet", ".pq", ".arrow", ".feather"):
        return size
    tables = load_optional(
        "condped.read.stream.pyarrow_parquet_files",
        feature=f"Reading {path!r}",
        library="pyarrow",
        extra="parquet",
    )
    return max(size, int(tables.bytes_in_memory(path)))


def _memory() -> int:
    """Return the memory of this machine in bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _load(kind: _Kind) -> Any:
    opener = _OPENERS[kind]
    return load_optional(
        f"condped.read.{opener.module}",
        feature=opener.feature,
        library=opener.library,
        extra=opener.extra,
    )


def _table(found: Recognised, options: ReadOptions) -> TrialTable:
    """Read trials into memory."""
    return selected(unselected(found, options), options)


def unselected(found: Recognised, options: ReadOptions) -> TrialTable:
    """Read trials into memory, with all that :func:`selected` needs to choose some of them."""
    if found.kind == "spark" and isinstance(found.source, str):
        options = with_sidecar(found.source, options)
    options = needed(options)
    if isinstance(found.source, TrialTable):
        options.refuse(
            "a TrialTable", "direction", "space", "state", "constraints", "study", "order"
        )
        return chosen_objective(found.source, options, "a TrialTable")
    return _read(_in_memory(found, options), found.reader, options)


def needed(options: ReadOptions) -> ReadOptions:
    """Return options with the parameters that must be read for those that are requested."""
    if options.parameters is None:
        return options
    groups = options.groups or {}
    names = [name for one in options.parameters for name in groups.get(one, (one,))]
    names += () if options.where is None else options.where.names
    return replace(options, parameters=tuple(dict.fromkeys(names)))


def selected(table: TrialTable, options: ReadOptions) -> TrialTable:
    """Return the requested trials and parameters of a table."""
    if options.failure_values:
        table = table.with_failures(options.failure_values)
    if options.outside != "error":  # otherwise the reader has raised already
        table = apply_outside_policy(table, options.outside)
    if options.where is not None:
        table = only_where(table, options.where)
    if options.ignore:
        table = table.without_parameters(options.ignore)
    requested, groups = options.parameters, options.groups or {}
    if requested is not None:
        groups = {name: members for name, members in groups.items() if name in requested}
    if groups:
        table = with_groups(table, groups)
    if requested is None:
        return table
    return replace(table.with_parameters(requested), some_parameters=True)


def _in_memory(found: Recognised, options: ReadOptions) -> Any:
    """Return what the readers take: tables of databases and clusters as Arrow tables."""
    source, kind, backend = found.source, found.kind, options.backend
    if kind == "lazy" and options.engine != "memory":
        return _collect_frame(source)
    if kind == "long":
        raise SettingsError(
            "A LongTable is not read into memory. Leave engine out, or give a table with one "
            "row per trial."
        )
    if kind == "spark":
        return _load(kind).arrow_table(source, backend)
    if kind == "ray":
        return _load(kind).arrow_table(source)
    return _load(kind).read_whole(source, backend) if kind == "table" else source


def _collect_frame(source: Any) -> Any:
    """Compute a lazy frame once and return its rows; raise if there are too many."""
    import narwhals as nw  # noqa: PLC0415  (other sources do without it)

    frame: nw.LazyFrame[Any] = nw.from_native(source)
    columns = max(1, len(frame.collect_schema().names()))
    most = int(SHARE_OF_MEMORY * _memory() / (_BYTES_PER_VALUE * columns))
    rows = frame.head(most + 1).collect()
    if len(rows) > most:
        raise DataError(
            f"The lazy frame has more than {most:,} rows of {columns} columns, too many to read "
            "into memory by default. Give one objective and a space to count them in batches, "
            "select rows and columns, or set engine='memory' to read them anyway."
        )
    return rows


def _read(source: Any, reader: Reader | None, options: ReadOptions) -> TrialTable:
    """Read a source with its reader, which is looked up if it is not known yet."""
    reader = reader or reader_for(source)
    return guarded(reader.load(), source, reader, options)
