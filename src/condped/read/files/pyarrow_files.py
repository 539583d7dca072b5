"""Parquet, Arrow and Feather files, through pyarrow: all batches of their rows as one table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from condped.read.files.space_sidecar import with_sidecar
from condped.read.frames import frame
from condped.read.options import ReadOptions
from condped.read.stream.pyarrow_parquet_files import TableFiles
from condped.trials.table import TrialTable


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return a file's rows as trials."""
    return read_many([source], with_sidecar(source, options))


def read_many(paths: Sequence[str], options: ReadOptions, root: Path | None = None) -> TrialTable:
    """Return the rows of several files, below a root, as trials."""
    notes: list[str] = []
    table = TableFiles.open(paths, root, options, notes).table()
    return frame.read(table, options).with_notes(notes)
