"""The engine ``stream``: files of any size, through record batches into the counter of numpy."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from condped.count.asked import Asked
from condped.count.chunk import Chunk
from condped.count.chunk_reader import ChunkReader, View
from condped.count.chunked import ChunkedPasses
from condped.count.passes import Outline
from condped.count.pyarrow_columns import column_of, is_text
from condped.count.pyarrow_tables import ArrowSource, ParquetSource
from condped.count.workers import share_out, worker_count
from condped.errors import DataError, SettingsError, SourceError
from condped.progress import report
from condped.read.build import no_rows
from condped.read.columns import Column, LevelColumn
from condped.read.many_files import ending_of, find_files
from condped.read.options import ReadOptions
from condped.read.parts import all_columns, joined, partition_of
from condped.read.pyarrow_files import fitted, one_line, spelled
from condped.read.raw import RawTable
from condped.read.refusal import Part
from condped.read.sidecar import with_sidecar

State = TypeVar("State")
_KINDS: dict[str, Any] = {
    ".parquet": ParquetSource,
    ".pq": ParquetSource,
    ".arrow": ArrowSource,
    ".feather": ArrowSource,
}


def open_passes(source: Any, asked: Asked, backend: str | None = None) -> ChunkedPasses:
    """Open files, those below a directory or those that a pattern names; nothing is counted yet."""
    if backend is not None:
        raise SettingsError(
            f"backend cannot be set for engine='stream', which reads files itself (got "
            f"{backend!r}). Leave backend out, or choose engine='ibis'."
        )
    passes = ChunkedPasses(_open(source, asked))
    return passes if asked.where is None else passes.where(asked.where)


def _open(source: Any, asked: Asked) -> StreamSource:
    source = str(source) if isinstance(source, Path) else source
    if not isinstance(source, str):
        raise SourceError(
            "engine='stream' reads files: give a path, a directory or a pattern such as "
            f"'runs/*.parquet' (got an object of type {type(source).__name__})."
        )
    source = str(Path(source).expanduser())
    options = with_sidecar(source, ReadOptions(space=asked.space, skip_corrupt=asked.skip_corrupt))
    found = None if Path(source).is_file() else find_files(source)
    paths = (source,) if found is None else found.paths
    root = None if found is None else found.root
    notes = [] if options.space is None else list(options.space.notes)
    files = joined(paths, partial(_opened, notes=notes), options, notes)
    partitions = [partition_of(file.path, root) for file in files]
    names, types = _fit_together(files, partitions, notes)
    reader = ChunkReader.of(names, asked, options.space)
    notes += () if found is None else found.notes
    said = _spelled(partitions)
    outline = reader.outline("stream")
    return StreamSource(files, said, types, reader, outline, tuple(notes))


def _opened(path: str, notes: list[str]) -> Any:
    kind = _KINDS.get(ending_of(path))
    if kind is None:
        raise DataError(
            f"The file {path!r} is of a kind that engine='stream' does not read (known: "
            f"{', '.join(_KINDS)}). Read it with engine='memory'."
        )
    return kind.open(path, notes)


def _fit_together(
    files: Sequence[Any], partitions: Sequence[Mapping[str, str | None]], notes: list[str]
) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the columns of all files and directories, and the type that suits all of each."""
    schemas = []
    for file, said in zip(files, partitions, strict=True):
        schema = file.schema
        for name in said:
            if name not in schema.names:
                schema = schema.append(pa.field(name, pa.string()))
        schemas.append(schema)
    names = all_columns([schema.names for schema in schemas], notes)
    whole = fitted([schema.empty_table() for schema in schemas]).schema
    return names, {name: whole.field(name).type for name in names}


def _spelled(partitions: Sequence[Mapping[str, str | None]]) -> list[dict[str, Any]]:
    """Return what directories say as scalars, numbers if all that is said of a name spells some."""
    found: list[dict[str, Any]] = [{} for _ in partitions]
    for name in dict.fromkeys(name for said in partitions for name in said):
        texts = pa.chunked_array([pa.array([said.get(name) for said in partitions], pa.string())])
        values = spelled(texts)
        for place, said in enumerate(partitions):
            if name in said:
                found[place][name] = values[place]
    return found


class _Batch(NamedTuple):
    """Some rows of a file."""

    columns: Any  # a record batch
    file: int
    part: Part


@dataclass(frozen=True, slots=True, eq=False)
class StreamSource:
    """Chunks of files.

    Attributes
    ----------
    files
        Opened, in the order of their rows.
    said
        What directories say of all rows of each file.
    types
        Of each column the type that suits all files.
    """

    files: Sequence[Any]
    said: Sequence[Mapping[str, Any]]
    types: Mapping[str, Any]
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
        stretches = list(self._stretches(view))
        workers = worker_count()
        total, taken = sum(file.rows for file in self.files), 0
        if not total:
            raise no_rows()

        def done(batch: _Batch) -> None:
            nonlocal taken
            taken += len(batch.columns)
            report(what, taken, total)

        return share_out(
            [partial(s, threads=len(stretches) < workers) for s in stretches],
            make,
            lambda state, batch: step(state, self._chunk(batch, view)),
            done,
            workers,
        )

    def _stretches(self, view: View) -> Generator[Callable[..., Generator[_Batch]]]:
        before = 0
        for number, file in enumerate(self.files):
            in_file = 0
            for place, rows in enumerate(file.stretches):
                yield partial(self._batches, number, place, view, before, in_file)
                before, in_file = before + rows, in_file + rows

    def _batches(
        self, number: int, place: int, view: View, before: int, in_file: int, *, threads: bool
    ) -> Generator[_Batch]:
        file = self.files[number]
        columns = [name for name in view.columns if name in file.schema.names]
        name = file.path if len(self.files) > 1 else None
        for batch in file.batches(place, columns, threads):
            if len(batch):
                yield _Batch(batch, number, Part(before, name, in_file))
            before, in_file = before + len(batch), in_file + len(batch)

    def _chunk(self, batch: _Batch, view: View) -> Chunk:
        raw = RawTable(self.reader.names, len(batch.columns), partial(self._column, batch))
        return self.reader.chunk(raw, view, batch.part)

    def _column(self, batch: _Batch, name: str) -> Column:
        rows = len(batch.columns)
        if name in batch.columns.schema.names:
            array = batch.columns.column(name)
            return column_of(_cast(array, self.types[name], self.files[batch.file].path, name))
        said = self.said[batch.file].get(name)
        if said is None:
            return LevelColumn(np.full(rows, -1, dtype=np.int64), ())
        return column_of(pa.repeat(said, rows))


def _cast(array: Any, kind: Any, path: str, name: str) -> Any:
    """Return an array as the type that suits all files; texts are fine as they come."""
    if array.type == kind or pa.types.is_dictionary(array.type) or is_text(kind):
        return array
    try:
        return array.cast(kind)
    except pa.ArrowException as error:
        raise DataError(
            f"Column {name!r} of {path!r} does not fit the other files: {one_line(error)}. "
            "Read them apart.",
            column=name,
        ) from error
