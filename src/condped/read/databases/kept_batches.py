"""Record batches kept in a temporary file that nobody else sees."""

from __future__ import annotations

import mmap
import tempfile
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

import pyarrow as pa

from condped.errors import DataError
from condped.read.stream.pyarrow_parquet_files import BATCH


class KeptBatches:
    """Record batches in a file.

    The file has no name (where there is such a thing) or is removed when it is closed: by
    :meth:`close`, with this object, or when the process ends, in whatever way.
    """

    def __init__(self, shown: str) -> None:
        self.shown = shown  # what the rows are of, for messages
        self.rows: list[int] = []
        self._places: list[tuple[int, int]] = []  # of each batch: where it begins, how long it is
        self._waiting: list[Any] = []
        self._file = self._trying(partial(tempfile.TemporaryFile, prefix="condped-"))
        self._end = weakref.finalize(self, self._file.close)

    def add(self, batch: Any) -> int:
        """Take in a batch; small ones are joined. Returns how many rows it has."""
        if self._waiting and batch.schema != self._waiting[0].schema:
            self.end()
        self._waiting.append(batch)
        if sum(map(len, self._waiting)) >= BATCH:
            self.end()
        return len(batch)

    def end(self) -> None:
        """Write what is waiting."""
        waiting = [batch for batch in self._waiting if len(batch)]
        self._waiting = []
        if waiting:
            batch = waiting[0] if len(waiting) == 1 else pa.concat_batches(waiting)
            self._trying(lambda: self._write(batch))

    def _write(self, batch: Any) -> None:
        # Each batch is a stream of its own: so it may have its own dictionaries, and be mapped
        # into memory without the others.
        start = -(-self._file.tell() // mmap.ALLOCATIONGRANULARITY) * mmap.ALLOCATIONGRANULARITY
        self._file.seek(start)
        sink = pa.PythonFile(self._file, mode="w")
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        self._file.flush()
        self._places.append((start, self._file.tell() - start))
        self.rows.append(len(batch))

    def batch(self, place: int) -> Any:
        """Return a batch; its columns stay in the file until they are looked at."""
        start, length = self._places[place]
        mapped = mmap.mmap(self._file.fileno(), length, access=mmap.ACCESS_READ, offset=start)
        with pa.ipc.open_stream(pa.py_buffer(mapped)) as reader:
            return reader.read_next_batch()

    def close(self) -> None:
        """Remove the file."""
        self._end()

    def _trying(self, step: Callable[[], Any]) -> Any:
        try:
            return step()
        except OSError as error:
            raise DataError(
                f"The rows of {self.shown} cannot be kept in a temporary file in "
                f"{tempfile.gettempdir()!r}: {error.strerror or error}. Set the environment "
                "variable TMPDIR to a directory with room for them."
            ) from error
