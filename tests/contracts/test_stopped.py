"""Connections that are cut, servers that stop, queries that are cancelled: told in one line."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import psycopg
import pytest

from condped.count.counter import Query
from condped.count.ranking import ByLoss
from condped.errors import CondpedError, DataError
from condped.trials.batch import Source
from tests.contracts.case import Case
from tests.contracts.checks import check_counts, check_tally, counter_of
from tests.contracts.engines import fresh_name, open_case
from tests.contracts.numbers import whole_objective
from tests.contracts.oracle import Oracle
from tests.contracts.places import Place, write_postgresql
from tests.servers.postgresql import postgresql

PASSWORD = "s3cr3t-w0rd"
_WAIT = 30  # seconds for a query to be seen waiting


@contextmanager
def _login(url: str, role: str, *, read_only: bool = False) -> Iterator[str]:
    """Make a role that can only read, and yield the URL with which it logs in."""
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute(f"CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}'")
        admin.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}")
        if read_only:
            admin.execute(f"ALTER ROLE {role} SET default_transaction_read_only = on")
            admin.execute("REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC")
        yield re.sub(r"//[^@]*@", f"//{role}:{PASSWORD}@", url)
        admin.execute("GRANT TEMPORARY ON DATABASE postgres TO PUBLIC")
        admin.execute(f"DROP OWNED BY {role}")
        admin.execute(f"DROP ROLE {role}")


def _kept(url: str) -> list[Any]:
    """Return all relations that are there, those of other sessions too."""
    with psycopg.connect(url) as admin:
        return admin.execute(
            "SELECT relname, relkind FROM pg_class c JOIN pg_namespace s ON s.oid = relnamespace "
            "WHERE nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') ORDER BY 1"
        ).fetchall()


def _open(source: Any, case: Case, url: str | None = None) -> Source:
    return open_case(source, case, backend=url)


def _count(source: Source, case: Case) -> None:
    counter = counter_of(source)
    counter.count(Query(ByLoss(case.handlings[0]), np.array([0.0]), counter.schema.names))


def _agree(source: Source, case: Case) -> None:
    try:
        check_tally(counter_of(source), Oracle.of(case))
        check_counts(counter_of(source), Oracle.of(case))
    finally:
        source.close()


def _told(error: BaseException, *named: str) -> None:
    """Make sure that an error says in one line what it is about, and no password."""
    told = str(error)
    assert "\n" not in told
    assert PASSWORD not in told
    for name in named:
        assert name in told, told
    # Nor may what led to it be shown with it.
    assert isinstance(error, CondpedError)


def test_a_role_that_can_only_read_is_enough(postgresql_place: Place) -> None:
    """No table, view or temporary table is made."""
    case, name = whole_objective(), fresh_name()
    postgresql_place.put(name, case.table)
    assert postgresql_place.url is not None
    with _login(postgresql_place.url, "reads_only", read_only=True) as url:
        before = _kept(postgresql_place.url)
        _agree(_open(name, case, url), case)
        assert _kept(postgresql_place.url) == before


def test_a_connection_is_needed_until_the_rows_are_there(postgresql_place: Place) -> None:
    """It is closed then, and whatever happens to the table, every pass sees the same rows."""
    case, name = whole_objective(), fresh_name()
    postgresql_place.put(name, case.table)
    assert postgresql_place.url is not None
    with _login(postgresql_place.url, "reads_once") as url:
        source = _open(name, case, url)
        check_tally(counter_of(source), Oracle.of(case))
        with psycopg.connect(postgresql_place.url, autocommit=True) as admin:
            open_ones = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'reads_once'"
            deadline = time.monotonic() + 30  # the server ends its process a moment later
            while admin.execute(open_ones).fetchall() != [(0,)]:
                assert time.monotonic() < deadline
                time.sleep(0.05)
            admin.execute(f"DELETE FROM {name}")
        check_counts(counter_of(source), Oracle.of(case))
        source.close()


def test_a_connection_cut_before_the_rows_are_there_is_told(postgresql_place: Place) -> None:
    """The error names the table; opened again, everything is counted."""
    case, name = whole_objective(), fresh_name()
    postgresql_place.put(name, case.table)
    assert postgresql_place.url is not None
    with _login(postgresql_place.url, "is_cut") as url:
        source = _open(name, case, url)
        with psycopg.connect(postgresql_place.url, autocommit=True) as admin:
            cut = admin.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
                "WHERE usename = 'is_cut'"
            ).fetchall()
        assert cut
        with pytest.raises(DataError) as caught:
            _count(source, case)
        source.close()
        _told(caught.value, name)
        _agree(_open(name, case, url), case)


def test_a_connection_cut_during_a_query_is_told(postgresql_place: Place) -> None:
    """A query that waits for a lock loses its connection."""
    case, name = whole_objective(), fresh_name()
    postgresql_place.put(name, case.table)
    assert postgresql_place.url is not None
    with _login(postgresql_place.url, "is_cut_late") as url:
        source = _open(name, case, url)
        with psycopg.connect(postgresql_place.url) as admin:
            admin.execute(f"LOCK TABLE {name} IN ACCESS EXCLUSIVE MODE")
            cutter = threading.Thread(target=_cut_waiting, args=(postgresql_place.url,))
            cutter.start()
            with pytest.raises(DataError) as caught:
                _count(source, case)
            cutter.join()
        source.close()
        _told(caught.value, name)
        _agree(_open(name, case, url), case)


def _cut_waiting(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as admin:
        for _ in range(_WAIT * 20):
            if admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE usename = 'is_cut_late' AND wait_event_type = 'Lock'"
            ).fetchall():
                return
            time.sleep(0.05)


def test_a_server_that_stops_is_told() -> None:
    """Neither a pass nor opening again hangs or shows where the password was."""
    case = whole_objective()
    with postgresql() as url:
        with psycopg.connect(url) as database:
            write_postgresql(database, "trials", case.table)
        source = _open("trials", case, url)
    with pytest.raises(DataError) as caught:
        _count(source, case)
    source.close()
    _told(caught.value, "trials")
    with pytest.raises(CondpedError) as again:
        _open("trials", case, re.sub(r"//[^@]*@", f"//postgres:{PASSWORD}@", url))
    _told(again.value)


def test_a_password_that_is_wrong_is_not_repeated(postgresql_place: Place) -> None:
    """A role that is not there cannot log in, and the message does not say with what."""
    assert postgresql_place.url is not None
    url = re.sub(r"//[^@]*@", f"//nobody:{PASSWORD}@", postgresql_place.url)
    with pytest.raises(CondpedError) as caught:
        _open("trials", whole_objective(), url)
    _told(caught.value)


def test_a_table_that_is_not_there_is_told(postgresql_place: Place) -> None:
    """The error names it."""
    with pytest.raises(CondpedError) as caught:
        _open("no_such_table", whole_objective(), postgresql_place.url)
    _told(caught.value, "no_such_table")


def interrupted(url: str, name: str) -> None:
    """Interrupt a query that waits for a lock, then count with the same connection."""
    import ibis  # noqa: PLC0415

    case = whole_objective()
    source = _open(ibis.connect(url).table(name), case)
    with psycopg.connect(url) as admin:
        admin.execute(f"LOCK TABLE {name} IN ACCESS EXCLUSIVE MODE")
        threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT]).start()
        started = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            _count(source, case)
        assert time.monotonic() - started < _WAIT
    _agree(source, case)


def test_an_interrupt_cancels_the_query_and_leaves_the_connection(postgresql_place: Place) -> None:
    """A query that waits for a lock is ended by the user; the connection serves the next call.

    In a process of its own: what other tests have loaded may handle interrupts, as Spark does.
    """
    name = fresh_name()
    postgresql_place.put(name, whole_objective().table)
    called = f"interrupted({postgresql_place.url!r}, {name!r})"
    done = subprocess.run(
        [sys.executable, "-c", f"from tests.contracts.test_stopped import interrupted; {called}"],
        capture_output=True, text=True, timeout=4 * _WAIT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
