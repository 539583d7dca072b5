"""Failures of an engine in our words."""

from __future__ import annotations

import threading
import time

import ibis
import pytest

from condped.count.counter import Counter
from condped.count.ranking import ByLoss
from condped.errors import DataError
from condped.read.databases.engine_errors import failure
from condped.read.opening import open_source
from condped.trials.used_trials import Handling


def test_an_interrupted_query_is_an_interrupt() -> None:
    """It is the user who ends the call; the connection serves the next."""
    connection = ibis.duckdb.connect()
    connection.raw_sql(
        "CREATE VIEW numbers AS SELECT sum(a.range % b.range) AS x, 1 AS loss "
        "FROM range(1, 100000) a, range(1, 10000000) b"
    )
    space = {"x": {"type": "float", "low": 0, "high": 1}}
    source = open_source(connection.table("numbers"), objective="loss", space=space)
    threading.Timer(0.3, connection.con.interrupt).start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        Counter(source).tally(ByLoss(Handling()))
    assert time.monotonic() - started < 20
    assert connection.con.execute("SELECT 1").fetchall() == [(1,)]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("one\nSELECT secret FROM two", "E failed at t while reading: one. Nothing was left"),
        ("login with pa55 failed.", r"login with \*\*\* failed. Nothing"),
        ("", "while reading: ValueError. Nothing"),
        ("a\tb" + "c" * 400, "a.bc{297} …"),
        ("connection is busy with another call", "t is busy while reading: .* one call at a time"),
    ],
)
def test_what_an_engine_says_becomes_one_line(said: str, told: str) -> None:
    """Without queries and passwords."""
    found = failure("E", "t", "reading", ValueError(said), ["pa55"])
    assert isinstance(found, DataError)
    assert "\n" not in str(found)
    with pytest.raises(DataError, match=told):
        raise found
