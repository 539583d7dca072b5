"""Directories and patterns of files, read as one table."""

from __future__ import annotations

import glob
from collections import Counter
from pathlib import Path

from condped.errors import DataError
from condped.optional import load_optional
from condped.read.options import ReadOptions
from condped.read.sidecar import with_sidecar
from condped.trials import TrialTable

_MODULES = {
    ".csv": "condped.read.csv_file",
    ".tsv": "condped.read.csv_file",
    ".jsonl": "condped.read.json_lines",
    ".ndjson": "condped.read.json_lines",
    ".json": "condped.read.json_lines",
    ".parquet": "condped.read.pyarrow_files",
    ".pq": "condped.read.pyarrow_files",
    ".arrow": "condped.read.pyarrow_files",
    ".feather": "condped.read.pyarrow_files",
}


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return the trials of all files in a directory, or that a pattern such as runs/*.csv names."""
    paths = _paths(source)
    kinds = Counter(_MODULES[_ending(path)] for path in paths)
    if len(kinds) != 1:
        endings = Counter(map(_ending, paths))
        shown = ", ".join(f"{count} {ending}" for ending, count in endings.items()) or "none"
        raise DataError(
            f"{source!r} must name files of one kind (found: {shown}; known: "
            f"{', '.join(_MODULES)}). Give a pattern such as 'runs/*.csv'."
        )
    (module,) = kinds
    loaded = load_optional(
        module, feature=f"Reading {source!r}", library="pyarrow", extra="parquet"
    )
    table: TrialTable = loaded.read_many(paths, with_sidecar(source, options))
    return table.with_notes([f"{len(paths)} files were read together."])


def _paths(source: str) -> list[str]:
    if Path(source).is_dir():
        # In a directory a .json may be anything; a pattern can name it.
        found = [str(path) for path in Path(source).rglob("*") if _ending(str(path)) != ".json"]
    else:
        found = glob.glob(source, recursive=True)  # noqa: PTH207  (Path.glob takes no absolute ones)
    return sorted(
        path
        for path in found
        if _ending(path) in _MODULES
        and Path(path).is_file()
        and not Path(path).name.startswith((".", "_"))
        and not path.endswith("space.json")
    )


def _ending(path: str) -> str:
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if suffixes and suffixes[-1] in (".gz", ".zst"):
        suffixes.pop()
    return suffixes[-1] if suffixes else ""
