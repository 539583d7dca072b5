"""Directories and patterns of files, read as one table."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from condped.errors import DataError
from condped.optional import load_optional
from condped.read.files.space_sidecar import is_space_file, with_sidecar
from condped.read.options import ReadOptions
from condped.trials.table import TrialTable

_MODULES = {
    ".csv": "condped.read.files.csv",
    ".tsv": "condped.read.files.csv",
    ".jsonl": "condped.read.files.json_lines",
    ".ndjson": "condped.read.files.json_lines",
    ".json": "condped.read.files.json_lines",
    ".parquet": "condped.read.files.pyarrow_files",
    ".pq": "condped.read.files.pyarrow_files",
    ".arrow": "condped.read.files.pyarrow_files",
    ".feather": "condped.read.files.pyarrow_files",
}


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return the trials of all files below a directory, or that a pattern names.

    In a directory a .json file may be anything, and what begins with a dot or an underscore is
    not meant for readers; a pattern can name them. A directory named ``k=a`` says that k is a in
    all files below it.
    """
    found = find_files(source)
    loaded = load_optional(
        found.module, feature=f"Reading {source!r}", library="pyarrow", extra="parquet"
    )
    table: TrialTable = loaded.read_many(found.paths, with_sidecar(source, options), found.root)
    return table.with_notes(found.notes)


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """Files that make one table.

    Attributes
    ----------
    paths
        In the order in which their rows follow each other.
    root
        The directory below which directories named ``k=a`` say something of all rows.
    module
        Of the reader that reads such files.
    notes
        What the user should know of files that were passed over.
    """

    paths: tuple[str, ...]
    root: Path
    module: str
    notes: tuple[str, ...]


def find_files(source: str) -> FoundFiles:
    """Return all files below a directory, or that a pattern names, if they are of one kind."""
    paths, others, again = _sorted_out(source)
    modules = Counter(_MODULES[ending_of(path)] for path in paths)
    if len(modules) != 1:
        endings = Counter(map(ending_of, paths))
        shown = ", ".join(f"{count} {ending}" for ending, count in endings.items()) or "none"
        raise DataError(
            f"{source!r} must hold or name files of one kind (found: {shown}; known: "
            f"{', '.join(_MODULES)}, of which .json only by a pattern). Give a pattern such as "
            "'runs/*.csv'."
        )
    (module,) = modules
    return FoundFiles(tuple(paths), _root(source), module, tuple(_notes(others, again)))


def _sorted_out(source: str) -> tuple[list[str], list[str], int]:
    """Return the files to read, those that are none, and how many are links to others."""
    in_folder = Path(source).is_dir()
    found = _below(source) if in_folder else _named(source)
    paths: dict[Path, str] = {}
    others: list[str] = []
    again = 0
    for path in found:
        if is_space_file(path):
            continue
        if ending_of(path) not in _MODULES or (in_folder and _unmeant(path, source)):
            others.append(path)
        elif paths.setdefault(Path(path).resolve(), path) != path:
            again += 1
    return sorted(paths.values()), others, again


def _below(folder: str) -> Iterator[str]:
    """Iterate over all files below a directory, each directory once, whatever links lead there."""

    def refuse(error: OSError) -> None:
        raise DataError(
            f"The directory {error.filename!r} cannot be read: {error.strerror}."
        ) from error

    seen: set[Path] = set()
    for root, folders, names in os.walk(folder, onerror=refuse, followlinks=True):
        real = Path(root).resolve()
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        folders.sort()
        yield from (str(Path(root, name)) for name in sorted(names))


def _named(pattern: str) -> list[str]:
    found = glob.glob(pattern, recursive=True)  # noqa: PTH207  (Path.glob takes no absolute ones)
    return sorted(path for path in found if Path(path).is_file())


def _unmeant(path: str, folder: str) -> bool:
    """Return whether a file in a directory is a program's own, or may be anything."""
    parts = Path(path).relative_to(folder).parts
    return any(part.startswith((".", "_")) for part in parts) or ending_of(path) == ".json"


def _root(source: str) -> Path:
    """Return the innermost directory that a directory or a pattern names for sure."""
    folders = [Path(source), *Path(source).parents]
    return next(part for part in folders if not any(sign in str(part) for sign in "*?["))


def _notes(others: list[str], again: int) -> Iterator[str]:
    if others:
        endings = sorted({Path(path).suffix.lower() or "no ending" for path in others})
        yield f"Other files that were not read: {len(others)} ({', '.join(endings[:8])})."
    if again:
        yield f"Files that were found a second time by a link, and read once: {again}."


def ending_of(path: str) -> str:
    """Return how a file's name ends, whatever it is compressed with."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if suffixes and suffixes[-1] in (".gz", ".zst"):
        suffixes.pop()
    return suffixes[-1] if suffixes else ""
