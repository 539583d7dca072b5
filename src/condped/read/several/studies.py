"""Opening several studies, in whatever form they are given."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, TypedDict

from condped.errors import DataError, NoTrialsError, SettingsError
from condped.options import option
from condped.read.each_study import matching
from condped.read.files.named_path import expanded
from condped.read.opening import (
    is_read_whole,
    open_batches,
    open_source,
    read_all,
    recognised,
    selected,
    unselected,
)
from condped.read.options import Reading, ReadOptions
from condped.read.registry import describe_source
from condped.read.several.folders import find_studies, is_place_of_studies
from condped.read.several.names import names_of
from condped.safe_text import brief, shortened
from condped.trials.batch import Source, TableSource
from condped.trials.by_study import GroupedSource, present, split
from condped.trials.table import TrialTable

# Names and functions that open studies; those of one table come one after the other.
_Opened: TypeAlias = Iterator[tuple[str, Callable[[], Source]]]


class SeveralStudies(TypedDict, total=False):
    """The options that :class:`StudiesOptions` declares, for functions that take them."""

    study_column: str | None


@dataclass(frozen=True, slots=True)
class StudiesOptions:
    """Options for several studies."""

    study_column: str | None = option(
        None,
        "The column that names each row's study, if one table holds several.",
        metavar="COLUMN",
    )


@dataclass(frozen=True, slots=True, eq=False)
class Studies:
    """Several studies.

    Attributes
    ----------
    names
        Their names, all different.
    opened
        Their names and functions that open them; call each before requesting the next.
    notes
        Returns notes on all of them together, once they have been opened.
    in_waves
        Whether their trials are forgotten as soon as the next ones are opened.
    """

    names: tuple[str, ...]
    opened: _Opened
    notes: Callable[[], tuple[str, ...]] = tuple
    in_waves: bool = False


def open_studies(given: Any, reading: Reading, study_column: str | None) -> Studies:
    """Open several studies.

    Parameters
    ----------
    given
        A mapping from names to sources, a list of sources, a storage of Optuna's, a store of
        MLflow's, a directory or pattern with a study in each file or run directory; with a
        ``study_column`` one table.
    reading
        How to read each; ``study`` is a pattern of names, or several, where one source holds all
        studies.
    """
    if study_column is not None:
        return _of_table(given, reading, study_column)
    if isinstance(given, Mapping):
        sources = {str(name): source for name, source in given.items()}
        if len(sources) < len(given):
            raise SettingsError("Two studies have the same name as text. Rename one.")
        return _of_sources(sources, reading)
    given = str(given) if isinstance(given, Path) else given
    place = isinstance(given, str) and reading.get("backend") is None
    if place and is_place_of_studies(given):
        found = find_studies(given)
        return _of_list(found.paths, reading, found.notes)
    if isinstance(given, str) or _is_storage(given):
        return _of_storage(given, reading)
    if isinstance(given, Iterable) and not isinstance(given, bytes) and not _is_table(given):
        return _of_list(list(given), reading)
    raise _one_study(describe_source(given))


def _of_sources(
    sources: Mapping[str, Any], reading: Reading, notes: tuple[str, ...] = ()
) -> Studies:
    if not sources:
        raise DataError("There are no studies: at least one is needed.")
    study = reading.get("study")
    if study is not None and not isinstance(study, str):
        raise SettingsError(
            "A list of names as study chooses among the studies of one storage or of a table with "
            f"a study_column (got {brief(study)} for {len(sources)} sources). Leave study "
            "out and pass only the sources that you want; for files, use a pattern such as "
            "'runs/xgb-*.csv'."
        )
    _require_distinct(sources)
    opened = ((name, partial(open_source, source, **reading)) for name, source in sources.items())
    return Studies(tuple(sources), opened, lambda: notes)


def _of_list(sources: Sequence[Any], reading: Reading, notes: tuple[str, ...] = ()) -> Studies:
    _require_distinct(dict(enumerate(sources, start=1)))
    return _of_sources(dict(zip(names_of(sources), sources, strict=True)), reading, notes)


def _is_storage(given: Any) -> bool:
    return any(base.__name__ == "BaseStorage" for base in type(given).__mro__)


def _is_table(given: Iterable[Any]) -> bool:
    """Return whether something that can be iterated over holds the trials of one study."""
    if not isinstance(given, Sequence):
        return hasattr(given, "columns") or hasattr(given, "column_names")
    records = bool(given) and all(isinstance(one, Mapping) for one in given)
    return records and not any(
        hasattr(value, "__len__") and not isinstance(value, str)
        for record in given
        for value in record.values()
    )


def _one_study(what: str) -> SettingsError:
    return SettingsError(
        f"Several studies are expected (got {what}). Pass a mapping from names to sources, a list "
        "of sources, a storage, or a directory or pattern of files; if one table holds all of "
        "them, set study_column to the column that names the study of each row."
    )


def _of_storage(given: Any, reading: Reading) -> Studies:
    options = ReadOptions.of_several(reading)
    found = read_all(given, options)
    if found is None:
        raise _one_study(describe_source(given))
    opened = ((name, partial(_selected, table, options)) for name, table in found)
    return Studies(tuple(name for name, _ in found), opened)


def _selected(table: TrialTable, options: ReadOptions) -> Source:
    if not len(table):  # whatever parameters the options name
        raise NoTrialsError("There are no trials.")
    return TableSource.of(selected(table, options))


def _of_table(given: Any, reading: Reading, study_column: str) -> Studies:
    if not isinstance(study_column, str):
        raise SettingsError(
            f"study_column must be the name of a column (got {brief(study_column)})."
        )
    objective = reading.get("objective")
    if study_column in (objective if isinstance(objective, list | tuple) else (objective,)):
        raise SettingsError(
            f"The column {study_column!r} is the objective, so it cannot name studies as well. "
            "Name another study_column."
        )
    options = ReadOptions.of_several({**reading, "study_column": study_column})
    found = recognised(given, options)
    if is_read_whole(found, options):
        return _in_memory(unselected(found, options), options, describe_source(given))
    source = open_batches(found, options)
    if not source.schema.ordered:
        raise SettingsError(
            "Studies are compared by intervals, for which trials need numbers, and these rows come "
            f"in any order (source: {source.schema.source}). Set order to a column of whole "
            "numbers, different for each trial of a study."
        )
    grouped = GroupedSource(source)
    names = _names_matching(grouped.names, options.patterns, study_column)
    unnamed = _unnamed_notes(grouped.sizes.unnamed, study_column)
    return Studies(
        names,
        grouped.studies(names),
        lambda: (*grouped.notes, *unnamed),
        in_waves=True,
    )


def _in_memory(table: TrialTable, options: ReadOptions, what: str) -> Studies:
    """Return the studies of a table in memory; a space that was inferred is that of all."""
    if table.studies is None or options.study_column is None:
        raise SettingsError(
            f"study_column is for tables (got {what}, which has no columns). Leave it out."
        )
    names = _names_matching(table.studies.names, options.patterns, options.study_column)
    unnamed = _unnamed_notes(int((table.studies.codes < 0).sum()), options.study_column)
    parts = split(replace(table, notes=()))
    kept = set(names)

    def opened(own: TrialTable) -> Source:
        return TableSource.of(present(selected(own, options)))

    return Studies(
        names,
        ((name, partial(opened, own)) for name, own in parts if name in kept),
        lambda: (*table.notes, *unnamed),
    )


def _names_matching(
    names: tuple[str, ...], patterns: Sequence[str], column: str
) -> tuple[str, ...]:
    """Return the studies whose names match patterns, or all."""
    if not names:
        raise DataError(
            f"The study column {column!r} is empty: no row belongs to a study. Name another one.",
            column=column,
        )
    return tuple(matching(names, patterns))


def _unnamed_notes(rows: int, column: str) -> tuple[str, ...]:
    """Return the note on rows that belong to no study."""
    some = f"{rows:,} rows have" if rows > 1 else "1 row has"
    return (
        (f"{some} no value in the study column {column!r} and count in no study.",) if rows else ()
    )


def _require_distinct(sources: Mapping[Any, Any]) -> None:
    """Raise if two names stand for one source."""
    seen: dict[object, Any] = {}
    for name, source in sources.items():
        text = isinstance(source, str | Path)
        key = _place(str(source)) if text else id(source)
        if key in seen:
            place = f" ({describe_source(str(source))})" if text else ""
            raise DataError(
                f"The studies {shortened(str(seen[key]))!r} and {shortened(str(name))!r} are the "
                f"same{place}: it would count twice. List it once."
            )
        seen[key] = name


def is_same_place(one: Any, other: Any) -> bool:
    """Return whether two sources are paths or URLs of the same place."""
    if not all(isinstance(source, str | Path) for source in (one, other)):
        return False
    return _place(str(one)) == _place(str(other))


def _place(source: str) -> str:
    return source if "://" in source else os.path.realpath(expanded(source))
