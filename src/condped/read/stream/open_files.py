"""Files of any size as a source of batches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from condped.errors import SourceError
from condped.read.batches import BatchReader
from condped.read.files.folder import ending_of, find_files
from condped.read.files.named_path import expanded
from condped.read.files.space_sidecar import with_sidecar
from condped.read.options import ReadOptions
from condped.read.stream.pyarrow_csv_files import ENDINGS as TEXTS
from condped.read.stream.pyarrow_csv_files import CsvFiles
from condped.read.stream.pyarrow_parquet_files import ENDINGS as TABLES
from condped.read.stream.pyarrow_parquet_files import TableFiles
from condped.read.stream.source import RowSource, StreamSource


def open_stream(source: Any, options: ReadOptions) -> StreamSource:
    """Open a file, a directory or a pattern of files; no rows are read yet."""
    source = str(source) if isinstance(source, Path) else source
    if not isinstance(source, str):
        raise SourceError(
            "engine='stream' reads files, tables of databases and lazy frames (got an object of "
            f"type {type(source).__name__}). Leave engine out."
        )
    source = expanded(source)
    options = with_sidecar(source, options)
    found = None if Path(source).is_file() else find_files(source)
    paths = (source,) if found is None else found.paths
    root = None if found is None else found.root
    ending = ending_of(paths[0])
    if ending not in (*TABLES, *TEXTS):
        raise SourceError(
            f"engine='stream' reads files that end in {', '.join((*TABLES, *TEXTS))} (got "
            f"{source!r}). Read it with engine='memory'."
        )
    notes = [] if options.space is None else list(options.space.notes)
    opener = TableFiles if ending in TABLES else CsvFiles
    files: RowSource = opener.open(paths, root, options, notes)
    notes += () if found is None else found.notes
    reader = BatchReader.of(files.names, options, options.space, texts=ending in TEXTS)
    return StreamSource(files, reader, reader.schema("stream"), tuple(notes))
