"""Opening a source for counting: in memory, in chunks, or where it lies."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Unpack, cast, get_args

from condped.count.countable import Countable
from condped.count.engine_trials import EngineTrials, Lease
from condped.count.in_memory import InMemory
from condped.count.passes import Passes
from condped.errors import SettingsError, not_found
from condped.optional import load_optional
from condped.read import Reading, read
from condped.read.asked import DATABASES, Asked
from condped.read.databases.long_table import LongTable
from condped.read.files.folder import find_files
from condped.read.files.sidecar import with_sidecar
from condped.read.options import ReadOptions, checked_direction
from condped.read.read import check_parameters, numbers_of
from condped.read.registry import reader_for
from condped.read.spaces import load_space
from condped.read.table.outside import check_way
from condped.trials.table import TrialTable
from condped.trials.where import parsed

Engine = Literal["auto", "memory", "stream", "ibis"]
# Files that take more of the memory than this are streamed: in memory they would take several
# times what they take on disk.
SHARE_OF_MEMORY = 1 / 8
# Modules of the readers of files that can be streamed.
_STREAMED = tuple(f"condped.read.files.{name}" for name in ("pyarrow_files", "csv", "folder"))


class Opening(Reading, total=False):
    """The options of :func:`condped.read`, and where the trials are counted."""

    engine: Engine
    backend: str | None


def check_opening(function: str, given: Mapping[str, Any]) -> None:
    """Refuse options that neither the function nor :func:`open_trials` knows."""
    for name in given:
        if name not in Opening.__annotations__:
            hint = not_found("option", name, Opening.__annotations__)
            raise TypeError(f"{function}() does not take {name!r}. {hint}")


def open_trials(source: Any, **opening: Unpack[Opening]) -> Countable:
    """Return a source's trials as something that can be counted.

    Parameters
    ----------
    source
        Anything that :func:`condped.read` takes, an Ibis table, a :class:`condped.LongTable`, the
        name of a table in ``backend``, or trials that have been opened before.
    engine
        ``memory``: read all of it. ``stream``: read files in chunks, in as much memory as one
        takes. ``ibis``: let a database or cluster count. ``auto``: ibis for Ibis tables, DuckDB
        files and where a backend is given; stream for files that are larger than an eighth of the
        machine's memory; memory otherwise.
    backend
        Where the table is: ``duckdb://runs.duckdb``, ``postgres://…``, ``spark://…``.
    """
    engine, backend = opening.pop("engine", "auto"), opening.pop("backend", None)
    if engine not in get_args(Engine):
        raise SettingsError(
            f"engine must be one of {', '.join(get_args(Engine))} (got {engine!r})."
        )
    if isinstance(source, InMemory | EngineTrials):
        given = [name for name, value in opening.items() if value is not None]
        if given or backend is not None or engine != "auto":
            raise SettingsError(
                f"The trials are opened already: {', '.join([*given, 'engine, backend'])} cannot "
                "be set any more. Set them when opening."
            )
        return source
    source = str(source) if isinstance(source, Path) else source
    chosen = _chosen(source, engine, backend, opening)
    if chosen == "memory":
        return InMemory(read(_readable(source), **_reading(opening)))
    passes = _passes(chosen, source, _asked(chosen, opening), backend)
    return EngineTrials(passes, lease=Lease(passes))


def opened_in_memory(function: str, source: Any, **opening: Unpack[Opening]) -> TrialTable:
    """Return a source's trials for a function that needs them in memory."""
    engine = opening.pop("engine", "auto")
    if engine not in ("auto", "memory") or opening.pop("backend", None) is not None:
        raise SettingsError(
            f"{function} needs the trials themselves, in memory (got engine {engine!r}). Read a "
            "part of them that fits, and leave engine and backend out."
        )
    if isinstance(source, EngineTrials):
        raise SettingsError(
            f"{function} needs the trials themselves, in memory; these are counted by the engine "
            f"{source.passes.outline.engine!r}. Read a part of them that fits."
        )
    table = source.table if isinstance(source, InMemory) else source
    return read(table, **_reading(opening))


def _reading(opening: Opening) -> Reading:
    return cast(Reading, {k: v for k, v in opening.items() if k in Reading.__annotations__})


def _chosen(
    source: Any, engine: Engine, backend: str | None, opening: Mapping[str, Any]
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
        if not _only_in_memory(source, opening) and _too_large(source):
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


def _only_in_memory(source: str, opening: Mapping[str, Any]) -> bool:
    """Return whether something is asked for that only works in memory."""
    if opening.get("space") is None and with_sidecar(source, ReadOptions()).space is None:
        return True  # domains are guessed from values
    if any(opening.get(name) is not None for name in ("loss", "study", "budget", "reader")):
        return True
    objective = opening.get("objective")
    return not isinstance(objective, str | list | tuple) or (
        not isinstance(objective, str) and len(objective) != 1
    )  # fmt: skip


def _asked(engine: str, opening: Opening) -> Asked:
    """Return what an engine is told, or refuse what engines cannot do."""
    for name in ("loss", "study", "budget", "reader"):
        if opening.get(name) is not None:
            raise SettingsError(
                f"{name} cannot be set for the engine {engine!r}, which counts tables. Leave it "
                "out, or use the engine 'memory'."
            )
    space, where = opening.get("space"), opening.get("where")
    parameters, failures = opening.get("parameters"), opening.get("failure_values")
    check_parameters(parameters)
    outside = opening.get("outside", "error")
    check_way(outside)
    return Asked(
        objective=_one("objective", engine, opening.get("objective")),
        direction=checked_direction(
            _one("direction", engine, opening.get("direction")) or "minimize"
        ),
        space=None if space is None else load_space(space),
        state=opening.get("state"),
        constraints=_names("constraints", opening.get("constraints")),
        parameters=None if parameters is None else tuple(parameters),
        failure_values=() if failures is None else tuple(numbers_of("failure_values", failures)),
        outside=outside,
        skip_corrupt=opening.get("skip_corrupt", False),
        where=None if where is None else parsed(where),
        order=opening.get("order"),
    )


def _names(option: str, given: Any) -> tuple[str, ...]:
    """Return the name or names that an option was given."""
    names = (given,) if isinstance(given, str) else () if given is None else given
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise SettingsError(f"{option} must be a list of names (got {given!r}).")
    return tuple(names)


def _one(option: str, engine: str, given: Any) -> str | None:
    """Return the only one of several objectives or directions."""
    entries = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    if len(entries) != 1 or not (entries[0] is None or isinstance(entries[0], str)):
        raise SettingsError(
            f"{option} must be one name for the engine {engine!r}: the order of trials by several "
            f"objectives takes all of them at once (got {given!r}). Name one, or use the engine "
            "'memory'."
        )
    return entries[0]


def _passes(engine: str, source: Any, asked: Asked, backend: str | None) -> Passes:
    if engine == "stream":
        module = load_optional(
            "condped.read.stream.pyarrow_stream",
            feature="Streaming files",
            library="pyarrow",
            extra="parquet",
        )
    else:
        module = load_optional(
            "condped.count.ibis_engine",
            feature="Counting in a database",
            library="ibis",
            extra="ibis",
        )
    return cast(Passes, module.open_passes(source, asked, backend))
