"""Failures of an engine in our words: interrupts, busy connections, and sessions elsewhere."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import ibis
import pytest
from condped.count.ibis_session import Session

from condped.errors import DataError


def test_an_interrupted_query_is_an_interrupt() -> None:
    """It is the user who ends the call, so nothing is wrong with the table."""
    connection = ibis.duckdb.connect()
    session = Session(connection, "t")
    connection.raw_sql(
        "CREATE VIEW numbers AS SELECT a.range % b.range AS x "
        "FROM range(1, 100000) a, range(1, 10000000) b"
    )
    numbers = connection.table("numbers")
    timer = threading.Timer(0.3, connection.con.interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        session.rows(numbers.agg(n=numbers.x.sum()), "counting")
    timer.join()
    with pytest.raises(KeyboardInterrupt), session.failing("counting"):
        raise RuntimeError("Query interrupted")  # what DuckDB says upon a signal


def test_a_busy_connection_says_what_it_serves() -> None:
    """One call at a time: nothing has to be put right in the table."""
    session = Session(SimpleNamespace(name="duckdb"), "the table 't'")
    with (
        pytest.raises(DataError, match=r"'t' is busy while counting: .* one call at a time"),
        session.failing("counting"),
    ):
        raise RuntimeError("connection is busy with another call; it refuses instead of waiting")
