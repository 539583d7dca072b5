"""Files that are damaged, or not there: named in one line, and passed over only when asked to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from condped.count.passes import Passes, Wanted, Within
from condped.read.asked import Asked

from condped.errors import CondpedError, NameNotFoundError, SourceError
from condped.space.space import Space
from condped.trials.topsets import Handling
from tests.contracts.case import Case
from tests.contracts.checks import check_counts, check_tally
from tests.contracts.engines import open_ibis, open_stream
from tests.contracts.numbers import infinities
from tests.contracts.oracle import Oracle
from tests.contracts.places import Place

OPENED = {"stream": open_stream, "ibis": open_ibis}
_PARTS = 4


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a case's table in four files."""
    table = infinities().table
    size = table.num_rows // _PARTS
    for part in range(_PARTS):
        pq.write_table(table.slice(part * size, size), tmp_path / f"part-{part}.parquet")
    return tmp_path


def _damage(path: Path, how: str) -> None:
    content = path.read_bytes()
    if how == "cut":
        path.write_bytes(content[: len(content) // 2])
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "text":
        path.write_text("loss,x\n1,2\n", encoding="utf-8")
    else:  # the footer is right, and the data is not
        middle = len(content) // 3
        path.write_bytes(content[:4] + b"\xff" * (middle - 4) + content[middle:])


def _everything(passes: Passes, case: Case) -> None:
    try:
        passes.tally(case.handlings[0])
        passes.count(Wanted(Within(case.handlings[0]), np.array([0.0])))
    finally:
        passes.close()


def _files(folder: Path) -> set[Path]:
    return set(folder.rglob("*"))


@pytest.mark.parametrize("engine", OPENED)
@pytest.mark.parametrize("how", ["cut", "empty", "text", "pages"])
def test_a_damaged_file_among_others_is_named(folder: Path, engine: str, how: str) -> None:
    """The error says which file it is; once it is put right, everything is counted."""
    case = infinities()
    path = folder / "part-2.parquet"
    whole = path.read_bytes()
    _damage(path, how)
    before = _files(folder)
    with pytest.raises(CondpedError) as caught:
        _everything(OPENED[engine](f"{folder}/*.parquet", case), case)
    assert "part-2.parquet" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert _files(folder) == before
    path.write_bytes(whole)
    passes = OPENED[engine](f"{folder}/*.parquet", case)
    oracle = Oracle.of(case)
    check_tally(passes, oracle)
    check_counts(passes, oracle)
    passes.close()
    assert _files(folder) == before


@pytest.mark.parametrize("how", ["cut", "empty"])
def test_a_damaged_file_is_passed_over_when_asked_to(folder: Path, how: str) -> None:
    """It is in the account, and the others are counted."""
    case = replace(infinities(), skip_corrupt=True)
    _damage(folder / "part-2.parquet", how)
    size = case.table.num_rows // _PARTS
    left = case.table.take([*range(2 * size), *range(3 * size, 4 * size)])
    oracle = Oracle.of(replace(case, table=left))
    passes = open_stream(f"{folder}/*.parquet", case)
    check_tally(passes, oracle)
    check_counts(passes, oracle)
    assert any("part-2.parquet" in note for note in passes.tally(case.handlings[0]).notes)
    passes.close()


@pytest.mark.parametrize("engine", OPENED)
def test_files_that_are_not_there_are_named(tmp_path: Path, engine: str) -> None:
    """Neither a file nor a pattern that matches none is taken for an empty table."""
    for source in (tmp_path / "none.parquet", tmp_path / "none-*.parquet"):
        with pytest.raises(CondpedError, match="none"):
            OPENED[engine](str(source), infinities())


@pytest.mark.parametrize("engine", OPENED)
def test_a_column_that_is_not_there_is_named(folder: Path, engine: str) -> None:
    """The error says what there is."""
    case = replace(infinities(), objective="accuracy")
    with pytest.raises(NameNotFoundError, match="accuracy"):
        _everything(OPENED[engine](f"{folder}/*.parquet", case), case)


def _spread(path: Path, **columns: list[float]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)


def test_spark_reads_the_files_that_duckdb_reads(
    tmp_path: Path, spark_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Columns are found by their names, also where only some files have them."""
    from condped.count.ibis_engine import open_passes  # noqa: PLC0415

    monkeypatch.setenv("JAVA_HOME", "of the session that runs")
    spark_place.prepare("")
    folder = tmp_path / "some %20 runs"
    _spread(folder / "a.parquet", x=[0.1, 0.9], loss=[1.0, 2.0])
    _spread(folder / "b.pq", loss=[3.0, 0.0], y=[0.2, 0.3], x=[0.6, 0.7])
    domain = {"type": "float", "low": 0, "high": 1}
    asked = Asked("loss", space=Space({"x": domain, "y": {**domain, "when": "x > 0.5"}}))
    wanted = Wanted(Within(Handling()), np.array([1.0]))
    found = []
    for backend in ("duckdb://", "spark://local"):
        passes = open_passes(str(folder), asked, backend)
        assert "2 files were read together." in passes.tally(Handling()).notes
        found.append([cells.tolist() for cells in passes.count(wanted).parameters])
        passes.close()
    assert found[0] == found[1]
    assert not spark_place.connection.list_tables(like="condped_files")
    _spread(folder / "_c.parquet", x=[0.5], loss=[1.0])
    _spread(folder / "k=1" / "d.parquet", x=[0.5], loss=[1.0])
    for pattern, said in (("*.parquet", "underscore"), ("k*/*.parquet", "directories say")):
        with pytest.raises(SourceError, match=said):
            open_passes(f"{folder}/{pattern}", asked, "spark://local")
