"""Files that are damaged, or not there: named in one line, and passed over only when asked to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from condped.count.counter import Query
from condped.count.ranking import ByLoss
from condped.errors import CondpedError, NameNotFoundError
from condped.trials.batch import Source
from tests.contracts.case import Case
from tests.contracts.checks import check_counts, check_tally, counter_of
from tests.contracts.engines import open_case
from tests.contracts.numbers import infinities
from tests.contracts.oracle import Oracle

_PARTS = 4


def _open(source: str, case: Case) -> Source:
    return open_case(source, case, engine="stream")


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


def _everything(source: Source, case: Case) -> None:
    counter, ranking = counter_of(source), ByLoss(case.handlings[0])
    counter.tally(ranking)
    counter.count(Query(ranking, np.array([0.0]), counter.schema.names))


def _files(folder: Path) -> set[Path]:
    return set(folder.rglob("*"))


@pytest.mark.parametrize("how", ["cut", "empty", "text", "pages"])
def test_a_damaged_file_among_others_is_named(folder: Path, how: str) -> None:
    """The error says which file it is; once it is put right, everything is counted."""
    case = infinities()
    path = folder / "part-2.parquet"
    whole = path.read_bytes()
    _damage(path, how)
    before = _files(folder)
    with pytest.raises(CondpedError) as caught:
        _everything(_open(f"{folder}/*.parquet", case), case)
    assert "part-2.parquet" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert _files(folder) == before
    path.write_bytes(whole)
    counter = counter_of(_open(f"{folder}/*.parquet", case))
    oracle = Oracle.of(case)
    check_tally(counter, oracle)
    check_counts(counter, oracle)
    assert _files(folder) == before


@pytest.mark.parametrize("how", ["cut", "empty"])
def test_a_damaged_file_is_passed_over_when_asked_to(folder: Path, how: str) -> None:
    """It is in the account, and the others are counted."""
    case = replace(infinities(), skip_corrupt=True)
    _damage(folder / "part-2.parquet", how)
    size = case.table.num_rows // _PARTS
    left = case.table.take([*range(2 * size), *range(3 * size, 4 * size)])
    oracle = Oracle.of(replace(case, table=left))
    counter = counter_of(_open(f"{folder}/*.parquet", case))
    check_tally(counter, oracle)
    check_counts(counter, oracle)
    notes = counter.tally(ByLoss(case.handlings[0])).notes
    assert any("part-2.parquet" in note for note in notes)


def test_files_that_are_not_there_are_named(tmp_path: Path) -> None:
    """Neither a file nor a pattern that matches none is taken for an empty table."""
    for source in (tmp_path / "none.parquet", tmp_path / "none-*.parquet"):
        with pytest.raises(CondpedError, match="none"):
            _open(str(source), infinities())


def test_a_column_that_is_not_there_is_named(folder: Path) -> None:
    """The error says what there is."""
    case = replace(infinities(), objective="accuracy")
    with pytest.raises(NameNotFoundError, match="accuracy"):
        _everything(_open(f"{folder}/*.parquet", case), case)
