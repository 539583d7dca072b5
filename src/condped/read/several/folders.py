"""Directories and patterns whose entries are studies."""

from __future__ import annotations

import glob
from pathlib import Path
from typing import NamedTuple

from condped.errors import DataError
from condped.read.files.folder import find_files
from condped.read.files.named_path import expanded
from condped.read.files.space_sidecar import is_space_file
from condped.read.registry import readers

# Files by which the directory of one run of a tool is recognised: SMAC, Ray Tune, Syne Tune, Keras
# Tuner; and hpbandster, whose two files have common names.
_RUNS = ("runhistory.json", "experiment_state-*.json", "results.csv.zip", "oracle.json")
_HPBANDSTER = ("configs.json", "results.json")
_SHOWN = 5  # names in messages
_SIGNS = "*?["


class FoundStudies(NamedTuple):
    """Paths of studies, and notes on what was not read."""

    paths: tuple[str, ...]
    notes: tuple[str, ...]


def is_place_of_studies(source: str) -> bool:
    """Return whether a text is a directory or a pattern rather than one file or storage."""
    if "://" in source:
        return False
    path = Path(expanded(source))
    if path.is_dir():
        return not _is_store(str(path))
    return any(sign in source for sign in _SIGNS) and not path.exists()


def _is_store(folder: str) -> bool:
    """Return whether a directory as a whole is a storage, from which one reader reads studies."""
    reader = next((one for one in readers() if one.recognises(folder)), None)
    return reader is not None and reader.name != "files" and reader.load_all() is not None


def find_studies(source: str) -> FoundStudies:
    """Return each study of a directory or pattern.

    A study is a file of a kind that can be read, a directory of files that make one table, or a
    directory of a tool with one run. In a directory, hidden files and those with a leading
    underscore are not studies; nor is what no reader recognises, which is counted.
    """
    path = Path(expanded(source))
    if path.is_dir():
        entries = [e for e in sorted(path.iterdir()) if not e.name.startswith((".", "_"))]
        if _runs_below(path, ""):
            return FoundStudies((str(path),), ())
    else:
        found = glob.glob(str(path), recursive=True)  # noqa: PTH207  (it takes absolute ones, too)
        entries = [Path(entry) for entry in sorted(found)]
    studies: list[str] = []
    others: list[str] = []
    for entry in entries:
        if not is_space_file(str(entry)):
            own = _studies_in(entry)
            studies += own
            others += [] if own else [entry.name]
    if not studies:
        listed = ", ".join(map(repr, others[:_SHOWN])) or "nothing"
        raise DataError(
            f"{source!r} holds or names no study (found: {listed}). Give a directory with one file "
            "or one run directory per study, or a pattern such as 'runs/*.csv'."
        )
    more = ", …" if len(others) > _SHOWN else ""
    names = f"{', '.join(others[:_SHOWN])}{more}"
    note = f"Not read, since they are not studies: {len(others)} ({names})."
    return FoundStudies(tuple(studies), (note,) if others else ())


def _studies_in(entry: Path) -> list[str]:
    """Return the runs of tools in a directory, or the entry itself if it is a study."""
    if entry.is_dir():
        found = sorted(_runs_below(entry, "**/"))
        if found:  # the outermost ones: what lies inside a run belongs to it
            return [str(one) for one in found if not any(up in found for up in one.parents)]
    return [str(entry)] if _is_study(str(entry)) else []


def _runs_below(folder: Path, levels: str) -> set[Path]:
    """Return the directories of one run each, in the folder or at any level below it."""
    found = {match.parent for run in _RUNS for match in folder.glob(levels + run)}
    configs, results = _HPBANDSTER
    pairs = (match.parent for match in folder.glob(levels + configs))
    return found | {path for path in pairs if (path / results).is_file()}


def _is_study(entry: str) -> bool:
    """Return whether a reader recognises a file or directory as one study."""
    reader = next((one for one in readers() if one.recognises(entry)), None)
    if reader is None or reader.name != "files":
        return reader is not None
    try:
        find_files(entry)
    except DataError:  # of no kind, or of several
        return False
    return True
