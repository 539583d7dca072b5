"""Trials in Spark, counted by its workers: a DataFrame, an Ibis table, or a table's name."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.errors import PySparkException

from condped.errors import CondpedError, DataError, SettingsError
from condped.read.batches import BatchReader
from condped.read.databases.clusters.partition import PartitionTask, Passes, raise_failure
from condped.read.databases.clusters.spark_session import SPARK_ERRORS, SparkPlace, spark_place
from condped.read.files.space_sidecar import with_sidecar
from condped.read.options import ReadOptions
from condped.trials.batch import Fold, Schema, State

_SUBSTITUTE = "spark.sql.variable.substitute"
# Partitions that are counted apart, or twice as many as there are cores if that is more: each
# sends a state to the driver.
_PARTITIONS = 256
_SHIPPING = (
    "Install it there; or send it along: zip the package and call "
    "spark.sparkContext.addPyFile('condped.zip'), or start the application with --py-files "
    "condped.zip, or pack the environment into spark.archives. With local workers, set "
    "PYSPARK_PYTHON to the Python that has it."
)
_REMEDY = "Call persist() on the DataFrame, or write it to a table, and count that."


def open_spark(source: Any, options: ReadOptions, backend: str | None = None) -> SparkSource:
    """Open a DataFrame, an Ibis table on Spark, or the name of a table or Parquet files.

    A name is looked up in ``backend``: ``spark://host:7077``, ``spark://local`` or
    ``spark://local[2]``. A session that runs in this process is used, if it has that master, and
    left running; one that is started here ends when the source is closed or no longer needed.
    """
    place = None
    if isinstance(source, str):
        place = spark_place(backend or "spark://local")
        options = with_sidecar(source, options)
    try:
        frame = _frame(source, place)
        names = tuple(frame.columns)
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise DataError(
                f"Column {twice!r} stands twice. Rename or drop one of them.", column=twice
            )
        reader = BatchReader.of(names, options, options.space)
        shown = f"the table {source!r}" if isinstance(source, str) else "the DataFrame"
        notes = () if options.space is None else options.space.notes
        schema = reader.schema("Spark", ordered=False)
        # By their places columns can be had whatever their names are.
        plain = frame.toDF(*(f"c{place}" for place in range(len(names))))
        return SparkSource(plain, reader, schema, tuple(notes), Passes(shown, _REMEDY), place)
    except CondpedError:
        _close(place)
        raise
    except SPARK_ERRORS as error:
        _close(place)
        raise_failure("Spark", error, _SHIPPING)


def _close(place: SparkPlace | None) -> None:
    if place is not None:
        place.close()


def _frame(source: Any, place: SparkPlace | None) -> Any:
    if place is not None:
        return place.table(source)
    if type(source).__module__.split(".")[0] == "ibis":
        return _ibis_frame(source)
    if source.isStreaming:
        raise SettingsError(
            "A streaming DataFrame never ends, and cannot be counted. Write it to a table, and "
            "read that."
        )
    return source


def _ibis_frame(table: Any) -> Any:
    """Return what an Ibis table on Spark stands for."""
    backend = table.get_backend()
    text = backend.compile(table)
    if "${" not in text:
        return backend.raw_sql(text)
    # Spark would put the values of variables into names and texts.
    before = backend.raw_sql(f"SET {_SUBSTITUTE}").collect()[0][1]
    backend.raw_sql(f"SET {_SUBSTITUTE}=false")
    try:
        return backend.raw_sql(text)
    finally:
        backend.raw_sql(f"SET {_SUBSTITUTE}={before}")


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class SparkSource:
    """Batches of a DataFrame, on Spark's workers.

    Attributes
    ----------
    frame
        The rows; its columns are named by their places.
    place
        A session that was opened by its URL; None: it is the caller's.
    """

    frame: Any
    reader: BatchReader
    schema: Schema
    notes: tuple[str, ...]
    passes: Passes
    place: SparkPlace | None = None

    def __post_init__(self) -> None:
        if self.place is not None:
            weakref.finalize(self, self.place.close)

    def fold(self, fold: Fold[State]) -> list[State]:
        view = self.reader.view(fold.parameters)
        task = PartitionTask(self.reader, view, fold)

        def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            yield pa.record_batch({"state": pa.array([task.run(batches)], pa.binary())})

        places = [self.reader.names.index(name) for name in view.columns]
        try:
            some = self.frame.select(*(f"c{place}" for place in places))
            with warnings.catch_warnings():
                # It asks for pandas, which nothing here goes through, and then doubts its version.
                warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
                counted = some.coalesce(self._partitions()).mapInArrow(count, "state binary")
            return self.passes.states(fold, [bytes(row[0]) for row in counted.collect()])
        except CondpedError:
            self.close()
            raise
        except SPARK_ERRORS as error:
            self.close()
            raise_failure("Spark", error, _SHIPPING)

    def _partitions(self) -> int:
        """Return how many partitions there may be at most."""
        try:
            cores = int(self.frame.sparkSession.sparkContext.defaultParallelism)
        except PySparkException:  # Spark Connect tells nothing of the cluster
            return _PARTITIONS
        return max(_PARTITIONS, 2 * cores)

    def close(self) -> None:
        """End a session that was started here."""
        _close(self.place)
