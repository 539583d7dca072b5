"""A pass over rows on a cluster: what the workers count, and how the driver adds it up."""

from __future__ import annotations

import pickle
import traceback
import zlib
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Generic

import numpy as np
import pyarrow as pa

from condped.errors import CondpedError, DataError, SettingsError
from condped.read.batches import BatchReader, View
from condped.read.databases.engine_errors import essence
from condped.read.databases.fetched_rows import large_batches
from condped.read.options import ReadOptions
from condped.read.stream.pyarrow_columns import column_of
from condped.read.table.build import no_rows
from condped.read.table.raw import RawTable
from condped.read.table.row_errors import RowOffset
from condped.trials.batch import Batch, Fold, Schema, State
from condped.trials.columns import Column

_LACKING = "No module named 'condped"  # or a module that another version of it lacks


@dataclass(frozen=True, slots=True)
class RowsSeen:
    """Number and checksum of a pass's rows, to detect that another pass sees different ones."""

    rows: int = 0
    check: int = 0

    def __add__(self, other: RowsSeen) -> RowsSeen:
        return RowsSeen(self.rows + other.rows, (self.check + other.check) % (1 << 64))

    @classmethod
    def of(cls, batch: Batch) -> RowsSeen:
        """Return those of a batch, from its objectives: all passes read them, and they vary."""
        check = 0
        for objective in batch.table.objectives:
            bits = np.ascontiguousarray(objective.values, dtype=np.float64).view(np.uint64)
            check += int(np.sum(bits * bits))  # in any order; modulo 2^64
        return cls(len(batch.table) + batch.dropped, check % (1 << 64))


@dataclass(frozen=True, slots=True)
class PartitionTask(Generic[State]):
    """The task of counting the rows of one partition, which is sent to the workers."""

    reader: BatchReader
    view: View
    fold: Fold[State]

    def run(self, batches: Iterable[pa.RecordBatch]) -> bytes:
        """Return the state after all rows, or the error, pickled and compressed."""
        answer: Any
        try:
            answer = self._fold_batches(batches)
        except Exception as error:
            # Returned, not raised: an engine would retry, and wrap it in pages of its own.
            answer = _picklable(error)
        return zlib.compress(pickle.dumps(answer, protocol=5), level=1)

    def _fold_batches(self, batches: Iterable[pa.RecordBatch]) -> tuple[State, RowsSeen]:
        state, seen = self.fold.start(), RowsSeen()
        places = {name: place for place, name in enumerate(self.view.columns)}
        for rows in large_batches(batches):

            def column(name: str, rows: pa.RecordBatch = rows) -> Column:
                return column_of(rows.column(places[name]))

            raw = RawTable(self.reader.names, rows.num_rows, column)
            batch = self.reader.batch(raw, self.view, RowOffset(None), {})
            self.fold.add(state, batch)
            seen += RowsSeen.of(batch)
        return state, seen


def _picklable(error: Exception) -> Exception:
    """Return an error that can be pickled, with its traceback unless it is condped's own."""
    if not isinstance(error, CondpedError):
        error.add_note(f"On a worker:\n{''.join(traceback.format_exception(error))}")
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


class ClusterSource:
    """Rows on a cluster, counted by its workers.

    No copy of the rows is kept in Spark between passes, since it would stay there as long as
    further questions are possible. Instead, passes are checked to have seen the same rows.

    Attributes
    ----------
    engine
        What runs the cluster, for messages.
    errors
        Exceptions that its failures raise.
    shipping, remedy
        What to do if the workers lack condped, and if rows change between passes.
    """

    engine: ClassVar[str]
    errors: ClassVar[tuple[type[Exception], ...]]
    shipping: ClassVar[str]
    remedy: ClassVar[str]

    def __init__(self, label: str, names: Sequence[str], options: ReadOptions) -> None:
        self.label = label
        self.reader = BatchReader.of(names, options, options.space)
        self.schema: Schema = self.reader.schema(self.engine, ordered=False)
        self.notes = (*self.reader.notes(self.schema), *self.reader.space.notes)
        self.seen: RowsSeen | None = None  # in the first pass

    def answers(self, task: PartitionTask[Any]) -> Generator[bytes]:
        """Run a task on each partition; yield what it returns."""
        raise NotImplementedError

    def close(self) -> None:
        """Release what was created on the cluster."""

    def fold(self, fold: Fold[State]) -> State:
        task = PartitionTask(self.reader, self.reader.view(fold.parameters), fold)
        whole, seen = fold.start(), RowsSeen()
        with closing(self.answers(task)) as answers:
            for packed in answers:
                answer = pickle.loads(zlib.decompress(packed))
                if isinstance(answer, Exception):
                    raise answer
                fold.merge(whole, answer[0])
                seen += answer[1]
        if not seen.rows:
            raise no_rows()
        if self.seen is not None and seen != self.seen:
            raise DataError(
                f"The rows of {self.label} were not the same in two passes over them "
                f"({self.seen.rows:,} rows in the first, {seen.rows:,} in this one). {self.remedy}"
            )
        self.seen = seen
        return whole

    @classmethod
    @contextmanager
    def failing(cls) -> Generator[None]:
        """Turn the cluster's failures into one-line errors of condped."""
        try:
            yield
        except CondpedError:
            raise
        except cls.errors as error:
            if _LACKING in str(error):
                raise SettingsError(
                    f"The workers of {cls.engine} do not have this version of condped, which "
                    f"counts there. {cls.shipping}"
                ) from None
            raise DataError(
                f"{cls.engine} failed while counting: {essence(error)}. Nothing was left behind; "
                "fix it and call again."
            ) from None
