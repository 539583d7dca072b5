"""Files of JSON lines, one object per trial, and JSON files that hold a list of such objects."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from condped.errors import DataError
from condped.read.files.decompress import open_decompressed
from condped.read.files.json_lines_parser import JsonLines
from condped.read.files.many_files import load_files, partition_of
from condped.read.files.space_sidecar import with_sidecar
from condped.read.frames.mappings import flat
from condped.read.options import ReadOptions
from condped.read.table.build import build_table
from condped.read.table.raw import RawTable
from condped.trials.columns import number_of
from condped.trials.table import TrialTable


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return a file's objects as trials."""
    return read_many([source], with_sidecar(source, options))


def read_many(paths: Sequence[str], options: ReadOptions, root: Path | None = None) -> TrialTable:
    """Return the objects of several files, below a root, as trials.

    Nested objects are flattened: ``{"config": {"lr": 0.1}}`` gives ``config.lr``.
    """
    notes: list[str] = []

    def load(path: str) -> list[dict[str, Any]]:
        partition = {name: _number_or_text(text) for name, text in partition_of(path, root).items()}
        entries = _objects(path, options.skip_corrupt, notes)
        return [{**partition, **flat(entry)} for entry in entries]

    parts = load_files(paths, load, options, notes)
    records = [entry for part in parts for entry in part]
    return build_table(RawTable.of_records(records), options).with_notes(notes)


def _objects(path: str, skip: bool, notes: list[str]) -> list[dict[str, Any]]:
    with open_decompressed(path) as file:
        if file.read(256).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
            return _read_list(path)
    lines = JsonLines(path, "a JSON object with each name once", skip, parse=_parse)
    entries = [entry for batch in lines.batches() for entry in batch]
    notes.extend(lines.notes)
    return entries


def _number_or_text(text: str | None) -> Any:
    """Return a text as a number if it is one, else unchanged."""
    try:
        return None if text is None else int(text)
    except ValueError:
        number = number_of(text)
        return text if number is None else number


def _read_list(path: str) -> list[dict[str, Any]]:
    with open_decompressed(path) as file:
        try:
            entries = _parse(file.read())
        except (ValueError, RecursionError) as error:
            raise DataError(f"The file {path!r} is not valid JSON: {error}.") from error
    invalid = next((place for place, e in enumerate(entries) if not isinstance(e, dict)), None)
    if invalid is not None:
        raise DataError(
            f"Entry {invalid} of the list in {path!r} is not an object (got "
            f"{type(entries[invalid]).__name__}). Give one object per trial.",
            first_row=invalid,
        )
    return list(entries)


def _parse(text: bytes) -> Any:
    return json.loads(text, object_pairs_hook=_unique_names)


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object; raises if a name occurs twice, since one value would be lost."""
    entries = dict(pairs)
    if len(entries) < len(pairs):
        names = [name for name, _ in pairs]
        duplicate = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"an object names {duplicate!r} twice")
    return entries
