"""Files of any size, as batches."""

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
from condped.read.stream.file_batch import Files, Piece
from condped.read.stream.pyarrow_csv_files import ENDINGS as TEXTS
from condped.read.stream.pyarrow_csv_files import TextFiles
from condped.read.stream.pyarrow_parquet_files import ENDINGS as TABLES
from condped.read.stream.pyarrow_parquet_files import TableFiles
from condped.read.stream.workers import share_out, worker_count
from condped.read.table.build import no_rows
from condped.read.table.raw import RawTable
from condped.trials.batch import Fold, Schema, State


def open_stream(source: Any, options: ReadOptions) -> StreamSource:
    """Open files, those below a directory or those that a pattern names; nothing is read yet."""
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
    opener = TableFiles if ending in TABLES else TextFiles
    files: Files = opener.open(paths, root, options, notes)
    notes += () if found is None else found.notes
    reader = BatchReader.of(files.names, options, options.space, texts=ending in TEXTS)
    return StreamSource(files, reader, reader.schema("stream"), tuple(notes))


@dataclass(frozen=True, slots=True, eq=False)
class StreamSource:
    """Batches of files, read by threads."""

    files: Files
    reader: BatchReader
    schema: Schema
    notes: tuple[str, ...]

    def close(self) -> None:
        """Nothing is held between passes."""

    def fold(self, fold: Fold[State]) -> list[State]:
        view = self.reader.view(fold.parameters)
        rows, done = 0, 0.0

        def take(state: State, piece: Piece) -> tuple[int, float]:
            raw = RawTable(self.reader.names, piece.rows, piece.read())
            fold.add(state, self.reader.batch(raw, view, piece.part, piece.words))
            return piece.rows, piece.work  # and nothing that holds the piece itself

        def tell(taken: tuple[int, float]) -> None:
            nonlocal rows, done
            rows, done = rows + taken[0], done + taken[1]
            report(fold.what, min(done, self.files.work), self.files.work)

        workers = worker_count()
        pieces = self.files.stretches(view.columns, workers)
        states = share_out(pieces, fold.start, take, tell, workers)
        if not rows:
            raise no_rows()
        return states
