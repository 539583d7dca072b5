"""Opening tables through Ibis: files, databases, tables of the caller's, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import ibis
import numpy as np
import pyarrow as pa
import pytest
from condped.count.ibis_engine import open_passes
from condped.count.ibis_session import Session
from condped.count.passes import Passes, Wanted, Within
from condped.read.asked import Asked

from condped.errors import DataError, NameNotFoundError, SettingsError, SourceError
from condped.space.condition import Condition
from condped.space.space import Space
from condped.trials.topsets import Handling

SPACE = Space(
    {
        "x": {"type": "float", "low": 0, "high": 1},
        "n": {"type": "int", "low": 2**60, "high": 2**60 + 9},
        "k": {"type": "categorical", "choices": ["01", 1, True, None, "it's"]},
        "y": {"type": "float", "low": 0, "high": 1, "when": "k in ['01', 1]"},
    }
)


def trials() -> dict[str, list[Any]]:
    """Return columns of trials."""
    rng = np.random.default_rng(2)
    return {
        "x": rng.random(60).tolist(),
        "n": (2**60 + rng.integers(0, 10, 60)).tolist(),
        "k": ["01"] * 60,
        "y": [0.25] * 60,
        "loss": np.round(rng.normal(size=60), 1).tolist(),
        "time": list(range(60)),
        "word": ["a"] * 60,
    }


def regions(passes: Passes) -> list[list[int]]:
    """Return how many trials each place of each parameter has."""
    counted = passes.count(Wanted(Within(Handling()), np.zeros(0)))
    return [cells.sum(axis=(0, 1, 3)).tolist() for cells in counted.parameters]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Write a database with two tables in two schemas."""
    path = tmp_path / "runs.duckdb"
    table = pa.table(trials())  # DuckDB finds it by its name
    with duckdb.connect(path) as connection:
        connection.register("arriving", table)
        connection.execute('CREATE TABLE "run\'s" AS SELECT * FROM arriving')
        connection.execute("CREATE SCHEMA other")
        connection.execute("CREATE TABLE other.runs AS SELECT * FROM arriving")
    return path


def test_tables_of_a_database_are_found_by_name(database: Path) -> None:
    """The only one needs no name; one of another schema has it in its name."""
    asked = Asked("loss", space=SPACE)
    found = []
    for source, backend in (
        (str(database), None),
        ("run's", f"duckdb://{database}"),
        ("other.runs", f"duckdb://{database}"),
    ):
        passes = open_passes(source, asked, backend)
        found.append(regions(passes))
        passes.close()
    assert found[0] == found[1] == found[2]
    assert passes.outline.ignored_columns == ("time", "word")
    assert passes.outline.engine == "DuckDB through Ibis"
    with pytest.raises(NameNotFoundError, match=r"no table 'runs'.*\"run's\""):
        open_passes("runs", asked, f"duckdb://{database}")
    with duckdb.connect(database) as connection:  # nothing holds it any more
        connection.execute("CREATE TABLE second AS SELECT 1")
    with pytest.raises(DataError, match="holds 2 tables"):
        open_passes(str(database), asked)


def test_a_connection_of_the_caller_is_left_open(database: Path) -> None:
    """One that was opened here is closed."""
    connection = ibis.duckdb.connect(database, read_only=True)
    passes = open_passes(connection.table("run's"), Asked("loss", space=SPACE))
    passes.close()
    assert regions(passes)[0]
    connection.disconnect()
    ours = open_passes(str(database), Asked("loss", space=SPACE))
    assert regions(ours)[0]
    ours.close()
    with pytest.raises(DataError, match=r"DuckDB through Ibis failed at .*runs.duckdb"):
        regions(ours)


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"objective": None}, SettingsError, "objective is needed"),
        ({"space": None}, SettingsError, "space is needed"),
        ({"skip_corrupt": True}, SettingsError, "skip_corrupt cannot be set"),
        ({"order": "x"}, DataError, "both a parameter of the space"),
        ({"order": "loss"}, DataError, "both the objective and the order"),
        ({"order": "word"}, DataError, "order column 'word' must hold a whole number"),
        ({"order": "when"}, NameNotFoundError, "no order column 'when'"),
        ({"state": "time"}, DataError, "must hold texts"),
        ({"objective": "k"}, DataError, "both a parameter"),
        ({"constraints": ("z",)}, NameNotFoundError, "no constraint 'z'"),
        ({"parameters": ("z",)}, NameNotFoundError, "no parameter 'z'"),
        ({"where": Condition.parse("z > 1")}, NameNotFoundError, "no parameter 'z'"),
        ({"outside": "clip"}, SettingsError, "outside must be one of"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    database: Path, changed: dict[str, Any], error: type[Exception], message: str
) -> None:
    """In one line that says what is allowed."""
    with pytest.raises(error, match=message):
        open_passes(str(database), Asked(**{"objective": "loss", "space": SPACE, **changed}))


def test_groups_and_blocks_need_an_order(database: Path) -> None:
    """Rows of a table have no number of their own."""
    passes = open_passes(str(database), Asked("loss", space=SPACE))
    within, none = Within(Handling()), np.zeros(0)
    with pytest.raises(SettingsError, match="rows of a table have no number"):
        passes.count(Wanted(within, none, groups=2))
    with pytest.raises(SettingsError, match="no order of time"):
        passes.count(Wanted(within, none, block_starts=np.array([30])))
    passes.close()


def test_dataframes_and_other_things_are_refused() -> None:
    """What is in this process is not in an engine."""
    asked = Asked("loss", space=SPACE)
    with pytest.raises(SourceError, match="dataframe of this process"):
        open_passes(ibis.memtable({"loss": [1.0]}, schema={"loss": "float64"}), asked)
    with pytest.raises(SourceError, match="takes an Ibis table"):
        open_passes(3, asked)
    with pytest.raises(SettingsError, match=r"got 'mysql://me@host/runs'\)"):
        open_passes("t", asked, "mysql://me:secret@host/runs")
    with pytest.raises(SettingsError, match=r"such as duckdb://file.duckdb.*got 'duckdb'\)"):
        open_passes("t", asked, "duckdb")
    for source in ("", " "):
        with pytest.raises(SourceError, match="empty text"):
            open_passes(source, asked)


def test_a_backend_without_what_counting_needs_is_refused() -> None:
    """The error names what it lacks."""

    class Lacking:
        name = "tiny"

        def has_operation(self, operation: type) -> bool:
            return operation.__name__ not in ("IsNan", "Modulus")

        def raw_sql(self, text: str) -> None:
            raise AssertionError(text)

    with pytest.raises(SettingsError, match="'tiny' cannot count trials: it lacks IsNan, Modulus"):
        Session(Lacking(), "t").require()
