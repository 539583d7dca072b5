"""The engine ``stream``: files of any size, through record batches into the counter of numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from condped.count.chunked import ChunkedPasses
from condped.count.passes import Outline
from condped.errors import SettingsError, SourceError
from condped.progress import report
from condped.read.asked import Asked
from condped.read.batches import ChunkReader
from condped.read.files.folder import ending_of, find_files
from condped.read.files.sidecar import with_sidecar
from condped.read.options import ReadOptions
from condped.read.stream.piece import Files, Piece
from condped.read.stream.pyarrow_tables import ENDINGS as TABLES
from condped.read.stream.pyarrow_tables import TableFiles
from condped.read.stream.pyarrow_text_files import ENDINGS as TEXTS
from condped.read.stream.pyarrow_text_files import TextFiles
from condped.read.stream.workers import share_out, worker_count
from condped.read.table.build import no_rows
from condped.read.table.raw import RawTable
from condped.trials.batch import Chunk

State = TypeVar("State")


def open_passes(source: Any, asked: Asked, backend: str | None = None) -> ChunkedPasses:
    """Open files, those below a directory or those that a pattern names; nothing is counted yet."""
    if backend is not None:
        raise SettingsError(
            f"backend cannot be set for engine='stream', which reads files itself (got "
            f"{backend!r}). Leave backend out, or choose engine='ibis'."
        )
    source = str(source) if isinstance(source, Path) else source
    if not isinstance(source, str):
        raise SourceError(
            "engine='stream' reads files: give a path, a directory or a pattern such as "
            f"'runs/*.parquet' (got an object of type {type(source).__name__})."
        )
    passes = ChunkedPasses(_open(str(Path(source).expanduser()), asked))
    return passes if asked.where is None else passes.where(asked.where)


def _open(source: str, asked: Asked) -> StreamSource:
    options = with_sidecar(source, ReadOptions(space=asked.space, skip_corrupt=asked.skip_corrupt))
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
    reader = ChunkReader.of(files.names, asked, options.space, texts=ending in TEXTS)
    return StreamSource(files, reader, reader.outline("stream"), tuple(notes))


@dataclass(frozen=True, slots=True, eq=False)
class StreamSource:
    """Chunks of files."""

    files: Files
    reader: ChunkReader
    outline: Outline
    notes: tuple[str, ...]

    def close(self) -> None:
        """Nothing is held between passes."""

    def fold(
        self,
        make: Callable[[], State],
        step: Callable[[State, Chunk], None],
        parameters: Sequence[str],
        what: str,
    ) -> list[State]:
        view = self.reader.view(parameters)
        rows, done = 0, 0.0

        def take(state: State, piece: Piece) -> tuple[int, float]:
            raw = RawTable(self.reader.names, piece.rows, piece.read())
            step(state, self.reader.chunk(raw, view, piece.part, piece.words))
            return piece.rows, piece.work  # and nothing that holds the piece itself

        def tell(taken: tuple[int, float]) -> None:
            nonlocal rows, done
            rows, done = rows + taken[0], done + taken[1]
            report(what, min(done, self.files.work), self.files.work)

        workers = worker_count()
        states = share_out(self.files.stretches(view.columns, workers), make, take, tell, workers)
        if not rows:
            raise no_rows()
        return states
