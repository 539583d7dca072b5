"""Trials in Spark, counted by its workers: a DataFrame, an Ibis table, or a table's name."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.errors import PySparkException

from condped.duplicates import first_duplicate
from condped.errors import DataError, SettingsError, not_found
from condped.read.databases.clusters.partition import ClusterSource, PartitionTask
from condped.read.databases.clusters.spark_session import SPARK_ERRORS, spark_session
from condped.read.files.space_sidecar import with_sidecar
from condped.read.options import ReadOptions
from condped.trials.batch import Fold, State

_SUBSTITUTE = "spark.sql.variable.substitute"
_PARQUET = (".parquet", ".parq", ".pq")
# At most so many partitions, or twice the number of cores if that is more: each sends a state to
# the driver.
_PARTITIONS = 256


class SparkSource(ClusterSource):
    """Batches of a DataFrame, on Spark's workers; ``release`` ends a session started here."""

    engine = "Spark"
    errors = SPARK_ERRORS
    shipping = (
        "Install it there; or send it along: zip the package and call "
        "spark.sparkContext.addPyFile('condped.zip'), or start the application with --py-files "
        "condped.zip, or pack the environment into spark.archives. With local workers, set "
        "PYSPARK_PYTHON to the Python that has it."
    )
    remedy = "Call persist() on the DataFrame, or write it to a table, and count that."

    def __init__(
        self, label: str, frame: Any, options: ReadOptions, release: Callable[[], None]
    ) -> None:
        names = tuple(frame.columns)
        twice = first_duplicate(names)
        if twice is not None:
            raise DataError(
                f"There are two columns named {twice!r}. Rename or drop one of them.", column=twice
            )
        super().__init__(label, names, options)
        # Columns are selected by position, which works for all names.
        self.frame = frame.toDF(*(f"c{place}" for place in range(len(names))))
        self.release = release
        weakref.finalize(self, release)

    def fold(self, fold: Fold[State]) -> State:
        try:
            return super().fold(fold)
        except Exception:
            self.close()
            raise

    def answers(self, task: PartitionTask[Any]) -> Generator[bytes]:
        def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            yield pa.record_batch({"state": pa.array([task.run(batches)], pa.binary())})

        known = {name: place for place, name in enumerate(self.reader.names)}
        places = [known[name] for name in task.view.columns]
        with self.failing():
            some = self.frame.select(*(f"c{place}" for place in places))
            with warnings.catch_warnings():
                # It warns about the version of pandas, which is not used here.
                warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
                counted = some.coalesce(self._partitions()).mapInArrow(count, "state binary")
            yield from (bytes(row[0]) for row in counted.collect())

    def _partitions(self) -> int:
        """Return the maximum number of partitions."""
        try:
            cores = int(self.frame.sparkSession.sparkContext.defaultParallelism)
        except PySparkException:  # Spark Connect does not expose the cluster
            return _PARTITIONS
        return max(_PARTITIONS, 2 * cores)

    def close(self) -> None:
        """End a session that was started here."""
        self.release()


def open_spark(source: Any, options: ReadOptions, backend: str | None = None) -> SparkSource:
    """Open a DataFrame, an Ibis table on Spark, or the name of a table or Parquet files.

    A name is looked up in ``backend``: ``spark://host:7077``, ``spark://local`` or
    ``spark://local[2]``. A session that runs in this process is used, if it has that master, and
    left running; one that is started here ends when the source is closed or no longer needed.
    """
    frame, release = _open_frame(source, backend)
    label = "the DataFrame"
    if isinstance(source, str):
        label, options = f"the table {source!r}", with_sidecar(source, options)
    try:
        with SparkSource.failing():
            return SparkSource(label, frame, options, release)
    except Exception:
        release()
        raise


def arrow_table(source: Any, backend: str | None = None) -> pa.Table:
    """Return all rows of what :func:`open_spark` takes, in memory."""
    frame, release = _open_frame(source, backend)
    try:
        with SparkSource.failing():
            return frame.toArrow()
    finally:
        release()


def _open_frame(source: Any, backend: str | None) -> tuple[Any, Callable[[], None]]:
    """Return a DataFrame, and a function that releases the session started for it."""
    if not isinstance(source, str):
        with SparkSource.failing():
            return _frame(source), lambda: None
    session, release = spark_session(backend or "spark://local")
    try:
        with SparkSource.failing():
            return _named_frame(session, source), release
    except Exception:
        release()
        raise


def _named_frame(session: Any, name: str) -> Any:
    """Return a table by its name, or Parquet files by their path."""
    if Path(name).suffix.lower() in _PARQUET or Path(name).is_dir():
        return session.read.parquet(name)
    if not session.catalog.tableExists(name):
        raise not_found("table", name, [table.name for table in session.catalog.listTables()])
    return session.table(name)


def _frame(source: Any) -> Any:
    if type(source).__module__.split(".")[0] == "ibis":
        return _ibis_frame(source)
    if source.isStreaming:
        raise SettingsError(
            "A streaming DataFrame never ends, and cannot be counted. Write it to a table, and "
            "read that."
        )
    return source


def _ibis_frame(table: Any) -> Any:
    """Return the DataFrame of an Ibis table on Spark."""
    backend = table.get_backend()
    text = backend.compile(table)
    if "${" not in text:
        return backend.raw_sql(text)
    # Spark would substitute variables in names and texts.
    before = backend.raw_sql(f"SET {_SUBSTITUTE}").collect()[0][1]
    backend.raw_sql(f"SET {_SUBSTITUTE}=false")
    try:
        return backend.raw_sql(text)
    finally:
        backend.raw_sql(f"SET {_SUBSTITUTE}={before}")
