"""Tables of databases: found by their names, opened, chosen from, and what is refused."""

from __future__ import annotations

import gc
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import ibis
import numpy as np
import pyarrow as pa
import pytest

import condped
from condped.count.counter import Counter, Query
from condped.count.ranking import ByLoss
from condped.count.trials import Trials
from condped.errors import DataError, NameNotFoundError, SettingsError, SourceError
from condped.read.opening import open_source
from condped.space.space import Space
from condped.trials.batch import Source, TableSource
from condped.trials.used_trials import Handling

SPACE = Space(
    {
        "x": {"type": "float", "low": 0, "high": 1},
        "n": {"type": "int", "low": 2**60, "high": 2**60 + 9},
        "k": {"type": "categorical", "choices": ["01", 1, True, None, "it's"]},
        "y": {"type": "float", "low": 0, "high": 1, "when": "k in ['01', 1]"},
    }
)
ASKED: Any = {"objective": "loss", "space": SPACE}
RANKING = ByLoss(Handling())


def trials() -> pa.Table:
    """Return a table of trials."""
    rng = np.random.default_rng(2)
    return pa.table(
        {
            "x": rng.random(60),
            "n": 2**60 + rng.integers(0, 10, 60),
            "k": ["01"] * 60,
            "y": [0.25] * 60,
            "loss": np.round(rng.normal(size=60), 1),
            "time": np.arange(60),
            "word": ["a"] * 60,
            "day": pa.array(np.arange(60), pa.timestamp("us")),
        }
    )


def counted(source: Source) -> list[list[int]]:
    """Return how many trials each place of each parameter has."""
    counter = Trials.of(source).counter
    found = counter.count(Query(RANKING, np.zeros(0), counter.schema.names))
    return [cells.sum(axis=(0, 1, 3)).tolist() for cells in found.parameters]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Write a database with two tables in two schemas."""
    path = tmp_path / "runs.duckdb"
    with duckdb.connect(path) as connection:
        connection.register("arriving", trials())
        connection.execute('CREATE TABLE "run\'s" AS SELECT * FROM arriving')
        connection.execute("CREATE SCHEMA other")
        connection.execute("CREATE TABLE other.runs AS SELECT * FROM arriving")
    return path


@pytest.fixture
def connection() -> Any:
    """Connect to a database in memory with a table of trials."""
    made = ibis.duckdb.connect()
    made.con.register("arriving", trials())
    made.con.execute("CREATE TABLE trials AS SELECT * FROM arriving")
    return made


def test_tables_of_a_database_are_found_by_name(database: Path) -> None:
    """The only one needs no name; one of another schema has it in its name."""
    found = []
    for source, backend in (
        (database, None),
        ("run's", f"duckdb://{database}"),
        ("other.runs", f"duckdb://{database}"),
    ):
        opened = open_source(source, backend=backend, **ASKED)
        found.append(counted(opened))
        opened.close()
    assert found[0] == found[1] == found[2]
    assert opened.schema.ignored_columns == ("time", "word", "day")
    assert opened.schema.source == "DuckDB through Ibis"
    with pytest.raises(NameNotFoundError, match=r"no table 'runs'.*\"run's\""):
        open_source("runs", backend=f"duckdb://{database}", **ASKED)
    with duckdb.connect(database) as connection:  # nothing holds it any more
        connection.execute("CREATE TABLE second AS SELECT 1")
    with pytest.raises(DataError, match="holds 2 tables"):
        open_source(str(database), **ASKED)


def test_a_connection_of_the_caller_is_left_open(database: Path) -> None:
    """One that was opened here is closed."""
    connection = ibis.duckdb.connect(database, read_only=True)
    source = open_source(connection.table("run's"), **ASKED)
    source.close()
    assert counted(source)[0]
    connection.disconnect()
    ours = open_source(str(database), **ASKED)
    assert counted(ours)[0]
    ours.close()
    with pytest.raises(DataError, match=r"DuckDB through Ibis failed at .*runs.duckdb"):
        counted(ours)


def test_a_source_that_nobody_holds_lets_go_of_its_file(database: Path) -> None:
    """Nobody has to close it."""
    assert counted(open_source(str(database), **ASKED))[0]
    gc.collect()
    with duckdb.connect(database) as connection:
        connection.execute("CREATE TABLE second AS SELECT 1")


def test_a_database_that_is_written_to_is_told(database: Path) -> None:
    """DuckDB lets one process write to a file, and no other read it."""
    with duckdb.connect(database), pytest.raises(DataError, match=r"failed at .*runs.duckdb"):
        open_source(str(database), **ASKED)


def test_a_file_has_its_name_in_views(tmp_path: Path) -> None:
    """Some views name the database that they are in."""
    path = tmp_path / "my 'own' runs.duckdb"
    with duckdb.connect(path) as connection:
        connection.register("arriving", trials())
        connection.execute("CREATE SCHEMA other; CREATE TABLE other.trials AS FROM arriving")
        connection.execute("CREATE VIEW runs AS FROM \"my 'own' runs\".other.trials")
    opened = open_source("runs", backend=f"duckdb://{path}", **ASKED)
    assert counted(opened)[0]
    opened.close()
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_a_file_is_read_beside_connections_of_the_caller(database: Path) -> None:
    """They keep their settings, and we keep ours."""
    with duckdb.connect(database, read_only=True) as connection:
        first, second = (
            open_source("run's", backend=f"duckdb://{database}", **ASKED) for _ in range(2)
        )
        assert counted(first) == counted(second)
        first.close()
        second.close()
        asked = "SELECT current_setting('enable_external_access')"
        assert connection.execute(asked).fetchall() == [(True,)]


@pytest.mark.parametrize("backend", [None, "duckdb"])
def test_memory_reads_a_table_whole(database: Path, backend: str | None) -> None:
    """Whether an Ibis table or a name says which; no space is needed then."""
    url = None if backend is None else f"duckdb://{database}"
    name = str(database) if backend is None else "run's"
    found = open_source(name, backend=url, engine="memory", objective="loss", parameters=["x"])
    assert isinstance(found, TableSource)
    assert len(found.table) == 60
    connection = ibis.duckdb.connect(database, read_only=True)
    assert len(condped.read(connection.table("run's"), objective="loss", parameters=["x"])) == 60
    assert len(condped.read(connection.con.table("run's"), objective="loss")) == 60


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"objective": None}, SettingsError, "objective is needed"),
        ({"space": None}, SettingsError, "space is needed"),
        ({"loss": [1.0] * 60}, SettingsError, "loss cannot be set for rows .* in batches"),
        ({"order": "x"}, DataError, "both a parameter of the space"),
        ({"order": "when"}, NameNotFoundError, "no order column 'when'"),
        ({"objective": "k"}, DataError, "both a parameter"),
        ({"objective": "day"}, DataError, r"objective 'day' must be numeric \(got timestamp"),
        ({"constraints": ("z",)}, NameNotFoundError, "no constraint 'z'"),
        ({"parameters": ("z",)}, NameNotFoundError, "no parameter 'z'"),
        ({"outside": "clip"}, SettingsError, "outside must be one of"),
        ({"engine": "ibis"}, SettingsError, "engine must be one of auto, memory, stream"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    database: Path, changed: dict[str, Any], error: type[Exception], message: str
) -> None:
    """When it is opened, in one line that says what is allowed."""
    with pytest.raises(error, match=message):
        open_source(str(database), **{**ASKED, **changed})


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"order": "word"}, DataError, "order column 'word' must hold a whole number"),
        ({"state": "time"}, DataError, "must hold texts"),
        ({"where": "z > 1"}, NameNotFoundError, "no parameter 'z'"),
    ],
)
def test_what_the_rows_show_to_be_wrong_is_refused(
    database: Path, changed: dict[str, Any], error: type[Exception], message: str
) -> None:
    """When they are looked at."""
    with pytest.raises(error, match=message):
        counted(open_source(str(database), **{**ASKED, **changed}))


def test_rows_without_an_order_have_no_time(database: Path) -> None:
    """Neither intervals nor blocks of time can be made, unless a column tells."""
    unordered = open_source(str(database), **ASKED)
    assert not unordered.schema.ordered
    with pytest.raises(SettingsError, match="Name a column"):
        condped.importance(str(database), intervals="jackknife", **ASKED)
    ordered = condped.importance(str(database), intervals="jackknife", order="time", **ASKED)
    assert ordered.parameters


def test_dataframes_and_other_things_are_refused() -> None:
    """What is in this process is not in an engine."""
    with pytest.raises(SourceError, match="dataframe of this process"):
        open_source(ibis.memtable({"loss": [1.0]}, schema={"loss": "float64"}), **ASKED)
    with pytest.raises(SourceError, match="has no backend"):
        open_source(ibis.table({"loss": "float64"}, name="t"), **ASKED)
    with pytest.raises(SourceError, match="No reader recognises"):
        open_source(3, **ASKED)
    with pytest.raises(SettingsError, match=r"got 'mysql://me@host/runs'\)"):
        open_source("t", backend="mysql://me:secret@host/runs", **ASKED)
    with pytest.raises(SettingsError, match=r"such as duckdb://file.duckdb.*got 'duckdb'\)"):
        open_source("t", backend="duckdb", **ASKED)
    with pytest.raises(SettingsError, match="Leave backend out"):
        open_source({"loss": [1.0]}, backend="duckdb://x", **ASKED)
    with pytest.raises(SettingsError, match="reader cannot be set for a table in a backend"):
        open_source("t", backend="duckdb://x", reader="csv", engine="memory")
    with pytest.raises(SourceError, match="empty string"):
        open_source(" ", backend="duckdb://x", **ASKED)
    with pytest.raises(DataError, match=r"There is no DuckDB database 'none.duckdb'"):
        open_source("none.duckdb", **ASKED)


@pytest.mark.parametrize(
    ("where", "pushed"),
    [
        ("x < 0.30000000000000004 and not y > 0.5", True),
        ("n in [1152921504606846977, 1152921504606846979]", True),
        ("n > 0.5", False),
        ("x not in [0.5] or n < 5", True),
        ("k == '01'", False),  # a choice may be None, which the column shows as nothing
        ("x < y", False),
    ],
)
def test_conditions_choose_the_same_trials_wherever_they_are_checked(
    connection: Any, where: str, pushed: bool
) -> None:
    """By the engine if it sees them exactly as the counter does, by the counter otherwise."""
    source = open_source(connection.table("trials"), where=where, **ASKED)
    assert bool(source.schema.selections) == pushed
    assert (source.schema.where is None) == pushed
    read = condped.read(trials(), where=where, **ASKED)
    found = Trials.of(source)
    assert found.tally(RANKING).counts.total == len(read)
    assert found.selections == read.selections
    assert [note for note in found.notes if "trials" in note] == list(read.notes)
    assert counted(source) == counted(TableSource.of(read))


def test_a_condition_that_no_trial_meets_is_told(connection: Any) -> None:
    """As memory does."""
    with pytest.raises(DataError, match="None of the 60 trials meets the condition 'x > 2'"):
        open_source(connection.table("trials"), where="x > 2", **ASKED)
    connection.con.execute("DELETE FROM trials")
    with pytest.raises(DataError, match="The source has no rows"):
        open_source(connection.table("trials"), where="x > 2", **ASKED)
    with pytest.raises(DataError, match="The source has no rows"):
        counted(open_source(connection.table("trials"), **ASKED))


def test_a_table_that_changes_between_passes_is_told(connection: Any) -> None:
    """What two passes count would not fit; an expression is fetched once and does not change."""
    table = connection.table("trials")
    scanned = Counter(open_source(table, **ASKED))
    fetched = Counter(open_source(table.filter(table.x > -1), **ASKED))
    before = [counter.tally(RANKING).counts.total for counter in (scanned, fetched)]
    connection.con.execute("INSERT INTO trials SELECT * FROM trials")
    with pytest.raises(DataError, match="have changed since reading began: there were 60"):
        scanned.tally(RANKING)
    assert before == [60, 60]
    assert fetched.tally(RANKING).counts.total == 60


def test_columns_of_nulls_are_missing(connection: Any) -> None:
    """Whatever they stand for: parameters, the objective, states."""
    connection.con.execute("CREATE VIEW nulls AS SELECT *, NULL AS z, NULL AS ended FROM trials")
    space = Space({**SPACE, "z": {"type": "float", "low": 0, "high": 1}})
    source = open_source(connection.table("nulls"), objective="loss", space=space, state="ended")
    assert Counter(source).tally(RANKING).counts.running == 60
    nothing = open_source(connection.table("nulls"), objective="ended", space=space)
    assert Counter(nothing).tally(RANKING).counts.nonfinite == 60
    assert counted(open_source(connection.table("nulls"), objective="loss", space=space))[-1][-1]


@pytest.mark.skipif(
    int(duckdb.__version__.partition(".")[0]) < 2,
    reason="connections of DuckDB 1 end a query when the next one comes",
)
def test_a_second_query_on_a_busy_connection_says_so(connection: Any) -> None:
    """A connection of DuckDB serves one query at a time."""
    source = open_source(connection.table("trials"), **ASKED)
    reader = connection.con.sql("SELECT * FROM range(10000000)").to_arrow_reader(1000)
    reader.read_next_batch()
    with pytest.raises(DataError, match=r"'trials' is busy while .* one call at a time"):
        counted(source)
    reader.close()
    assert counted(source)


# Ibis 12 asks pandas for an option that is going away.
@pytest.mark.filterwarnings("ignore:The 'future.infer_string' option:DeprecationWarning")
def test_other_backends_of_ibis_are_fetched_as_ibis_does(tmp_path: Path) -> None:
    """Also where a connection belongs to the thread that made it."""
    table = trials().select(["x", "loss"])
    with closing(sqlite3.connect(tmp_path / "runs.db")) as database:
        database.execute("CREATE TABLE trials (x REAL, loss REAL)")
        rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
        database.executemany("INSERT INTO trials VALUES (?, ?)", rows)
        database.commit()
    connection = ibis.sqlite.connect(tmp_path / "runs.db")
    asked: Any = {"objective": "loss", "space": {"x": SPACE["x"][0].domain}}
    for where in (None, "x < 0.5"):
        source = open_source(connection.table("trials"), where=where, **asked)
        read = condped.read(table, where=where, **asked)
        assert counted(source) == counted(TableSource.of(read))
    connection.disconnect()
