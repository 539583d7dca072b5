"""Connections that are cut, servers and sessions that stop: told in one line, and repeatable."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from condped.count.passes import Passes, Wanted, Within

from condped.errors import CondpedError, DataError, SettingsError
from tests.contracts.case import Case
from tests.contracts.checks import check_counts, check_tally
from tests.contracts.engines import fresh_name, open_ibis
from tests.contracts.numbers import maximised
from tests.contracts.oracle import Oracle
from tests.contracts.places import Place, spark_place, write_postgresql
from tests.servers.postgresql import postgresql
from tests.servers.spark import Sparks

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


def _count(passes: Passes, case: Case) -> None:
    passes.count(Wanted(Within(case.handlings[0]), np.array([0.0])))


def _agree(passes: Passes, case: Case) -> None:
    try:
        check_tally(passes, Oracle.of(case))
        check_counts(passes, Oracle.of(case))
    finally:
        passes.close()


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
    case, name = maximised(), fresh_name()
    postgresql_place.put(name, case.table)
    assert postgresql_place.url is not None
    with _login(postgresql_place.url, "reads_only", read_only=True) as url:
        before = _kept(postgresql_place.url)
        _agree(open_ibis(name, case, url), case)
        assert _kept(postgresql_place.url) == before


def test_a_connection_cut_between_passes_is_told(postgresql_place: Place) -> None:
    """The error names the table; opened again, everything is counted."""
    case, name = maximised(), fresh_name()
    postgresql_place.put(name, case.table)
    assert postgresql_place.url is not None
    with _login(postgresql_place.url, "is_cut") as url:
        passes = open_ibis(name, case, url)
        passes.tally(case.handlings[0])
        with psycopg.connect(postgresql_place.url, autocommit=True) as admin:
            cut = admin.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
                "WHERE usename = 'is_cut'"
            ).fetchall()
        assert cut
        with pytest.raises(DataError) as caught:
            _count(passes, case)
        passes.close()
        _told(caught.value, name)
        _agree(open_ibis(name, case, url), case)


def test_a_connection_cut_during_a_query_is_told(postgresql_place: Place) -> None:
    """A query that waits for a lock loses its connection."""
    case, name = maximised(), fresh_name()
    postgresql_place.put(name, case.table)
    assert postgresql_place.url is not None
    with _login(postgresql_place.url, "is_cut_late") as url:
        passes = open_ibis(name, case, url)
        passes.tally(case.handlings[0])
        with psycopg.connect(postgresql_place.url) as admin:
            admin.execute(f"LOCK TABLE {name} IN ACCESS EXCLUSIVE MODE")
            cutter = threading.Thread(target=_cut_waiting, args=(postgresql_place.url,))
            cutter.start()
            with pytest.raises(DataError) as caught:
                _count(passes, case)
            cutter.join()
        passes.close()
        _told(caught.value, name)
        _agree(open_ibis(name, case, url), case)


def _cut_waiting(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as admin:
        for _ in range(_WAIT * 20):
            if admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE usename = 'is_cut_late' AND wait_event_type = 'Lock'"
            ).fetchall():
                return
            time.sleep(0.05)


def test_a_server_that_stops_is_told(tmp_path: Path) -> None:
    """Neither a pass nor opening again hangs or shows where the password was."""
    case = maximised()
    with postgresql(tmp_path) as url:
        with psycopg.connect(url) as database:
            write_postgresql(database, "trials", case.table)
        passes = open_ibis("trials", case, url)
        passes.tally(case.handlings[0])
    with pytest.raises(DataError) as caught:
        _count(passes, case)
    passes.close()
    _told(caught.value, "trials")
    with pytest.raises(CondpedError) as again:
        open_ibis("trials", case, re.sub(r"//[^@]*@", f"//postgres:{PASSWORD}@", url))
    _told(again.value)


def test_a_password_that_is_wrong_is_not_repeated(postgresql_place: Place) -> None:
    """A role that is not there cannot log in, and the message does not say with what."""
    assert postgresql_place.url is not None
    url = re.sub(r"//[^@]*@", f"//nobody:{PASSWORD}@", postgresql_place.url)
    with pytest.raises(CondpedError) as caught:
        open_ibis("trials", maximised(), url)
    _told(caught.value)


def test_a_table_that_is_not_there_is_told(place: Place) -> None:
    """The error names it."""
    with pytest.raises(CondpedError) as caught:
        open_ibis(_table(place, "no_such_table"), maximised(), place.url)
    _told(caught.value, "no_such_table")


def _table(place: Place, name: str) -> Any:
    return name


def test_a_session_that_ends_is_told(sparks: Sparks) -> None:
    """Whether Spark is stopped or its Java is killed; a new session counts everything."""
    case, name = maximised(), fresh_name()
    passes = _looked_at(sparks, case, name)
    sparks.session.stop()
    with pytest.raises(DataError) as caught:
        _count(passes, case)
    passes.close()
    _told(caught.value, name)
    passes = _looked_at(sparks, case, name)
    views = _views(sparks)
    _agree(passes, case)
    assert _views(sparks) == views
    sparks.java.kill()
    sparks.java.wait()
    with pytest.raises(DataError) as killed:
        _count(passes, case)
    _told(killed.value, name)


def _looked_at(sparks: Sparks, case: Case, name: str) -> Passes:
    """Put a table into a session, open it, and make the first pass."""
    place = spark_place(sparks)
    place.put(name, case.table)
    place.prepare("")
    passes = open_ibis(place.connection.table(name), case)
    passes.tally(case.handlings[0])
    return passes


def _views(sparks: Sparks) -> set[str]:
    return {table.name for table in sparks.running().catalog.listTables()}


def test_a_session_with_another_master_is_not_used(sparks: Sparks) -> None:
    """The error names both masters, and the session keeps running."""
    running = sparks.running()
    with pytest.raises(SettingsError, match=r"'local\[2\]' runs .* asks for 'spark://far:7077'"):
        open_ibis("trials", maximised(), "spark://far:7077")
    assert running.sql("SELECT 1").collect()
