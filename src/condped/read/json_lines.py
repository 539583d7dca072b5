"""Files of JSON lines, one object per trial, and JSON files that hold a list of such objects."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from condped.errors import DataError
from condped.read.build import build_table
from condped.read.lines import JsonLines
from condped.read.opened import opened
from condped.read.options import ReadOptions
from condped.read.parts import joined
from condped.read.raw import RawTable
from condped.read.records import flat
from condped.read.sidecar import with_sidecar
from condped.trials import TrialTable


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return a file's objects as trials."""
    return read_many([source], with_sidecar(source, options))


def read_many(paths: Sequence[str], options: ReadOptions) -> TrialTable:
    """Return the objects of several files as trials.

    Objects inside objects are taken apart: ``{"config": {"lr": 0.1}}`` gives ``config.lr``.
    """
    notes: list[str] = []
    parts = joined(paths, lambda path: _objects(path, options.skip_corrupt, notes), options, notes)
    records = [flat(entry) for part in parts for entry in part]
    return build_table(RawTable.of_records(records), options).with_notes(notes)


def _objects(path: str, skip: bool, notes: list[str]) -> list[dict[str, Any]]:
    with opened(path) as file:
        if file.read(256).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
            return _listed(path)
    lines = JsonLines(path, "a JSON object", skip)
    entries = [entry for batch in lines.batches() for entry in batch]
    notes.extend(lines.notes)
    return entries


def _listed(path: str) -> list[dict[str, Any]]:
    with opened(path) as file:
        try:
            entries = json.load(file)
        except json.JSONDecodeError as error:
            raise DataError(
                f"The file {path!r} is not valid JSON: {error.msg} at line {error.lineno}, "
                f"column {error.colno}."
            ) from error
    odd = next((place for place, e in enumerate(entries) if not isinstance(e, dict)), None)
    if odd is not None:
        raise DataError(
            f"Entry {odd} of the list in {path!r} is no object (got "
            f"{type(entries[odd]).__name__}). Give one object per trial.",
            first_row=odd,
        )
    return list(entries)
