"""Views in DuckDB files reach nothing else, and fill neither memory nor disk."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Literal

import duckdb
import pytest

import condped
from condped.errors import DataError
from condped.read.databases.ibis.session import Session
from condped.read.expansion import check_cells

SPACE = {"x": {"type": "float", "low": 0, "high": 1}}


@pytest.mark.parametrize("engine", ["stream", "memory"])
@pytest.mark.parametrize(
    "view",
    ["SELECT * FROM read_csv('{file}')", "SELECT * FROM '{file}'", "FROM read_text('{file}')"],
)
def test_views_of_a_file_reach_nothing_outside_of_it(
    view: str, engine: Literal["stream", "memory"], tmp_path: Path
) -> None:
    """Who wrote it could else have any file of the reader's in a report, or in a message."""
    secret = tmp_path / "secret.csv"
    secret.write_text("loss,x\nhunter2,0.5\n2,0.25\n", encoding="utf-8")
    path = tmp_path / "runs.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute(f"CREATE VIEW runs AS {view.format(file=secret)}")
        assert connection.execute("SELECT count(*) FROM runs").fetchall() != [(0,)]
    for source, backend in ((str(path), None), ("runs", f"duckdb://{path}")):
        with pytest.raises(DataError, match="disabled by configuration") as caught:
            condped.importance(
                source, backend=backend, engine=engine, space=SPACE, objective="loss"
            )
        assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("engine", ["stream", "memory"])
@pytest.mark.parametrize(
    ("view", "error"),
    [
        (
            "SELECT range::DOUBLE AS x, random() AS loss FROM range(1000000000000)",
            "expands too far",
        ),
        (
            "SELECT 0.5 AS x, repeat('x', 9999) || range AS k, 1 AS loss FROM range(1000000000000)",
            "expands too far",
        ),
        ("SELECT list(range)[1] AS x, 1 AS loss FROM range(1000000000000)", "Out of Memory"),
        ("SELECT max(random()) AS x, 1 AS loss FROM range(1000000000000)", "never ends"),
    ],
)
def test_views_of_a_file_fill_neither_memory_nor_disk(
    view: str,
    error: str,
    engine: Literal["stream", "memory"],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A view of a few letters can stand for any number of rows; nothing is left of them."""
    monkeypatch.setattr(sys.modules[check_cells.__module__], "_MOST_CELLS", 1 << 18)
    monkeypatch.setattr(sys.modules[check_cells.__module__], "_CELLS_EACH", 1)
    monkeypatch.setattr(sys.modules[Session.__module__], "_WORK", 1 << 27)
    monkeypatch.setattr(sys.modules[Session.__module__], "_SECONDS", 2)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    path = tmp_path / "runs.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute(f"CREATE VIEW runs AS {view}")
    with pytest.raises(DataError, match=error):
        condped.importance(str(path), engine=engine, space=SPACE, objective="loss")
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
