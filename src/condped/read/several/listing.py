"""The studies of a source and their progress."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from condped.read.each_study import NOTHING, StudyState, matching
from condped.read.guarded import guarded
from condped.read.opening import read_all, read_whole, recognised, selected
from condped.read.options import Reading, ReadOptions
from condped.read.several.folders import find_studies, is_place_of_studies
from condped.read.several.names import names_of


def list_studies(source: Any, reading: Reading) -> list[StudyState]:
    """Return the state of each study of a source; ``study`` has names or patterns."""
    source = str(source) if isinstance(source, Path) else source
    options = ReadOptions.of_several(reading)
    in_place = isinstance(source, str) and options.backend is None
    if in_place and is_place_of_studies(source):
        paths = find_studies(source).paths
        return _of_each(list(paths), reading, options)
    listed = _without_trials(source, reading, options)
    if listed is not None:
        return listed
    tables = read_all(source, options)
    if tables is None:
        return _of_each([source], reading, options)
    return [
        StudyState.of(name, table if table is NOTHING else selected(table, options))
        for name, table in tables
    ]


def _without_trials(source: Any, reading: Reading, options: ReadOptions) -> list[StudyState] | None:
    """Return the states that a storage lists without reading trials; None if it cannot."""
    given = {name for name, value in reading.items() if value is not None}
    if not given <= {"study", "reader"}:
        return None
    found = recognised(source, options)
    list_them = None if found.reader is None else found.reader.load_list()
    if found.reader is None or list_them is None:
        return None
    return guarded(
        lambda place, options: list_them(place, options.patterns),
        found.source,
        found.reader,
        options,
    )


def _of_each(sources: list[Any], reading: Reading, options: ReadOptions) -> list[StudyState]:
    """Return the state of sources that are one study each."""
    by_name = dict(zip(names_of(sources), sources, strict=True))
    one: Reading = {**reading, "study": None}
    return [
        StudyState.of(name, read_whole(by_name[name], one))
        for name in matching(list(by_name), options.patterns)
    ]
