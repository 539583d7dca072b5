"""Files of any size as a source of batches."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from condped.errors import SourceError
from condped.progress import report
from condped.read.batches import BatchReader
from condped.read.files.folder import ending_of, find_files
from condped.read.files.space_sidecar import with_sidecar
from condped.read.options import ReadOptions
from condped.read.stream.file_batch import FileBatch, StreamFiles
from condped.read.stream.pyarrow_csv_files import ENDINGS as TEXTS
from condped.read.stream.pyarrow_csv_files import CsvFiles
from condped.read.stream.pyarrow_parquet_files import ENDINGS as TABLES
from condped.read.stream.pyarrow_parquet_files import TableFiles
from condped.read.stream.workers import run_workers, worker_count
from condped.read.table.build import no_rows
from condped.read.table.raw import RawTable
from condped.trials.batch import Fold, Schema, State


def open_stream(source: Any, options: ReadOptions) -> StreamSource:
    """Open a file, a directory or a pattern of files; no rows are read yet."""
    source = str(source) if isinstance(source, Path) else source
    if not isinstance(source, str):
        raise SourceError(
            "engine='stream' reads files: give a path, a directory or a pattern such as "
            f"'runs/*.parquet' (got an object of type {type(source).__name__})."
        )
    source = str(Path(source).expanduser())
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
    files: StreamFiles = opener.open(paths, root, options, notes)
    notes += () if found is None else found.notes
    reader = BatchReader.of(files.names, options, options.space, texts=ending in TEXTS)
    return StreamSource(files, reader, reader.schema("stream"), tuple(notes))


@dataclass(frozen=True, slots=True, eq=False)
class StreamSource:
    """Batches of rows of files, read by threads."""

    files: StreamFiles
    reader: BatchReader
    schema: Schema
    notes: tuple[str, ...]

    def close(self) -> None:
        """Nothing to release between passes."""

    def fold(self, fold: Fold[State]) -> list[State]:
        view = self.reader.view(fold.parameters)
        rows, done = 0, 0.0

        def step(state: State, batch: FileBatch) -> tuple[int, float]:
            raw = RawTable(self.reader.names, batch.rows, batch.read())
            fold.add(state, self.reader.batch(raw, view, batch.offset, batch.words))
            return batch.rows, batch.work  # and no reference to the batch itself

        def report_progress(added: tuple[int, float]) -> None:
            nonlocal rows, done
            rows, done = rows + added[0], done + added[1]
            report(fold.what, min(done, self.files.work), self.files.work)

        workers = worker_count()
        segments = self.files.segments(view.columns, workers)
        states = run_workers(segments, fold.start, step, report_progress, workers)
        if not rows:
            raise no_rows()
        return states
