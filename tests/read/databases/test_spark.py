"""Spark counts on its workers what memory counts, and says in one line what went wrong."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import condped
from condped.count.order_statistics import exact
from condped.count.trials import Trials
from condped.errors import NameNotFoundError, SettingsError
from condped.read.databases.clusters.spark import open_spark
from condped.read.options import ReadOptions
from tests.read.databases.cluster_trials import (
    ALIKE,
    ANALYSES,
    FEW,
    LOSS,
    PATHS,
    READING,
    SORTED,
    UNLIKE,
    check_lost_worker,
    check_value_outside,
    failed,
    python_without_condped,
    trials,
    write_with_a_bad_file,
    zipped_condped,
)
from tests.servers.spark import Sparks, ignore_pandas, put


@pytest.fixture(scope="module")
def table() -> pa.Table:
    """Return trials in memory."""
    return trials()


@pytest.fixture(scope="module")
def frame(all_sparks: Sparks, table: pa.Table) -> Iterator[Any]:
    """Return them as a DataFrame, kept by Spark as a user would."""
    kept = put(all_sparks.running(), table).persist()
    yield kept
    kept.unpersist()


# A report has branches, too.
@pytest.mark.parametrize("analysis", [name for name in ANALYSES if name != "branches"])
def test_numbers_are_those_of_memory(
    frame: Any, table: pa.Table, analysis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every integer and every number, from three partitions and an empty one."""
    monkeypatch.setattr(exact, "_SHORT", SORTED)
    ask = ANALYSES[analysis]
    assert ask(frame, **READING) == ask(table, **READING)


def test_an_ibis_table_is_counted_on_the_workers(frame: Any, table: pa.Table) -> None:
    """What it stands for is asked of Spark; names and texts with ${} stay what they are."""
    ibis = pytest.importorskip("ibis")
    with warnings.catch_warnings():
        ignore_pandas()
        connection = ibis.pyspark.connect(frame.sparkSession)
    named = [name if name != ALIKE else "other" for name in frame.columns]
    frame.toDF(*named).createOrReplaceTempView("some_trials")
    try:
        some = connection.table("some_trials")
        source = open_spark(some.filter(some.rate < 0.01), ReadOptions.of(UNLIKE))
        theirs = condped.importance(Trials.of(source))
        ours = condped.importance(table.filter(pc.less(table["rate"], 0.01)), **UNLIKE)
        assert repr(theirs.parameters) == repr(ours.parameters)
    finally:
        frame.sparkSession.catalog.dropTempView("some_trials")


def test_a_session_that_runs_is_found_by_its_url(frame: Any, table: pa.Table) -> None:
    """It is used for the name of a table, and left running."""
    session = frame.sparkSession
    frame.createOrReplaceTempView("all_trials")
    try:
        found = condped.importance("all_trials", backend="spark://local[2]", **READING)
        assert repr(found.parameters) == repr(condped.importance(table, **READING).parameters)
        del found
        whole = condped.read("all_trials", backend="spark://local[2]", **READING)
        assert len(whole) == table.num_rows
        with pytest.raises(NameNotFoundError, match=r"no table 'all_trails'.*Did you mean"):
            condped.importance("all_trails", backend="spark://local[2]", **READING)
        with pytest.raises(SettingsError, match=r"'local\[2\]' runs .* names 'spark://far:7077'"):
            condped.importance("all_trials", backend="spark://far:7077", **READING)
        assert session.sql("SELECT 1").collect()
    finally:
        session.catalog.dropTempView("all_trials")


def test_a_value_that_does_not_fit_is_named(sparks: Sparks) -> None:
    """With the text that memory has, but for the number of a row, which rows do not have here."""
    check_value_outside(lambda table: put(sparks.running(), table))
    assert not sparks.running().sparkContext._jsc.getPersistentRDDs()


def test_intervals_need_numbers_of_trials(sparks: Sparks) -> None:
    """Rows come in any order; and an order must be whole numbers."""
    frame = put(sparks.running(), FEW)
    with pytest.raises(SettingsError, match=r"these rows have none.*source: Spark"):
        condped.importance(frame, intervals="jackknife", **READING)
    assert "must hold a whole number" in str(failed(frame, order="surplus"))


def test_frames_that_cannot_be_counted_are_refused(sparks: Sparks) -> None:
    """Without rows, without an end, without a space, with a column twice."""
    session = sparks.running()
    assert "no rows" in str(failed(put(session, FEW.slice(0, 0))))
    with pytest.raises(SettingsError, match="streaming DataFrame"):
        condped.importance(session.readStream.format("rate").load(), **READING)
    frame = put(session, FEW)
    with pytest.raises(SettingsError, match="A space is needed"):
        condped.importance(frame, objective=LOSS)
    assert "two columns named" in str(failed(frame.select("*", "flag")))
    whole = condped.importance(frame, engine="memory", objective=LOSS)
    assert whole.account.space_inferred


def test_rows_that_change_between_passes_are_noticed(sparks: Sparks) -> None:
    """A frame that is computed anew each time need not have the same rows; kept, it has."""

    def drawn(batches: Any) -> Any:
        for batch in batches:
            losses = np.random.default_rng().normal(size=batch.num_rows)
            yield batch.set_column(0, LOSS, pa.array(losses))

    with warnings.catch_warnings():
        ignore_pandas()
        frame = put(sparks.running(), FEW)
        frame = frame.toDF(*map(str, range(9))).mapInArrow(drawn, frame.schema)
    assert "not the same in two passes" in str(failed(frame))
    kept = frame.persist()
    try:
        condped.importance(kept, **READING)
    finally:
        kept.unpersist()


def test_a_lost_worker_ends_in_one_line(sparks: Sparks) -> None:
    """What a worker raises is raised here; one that is killed is told of."""
    check_lost_worker(lambda table: put(sparks.running(), table), "Spark failed while counting: ")


def test_a_bad_file_in_the_middle_ends_in_one_line(sparks: Sparks, tmp_path: Path) -> None:
    """The error names the file."""
    write_with_a_bad_file(tmp_path)
    frame = sparks.running().read.parquet(str(tmp_path))
    error = failed(frame, space={"rate": condped.Float(1e-5, 1)})
    assert "1.parquet" in str(error)


def test_workers_without_condped_are_told_how_to_get_it(sparks: Sparks, tmp_path: Path) -> None:
    """Workers of another Python lack it; with the package sent along they count."""
    context = sparks.running().sparkContext
    frame = put(sparks.running(), FEW)
    before, path = context.pythonExec, list(sys.path)
    context.pythonExec = str(python_without_condped(tmp_path))
    try:
        with pytest.raises(
            SettingsError, match=r"do not have this version of condped.*addPyFile"
        ) as caught:
            condped.importance(frame, **READING)
        assert "\n" not in str(caught.value)
        context.addPyFile(str(zipped_condped(tmp_path)))
        found = condped.importance(frame, **READING)
    finally:
        context.pythonExec, sys.path[:] = before, path
    assert repr(found.parameters) == repr(condped.importance(FEW, **READING).parameters)


_STARTED = """
import condped, os, subprocess, sys
from tests.read.databases.cluster_trials import UNLIKE as READING

def java():
    children = ["ps", "-ww", "-o", "args", "--ppid", str(os.getpid())]
    return subprocess.run(children, capture_output=True, text=True).stdout.count(".SparkSubmit ")

name, backend = sys.argv[1], "spark://local[2]"
one = condped.importance(name, backend=backend, **READING)
two = condped.importance(name, backend=backend, **READING)
assert java() == 1
del one
assert two.evidence
del two
assert not java()
try:
    READING["space"] = {"rate": condped.Float(0.1, 1)}
    condped.importance(name, backend=backend, **READING)
except condped.errors.DataError as error:
    assert not java(), "before the error is forgotten"
    print(error)
"""


def test_a_session_that_was_started_ends(tmp_path: Path) -> None:
    """Neither a process nor a file stays, nothing is printed; also when counting fails."""
    pq.write_table(FEW.drop_columns(ALIKE), tmp_path / "few.parquet")
    own = tmp_path / "own"
    own.mkdir()
    # Spark 4.0 and 4.1 leave closing a socket of their own to the garbage collector.
    warned = ["-W", "error", "-W", "ignore:unclosed <socket:ResourceWarning"]
    done = subprocess.run(
        [sys.executable, *warned, "-c", _STARTED, str(tmp_path / "few.parquet")],
        cwd=own,
        env={
            **os.environ,
            "TMPDIR": str(own),
            "PYTHONPATH": PATHS,
            # Compiling thoroughly pays off in hours, not in seconds.
            "JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.startswith("Parameter 'rate' has the value")
    # Spark 4.0 leaves an empty folder of its own.
    assert {entry.name for entry in own.iterdir()} <= {"artifacts"}
