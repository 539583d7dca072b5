"""SQLite files: nothing is changed, nobody waits for long, and queries end."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import optuna
import pytest

import condped
from condped.errors import CondpedError, DataError
from condped.read.databases.sqlite import snapshot
from condped.read.follow.followed import follow

State = dict[str, tuple[bytes, int]]


@pytest.fixture(scope="module")
def trackio(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a project as Trackio does, with the tables that are read of it."""
    path = tmp_path_factory.mktemp("trackio") / "runs.db"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            "CREATE TABLE configs (id INTEGER PRIMARY KEY, run_name, config, created_at);"
            "CREATE TABLE metrics (id INTEGER PRIMARY KEY, run_name, timestamp, step, metrics);"
        )
        rows = range(20)
        database.executemany(
            "INSERT INTO configs (run_name, config) VALUES (?, ?)",
            [(f"r{n}", f'{{"x": {n / 20}}}') for n in rows],
        )
        database.executemany(
            "INSERT INTO metrics (run_name, step, metrics) VALUES (?, 0, ?)",
            [(f"r{n}", f'{{"loss": {n * n}}}') for n in rows],
        )
        database.commit()
    return path


def copied(source: Path, folder: Path, mode: str = "delete") -> Path:
    path = folder / source.name
    shutil.copyfile(source, path)
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"PRAGMA journal_mode = {mode}")
    return path


def state_of(folder: Path) -> State:
    """Return the bytes and the time of everything in a folder."""
    return {
        entry.name: (entry.read_bytes(), entry.stat().st_mtime_ns) for entry in folder.iterdir()
    }


def losses(path: Path | str) -> list[float]:
    found: list[float] = condped.read(path, objective="loss").objectives[0].values.tolist()
    return found


KILLED = (
    "import os, sqlite3, sys\n"
    "c = sqlite3.connect(sys.argv[1])\n"
    'c.execute("UPDATE metrics SET metrics = \'{{\\"loss\\": 77}}\' WHERE id = 1")\n'
    "{end}\n"
    "os._exit(9)\n"
)


def kill_a_writer(path: Path, end: str) -> None:
    code = KILLED.format(end=end)
    assert subprocess.run([sys.executable, "-c", code, str(path)], check=False).returncode == 9


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_reading_leaves_a_closed_file_alone(mode: str, trackio: Path, tmp_path: Path) -> None:
    """Its bytes, its time, and the names beside it, whichever reader looks at it."""
    path = copied(trackio, tmp_path, mode)
    before = state_of(tmp_path)
    assert losses(path) == [n * n for n in range(20)]
    followed = follow(str(path), objective="loss")
    assert not followed.update()
    with pytest.raises(DataError):
        condped.read(path, reader="mlflow-sqlite")
    with pytest.raises(DataError):
        condped.read(path, reader="optuna-sqlite")
    with pytest.raises(CondpedError):
        condped.studies(path)
    assert state_of(tmp_path) == before


def test_the_log_of_a_killed_writer_is_read_and_left(trackio: Path, tmp_path: Path) -> None:
    """What it had committed counts; without its index SQLite would make files to read it."""
    path = copied(trackio, tmp_path, "wal")
    kill_a_writer(path, "c.commit()")
    assert {entry.name for entry in tmp_path.iterdir()} == {"runs.db", "runs.db-wal", "runs.db-shm"}
    assert losses(path)[0] == 77
    (tmp_path / "runs.db-shm").unlink()
    before = state_of(tmp_path)
    assert losses(path)[0] == 77
    assert state_of(tmp_path) == before


def test_a_link_leads_to_the_log_as_well(trackio: Path, tmp_path: Path) -> None:
    """The log lies beside the file, and not beside the link."""
    path = copied(trackio, tmp_path, "wal")
    (tmp_path / "links").mkdir()
    link = tmp_path / "links" / "link.db"
    link.symlink_to(path)
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("UPDATE metrics SET metrics = '{\"loss\": 77}' WHERE id = 1")
        writer.commit()
        assert losses(link)[0] == 77


def test_what_an_interrupted_writer_left_is_told(trackio: Path, tmp_path: Path) -> None:
    """Its transaction can only be taken back by writing, which is not ours to do."""
    path = copied(trackio, tmp_path)
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE filler AS SELECT randomblob(1000000) AS x")
        database.commit()
    end = (
        "c.execute('PRAGMA cache_size = 1'); c.execute('UPDATE filler SET x = randomblob(999999)')"
    )
    kill_a_writer(path, end)
    assert (tmp_path / "runs.db-journal").stat().st_size
    before = state_of(tmp_path)
    with pytest.raises(DataError, match=r"open the file once with the tool that wrote it"):
        losses(path)
    assert state_of(tmp_path) == before
    with closing(sqlite3.connect(path)) as database:
        database.execute("SELECT * FROM metrics").fetchall()
    assert losses(path)[0] == 0


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["pipe", "directory"])
@pytest.mark.parametrize("ending", ["-journal", "-wal", "-shm"])
@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_what_is_no_file_beside_it_is_not_opened(
    mode: str, ending: str, make: Callable[[Path], None], trackio: Path, tmp_path: Path
) -> None:
    """SQLite would wait for a pipe's writer, where interrupts do not reach it."""
    path = copied(trackio, tmp_path, mode)
    make(tmp_path / f"runs.db{ending}")
    with pytest.raises(DataError, match=f"'runs.db{ending}' beside it is not a regular file"):
        condped.read(path, objective="loss")


def test_a_writer_waits_for_the_copy_and_not_for_the_reader(trackio: Path, tmp_path: Path) -> None:
    """It commits in the middle of a read, which goes on with what there was."""
    path = copied(trackio, tmp_path)
    with snapshot(str(path)) as (_, database), closing(sqlite3.connect(path, timeout=0)) as writer:
        rows = database.execute("SELECT id FROM metrics")
        assert rows.fetchone() == (1,)
        writer.execute("DELETE FROM metrics WHERE id > 5")
        writer.commit()
        assert [number for (number,) in rows] == list(range(2, 21))
    assert len(losses(path)) == 5


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_every_read_is_one_state_that_existed(mode: str, tmp_path: Path) -> None:
    """A writer moves amounts between rows; whenever somebody looks, the sum is the same."""
    path = tmp_path / "accounts.db"
    code = (
        "import random, sqlite3, sys, time\n"
        "c = sqlite3.connect(sys.argv[1], timeout=60, isolation_level=None)\n"
        f"c.execute('PRAGMA journal_mode = {mode}')\n"
        "c.execute('CREATE TABLE a (id INTEGER PRIMARY KEY, v, pad)')\n"
        "c.execute('BEGIN')\n"
        "for n in range(500): c.execute('INSERT INTO a VALUES (?, 100, ?)', (n, 'x' * 500))\n"
        "c.execute('COMMIT'); print(flush=True)\n"
        "while True:\n"
        "    i, j = random.sample(range(500), 2); c.execute('BEGIN IMMEDIATE')\n"
        "    c.execute('UPDATE a SET v = v - 7 WHERE id = ?', (i,))\n"
        "    c.execute('UPDATE a SET v = v + 7 WHERE id = ?', (j,)); c.execute('COMMIT')\n"
        "    time.sleep(0.005)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        seen = set()
        try:
            for look in range(2_000):
                with snapshot(str(path), brief=look % 2 == 0) as (_, database):
                    values = database.execute("SELECT v FROM a ORDER BY id").fetchall()
                assert sum(value for (value,) in values) == 50_000
                seen.add(tuple(values))
                if len(seen) == 8:
                    break
                time.sleep(0.005)
        finally:
            writer.kill()
    assert len(seen) == 8


RECURSIVE = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
# 20^9 rows.
ENDLESS = f"SELECT {{}} FROM metrics a, {', '.join(f'metrics {letter}' for letter in 'bcdefghi')}"
COLUMNS = "1 AS id, 'r' AS run_name, '{}' AS config, 'x' AS created_at"


def replace_configs(path: Path, view: str) -> None:
    """Put a view in the place of a table."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("DROP TABLE configs")
        database.execute(f"CREATE VIEW configs (id, run_name, config, created_at) AS {view}")
        database.commit()


def double_texts(path: Path, times: int) -> None:
    """Make views v0, v1 … each of which gives one text, twice as long as the one before."""
    with closing(sqlite3.connect(path)) as database:
        for number in range(times):
            # With a limit a view is computed as it stands, and not as a part of the next one.
            below = "(SELECT 'x' AS t)" if number == 0 else f"v{number - 1}"
            database.execute(f"CREATE VIEW v{number} AS SELECT t || t AS t FROM {below} LIMIT 1")
        database.commit()


@pytest.mark.parametrize("columns", [COLUMNS, "COUNT(*) AS id, 1, 2, 3"])
def test_a_view_that_never_ends_is_an_error(columns: str, trackio: Path, tmp_path: Path) -> None:
    """Whether it gives rows or not."""
    path = copied(trackio, tmp_path)
    replace_configs(path, ENDLESS.format(columns))
    with pytest.raises(DataError, match="never ends"):
        losses(path)


@pytest.mark.parametrize(
    ("view", "denied"),
    [
        (f"{RECURSIVE} SELECT {COLUMNS} FROM n", "uses recursion"),
        (
            "SELECT length(hex(zeroblob(500000 + id * 0))), 1, 2, 3 FROM metrics",
            "'(hex|zeroblob)'",
        ),
        ("SELECT id, run_name, printf('%9999d', 1), 'x' FROM metrics", "'printf'"),
    ],
)
def test_a_view_uses_nothing_that_may_take_long(
    view: str, denied: str, trackio: Path, tmp_path: Path
) -> None:
    """One call of a function can do the work of a million instructions."""
    path = copied(trackio, tmp_path)
    replace_configs(path, view)
    begun = time.thread_time()
    with pytest.raises(DataError, match=denied):
        losses(path)
    assert time.thread_time() - begun < 0.5


@pytest.mark.parametrize("mode", ["delete", "wal"])
@pytest.mark.parametrize("kind", ["views", "columns"])
def test_what_doubles_with_each_step_is_an_error(
    kind: str, mode: str, trackio: Path, tmp_path: Path
) -> None:
    """SQLite puts expressions into each other before it runs anything, and hears no interrupt."""
    path = copied(trackio, tmp_path, mode)
    steps = range(60)
    if kind == "views":
        made = ["CREATE VIEW v0 AS SELECT id, run_name, config AS t, created_at FROM kept"]
        made += [
            f"CREATE VIEW v{n + 1} AS SELECT id, run_name, t || t AS t, created_at FROM v{n}"
            for n in steps
        ]
        view = "SELECT * FROM v60"
    else:
        columns = ", ".join(f"t{n + 1} TEXT AS (t{n} || t{n})" for n in steps)
        made = [f"CREATE TABLE doubled (t0 TEXT, {columns})"]
        view = "SELECT 1, 'r1', t60, 1 FROM doubled"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE kept AS SELECT * FROM configs")
        for statement in made:
            database.execute(statement)
        database.commit()
        replace_configs(path, view)
        before = state_of(tmp_path)
        with pytest.raises(DataError, match="cannot prepare within"):
            losses(path)
        after = state_of(tmp_path)
    assert {name: after[name] for name in before if not name.endswith("-shm")} == {
        name: before[name] for name in before if not name.endswith("-shm")
    }


def test_a_view_with_ordinary_functions_is_read(trackio: Path, tmp_path: Path) -> None:
    """It stands for rows like any table."""
    path = copied(trackio, tmp_path)
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE kept AS SELECT * FROM configs")
        database.commit()
    view = (
        "SELECT id, lower(run_name), coalesce(nullif(config, ''), '{}'), datetime('now') "
        "FROM kept WHERE length(config) > 1 AND run_name LIKE 'r%'"
    )
    replace_configs(path, view)
    assert losses(path) == [n * n for n in range(20)]


def test_a_view_ends_in_time_however_slow_its_instructions_are(
    trackio: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long texts are joined and compared in one instruction each."""
    path = copied(trackio, tmp_path)
    double_texts(path, times=15)
    rows = ENDLESS.format("count(nullif(t || a.id, t || b.id)) AS id, 1, 2, 3")
    replace_configs(path, f"{rows}, v14")
    monkeypatch.setattr(sys.modules[snapshot.__module__], "_SECONDS", 0.5)
    begun = time.thread_time()
    with pytest.raises(DataError, match="never ends"):
        losses(path)
    assert time.thread_time() - begun < 3


def test_a_value_that_is_computed_is_no_longer_than_the_file(trackio: Path, tmp_path: Path) -> None:
    """A view can make a text of a gigabyte out of nothing."""
    path = copied(trackio, tmp_path)
    double_texts(path, times=30)
    replace_configs(path, "SELECT 1, 'r1', t, 'x' FROM v29")
    with pytest.raises(DataError, match="too big"):
        losses(path)


def test_an_interrupt_ends_a_query(trackio: Path, tmp_path: Path) -> None:
    """Also one that gives no row for a long time."""
    path = copied(trackio, tmp_path)
    with closing(sqlite3.connect(path)) as database:  # so that the limit is far away
        database.execute("CREATE TABLE filler AS SELECT randomblob(20000000)")
        database.commit()
    replace_configs(path, f"{ENDLESS.format('1, 2, 3, 4')} WHERE a.id + i.id < 0")
    losses(trackio)  # all is imported, so that the interrupt comes while the query runs
    # Not a handler that a cluster of an earlier test has left behind.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Timer(0.7, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            losses(path)
    finally:
        signal.signal(signal.SIGINT, before)


def test_reading_keeps_the_locks_of_this_process(tmp_path: Path) -> None:
    """Closing a file drops the locks that a process has on it, and another could write as well."""
    path = tmp_path / "study.db"
    study = optuna.create_study(storage=f"sqlite:///{path}")
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
    other = (
        "import sqlite3, sys\n"
        "database = sqlite3.connect(sys.argv[1], timeout=0)\n"
        "try:\n    database.execute('BEGIN IMMEDIATE')\n    print('took the lock')\n"
        "except sqlite3.OperationalError as error:\n    print(error)\n"
    )
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")  # readers may still read
        assert len(condped.read(f"sqlite:///{path}")) == 3
        assert len(condped.read(str(path))) == 3
        command = [sys.executable, "-c", other, str(path)]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert printed == "database is locked\n"
        writer.execute("ROLLBACK")


def test_a_schema_that_is_no_utf8_is_an_error_of_ours(tmp_path: Path) -> None:
    """SQLite quotes the damaged statement, and Python cannot decode what it says."""
    path = tmp_path / "damaged.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE studies (study_id INT, other INT)")
    damaged = path.read_bytes().replace(b"INT, other INT)", b"INT) STRICT \x80 x")
    path.write_bytes(damaged)
    with closing(sqlite3.connect(path)) as db, pytest.raises(UnicodeDecodeError):
        db.execute("SELECT * FROM sqlite_master").fetchall()
    with pytest.raises(DataError, match=r"damaged\.db' cannot be read"):
        condped.read(path)
