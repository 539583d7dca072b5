"""CSV files mean, streamed, what they mean in memory, odd cells and lines included."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import condped
from condped import Space
from condped.errors import DataError
from condped.read.files import csv as csv_files
from condped.read.files.text_columns import column_of_texts
from condped.read.stream.pyarrow_columns import text_column
from condped.trials.columns import LevelColumn, NumberColumn
from tests.count.table_chunks import reference
from tests.read.stream.files import count_all, opened, same, tally

SPACE = Space(
    {
        "n": {"type": "int", "low": -(2**62), "high": 2**62},
        "f": {"type": "float", "low": -1e300, "high": 1e300},
        "k": {"type": "categorical", "choices": ["a", "01", 1, True, None, "None", 'q"u,o']},
    }
)
GOOD = [
    "n;f;k;loss\n1;1.5;a;1\n2;2;01;2\n",
    "n,f,k,loss\r\n1,1.5,1,1\r\n\r\n\r\n2,2,true,2\r\n",
    "\ufeffn,f,k,loss\n1,-1e5,None,1\n NA ,nan,,2\n<na>,N/A,none,inf\n",
    'n,f,k,loss\n"1","1.5","a","1"\n2,"2","q""u,o",2',
    'n,f,k,loss,"",t\n1,2,a,1,"",""""\r\n1,2,a,1,"""",""\n',
    'n,f,k,loss,t\n1,2,a,1,x"y"\n1,2,a,1,"1\r\n2"\n1,2,a,1,"1"\n',
    'n,f,"remark, if\nany",k,loss\n1,2,"two\nlines, ""so""",a,3\n4,5,x,a,6\n',
    "n,f,k,loss\n+5,+1.5,a,1e+1\n007, 3 ,a,.5\n-0,1.,a,٣\n",
    f"n,f,k,loss\n{2**60},{2**60 + 1},a,1\n{2**60 + 1},1e300,a,-.5\n",
    "n,f,k,loss\n1,2,a,3\n\n",
    "n\tf\tk\tloss\n\n\n1\t\ta\t3\n",
    'n,f,k,loss\r1,2,a,3\r\r"4",5,a,6\r',
]
BAD = [
    "n,f,k,loss\n1,2,a,3\n\n1,2,a\n",
    "n,f,k,loss\r1,2,a,3\r\r1,2,a\r",
    'n,f,k,loss\n1,2,a,3\n1,2,"a"b,3\n',
    'n,f,k,loss\n1,2,a,3\n1,2,"a,3\n4,5,a,6\n',
    "n,f,k,loss\n1,2,a,3\n1,0x1F,a,3\n",
    "n,f,k,loss\n1,2,a,3\n1_0,2,a,3\n",
    "n,f,k,loss\n1,2,a,3\n1,2,b,3\n",
    "n,f,k,loss\n1,2,a,3\n1,2,a,high\n",
    "n,f,k,loss\n1,2,a,3\n1,nan(x),a,4\n",
    "n,f,k,loss\n1,2,a,3\n1.5,2,a,3\n",
    "n,f,f,k,loss\n1,2,2,a,3\n",
    "\nn,f,k,loss\n",
    "",
    "n,f,k,loss\n",
]


@pytest.mark.parametrize("text", GOOD)
@pytest.mark.parametrize("block", [7, 1 << 22])
def test_odd_files_are_counted_as_in_memory(
    text: str, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Separators, quotes, marks of order, blank lines and words for nothing mean the same."""
    monkeypatch.setattr(csv_files, "BLOCK", block)
    (tmp_path / "t.csv").write_bytes(text.encode())
    source = str(tmp_path / "t.csv")
    memory = condped.read(source, objective="loss", space=SPACE)
    stream = opened(source, space=SPACE)
    same(stream, reference(memory))
    counted = count_all(stream)
    assert {*tally(stream).notes, *counted.notes} == set(memory.notes)


@pytest.mark.parametrize("text", BAD)
@pytest.mark.parametrize("block", [7, 1 << 22])
def test_bad_files_are_refused_as_in_memory(
    text: str, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is refused in memory is refused here in the same words but for the count of rows."""
    monkeypatch.setattr(csv_files, "BLOCK", block)
    (tmp_path / "t.csv").write_bytes(text.encode())
    source = str(tmp_path / "t.csv")
    with pytest.raises(DataError) as expected:
        condped.read(source, objective="loss", space=SPACE)
    with pytest.raises(DataError) as caught:
        count_all(opened(source, space=SPACE))
    ours = str(caught.value).replace(", where reading stopped", "")
    theirs = str(expected.value).replace(", the first of 1 such rows (rows", " (row 1; rows")
    assert ours == theirs


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    """The file is named, in the words of the reader in memory."""
    (tmp_path / "t.csv").write_bytes(b"n,f,k,loss\n1,2,\xff,3\n")
    with pytest.raises(DataError, match=r"The file '.*t\.csv' is not UTF-8 text: invalid start"):
        count_all(opened(tmp_path / "t.csv", space=SPACE))


def test_lines_that_are_not_whole_are_skipped_as_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows that are left have the numbers that they have in memory, in every pass."""
    monkeypatch.setattr(csv_files, "BLOCK", 30)
    lines = [f"{n},{n / 2},a,{n % 7}" for n in range(50)]
    lines[7], lines[30], lines[31] = "1,2", '1,"x\ny",3,4,5', "1,2,3,4,5"
    (tmp_path / "t.csv").write_text("\n".join(["n,f,k,loss", *lines]), encoding="utf-8")
    source = str(tmp_path / "t.csv")
    memory = condped.read(source, objective="loss", space=SPACE, skip_corrupt=True)
    stream = opened(source, space=SPACE, skip_corrupt=True)
    same(stream, reference(memory))
    assert tally(stream).notes == memory.notes


def test_a_table_of_a_tool_is_left_to_memory(tmp_path: Path) -> None:
    """Without types, columns that a tool has marked are understood as a whole only."""
    (tmp_path / "t.csv").write_text("number,state,value,params_n\n0,complete,1,2\n")
    with pytest.raises(DataError, match="a table of Optuna trials"):
        opened(
            tmp_path / "t.csv",
            objective="value",
            space=Space({"n": {"type": "int", "low": 1, "high": 9}}),
        )


CELLS = [
    ["1", "2", ""], ["1.5", "2", "NA"], [" 1", "2"], ["+1", "2"], ["1e5", "x"], ["", ""],
    ["nan", "NaN", "None"], ["None", "x"], ["inf", "1"], ["0x10", "1"], [str(2**70), "1"],
    ["-", "1"], [str(2**63 - 1), str(-(2**63))], [str(2**63), "0"], ["1e400", "0"],
    ["\u00a0NULL\u2003", "3"],
]  # fmt: skip


@pytest.mark.parametrize("cells", CELLS)
def test_cells_in_bulk_are_what_they_are_one_by_one(cells: list[str]) -> None:
    """The quick way gives the column that the reader of CSV makes, sliced arrays included."""
    import pyarrow as pa  # noqa: PLC0415

    expected = column_of_texts(cells, None, "n")
    found, words = text_column(pa.array(["9", *cells]).slice(1), None, "n")
    assert type(found) is type(expected)
    np.testing.assert_array_equal(found.absent(), expected.absent())  # type: ignore[union-attr]
    gone = zip(cells, expected.absent(), strict=True)  # type: ignore[union-attr]
    assert words == sum(1 for cell, absent in gone if absent and cell.strip())
    if isinstance(found, NumberColumn) and isinstance(expected, NumberColumn):
        np.testing.assert_array_equal(found.values, expected.values)
        assert found.values.dtype == expected.values.dtype
    if isinstance(found, LevelColumn) and isinstance(expected, LevelColumn):
        assert found.levels == expected.levels
        np.testing.assert_array_equal(found.codes, expected.codes)
