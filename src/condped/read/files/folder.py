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
from condped.read.files.regular import is_irregular
from condped.read.files.space_sidecar import is_space_file, root_of, with_sidecar
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
    """Return the trials of all files below a directory, or that match a pattern.

    In a directory, .json files and names that begin with a dot or an underscore are skipped; a
    pattern can name them. A directory named ``k=a`` adds a column k with the value a to all files
    below it (Hive partitioning).
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
        The directory below which directories named ``k=a`` are partitions.
    module
        The module that reads such files.
    notes
        Notes on files that were skipped.
    """

    paths: tuple[str, ...]
    root: Path
    module: str
    notes: tuple[str, ...]


def find_files(source: str) -> FoundFiles:
    """Return all files below a directory, or that match a pattern; raises if their kinds differ."""
    paths, others, duplicates, irregular = _classify(source)
    modules = Counter(_MODULES[ending_of(path)] for path in paths)
    if len(modules) != 1:
        endings = Counter(map(ending_of, paths))
        kinds = ", ".join(f"{count} {ending}" for ending, count in endings.items()) or "none"
        raise DataError(
            f"{source!r} must hold or name files of one kind (found: {kinds}; known: "
            f"{', '.join(_MODULES)}, of which .json only by a pattern). Give a pattern such as "
            "'runs/*.csv'."
        )
    (module,) = modules
    return FoundFiles(
        tuple(paths), root_of(source), module, tuple(_notes(others, duplicates, irregular))
    )


def _classify(source: str) -> tuple[list[str], list[str], int, int]:
    """Return the files to read, other files, and two numbers of paths that were skipped.

    These are links to files found already, and what is not a file, such as a pipe.
    """
    in_folder = Path(source).is_dir()
    found = _walk(source) if in_folder else _matching(source)
    paths: dict[str, str] = {}  # by where links lead
    others: list[str] = []
    duplicates = irregular = 0
    for path in found:
        if is_space_file(path):
            continue
        if ending_of(path) not in _MODULES or (in_folder and _is_skipped(path, source)):
            others.append(path)
        elif is_irregular(path):
            irregular += 1
        elif paths.setdefault(os.path.realpath(path), path) != path:
            duplicates += 1
    return sorted(paths.values()), others, duplicates, irregular


def _walk(folder: str) -> Iterator[str]:
    """Iterate over all files below a directory, each directory once even if linked."""

    def fail(error: OSError) -> None:
        raise DataError(
            f"The directory {error.filename!r} cannot be read: {error.strerror}."
        ) from error

    seen: set[Path] = set()
    for root, folders, names in os.walk(folder, onerror=fail, followlinks=True):
        real = Path(root).resolve()
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        folders.sort()
        yield from (str(Path(root, name)) for name in sorted(names))


def _matching(pattern: str) -> list[str]:
    found = glob.glob(pattern, recursive=True)  # noqa: PTH207  (Path.glob takes no absolute ones)
    return sorted(path for path in found if Path(path).is_file())


def _is_skipped(path: str, folder: str) -> bool:
    """Return whether to skip a file in a directory: hidden, internal or .json."""
    parts = Path(path).relative_to(folder).parts
    return any(part.startswith((".", "_")) for part in parts) or ending_of(path) == ".json"


def _notes(others: list[str], duplicates: int, irregular: int) -> Iterator[str]:
    if others:
        endings = sorted({Path(path).suffix.lower() or "no ending" for path in others})
        yield f"Other files, not read: {len(others)} ({', '.join(endings[:8])})."
    if duplicates:
        yield f"Files found again through a link, and read once: {duplicates}."
    if irregular:
        yield f"Pipes, devices and the like, not read: {irregular}."


def ending_of(path: str) -> str:
    """Return the ending of a file's name, without that of a compression."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if suffixes and suffixes[-1] in (".gz", ".zst"):
        suffixes.pop()
    return suffixes[-1] if suffixes else ""
