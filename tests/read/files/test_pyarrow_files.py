"""Parquet files."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from condped import read
from condped.errors import DataError
from tests.read.tables import EXPECTED, SPACE, TRIALS, parameters_of, plain


@pytest.mark.parametrize("name", ["trials.parquet", "TRIALS.PQ"])
@pytest.mark.parametrize("library", ["pyarrow", "polars", "pandas"])
def test_a_file_gives_the_mappings_table(tmp_path: Path, library: str, name: str) -> None:
    """Whichever library wrote it."""
    path = tmp_path / name
    if library == "pyarrow":
        pq.write_table(pa.table(TRIALS), path, row_group_size=2)
    elif library == "polars":
        pl.DataFrame(TRIALS).with_columns(pl.col("model").cast(pl.Categorical)).write_parquet(path)
    else:
        width = pd.array(TRIALS["width"], dtype="Int64")
        pd.DataFrame({**TRIALS, "width": width}).astype({"model": "category"}).to_parquet(path)
    table = read(path, objective="loss", space=SPACE)
    assert parameters_of(table) == EXPECTED
    assert plain(table) == plain(read(TRIALS, objective="loss", space=SPACE))
    assert plain(read(str(path), objective="loss", space=SPACE)) == plain(table)


def test_the_index_that_pandas_writes_is_not_a_parameter(tmp_path: Path) -> None:
    """A filtered frame keeps its index in the file, where it is a column like any other."""
    frame = pd.DataFrame({"loss": [1.0, 2.0, 3.0], "x": [0.1, 0.2, 0.4]}, index=[9, 4, 7])
    path = tmp_path / "trials.parquet"
    frame.to_parquet(path)
    assert "__index_level_0__" in pq.read_schema(path).names
    assert read(path, objective="loss").names == read(frame, objective="loss").names == ("x",)


@pytest.mark.parametrize(
    "content",
    [b"", b"loss,x\n1,2\n", b"PAR1" + b"\0" * 100 + b"PAR1"],
    ids=["empty", "text", "torn"],
)
def test_a_file_that_is_no_parquet_is_refused_in_one_line(tmp_path: Path, content: bytes) -> None:
    """The message names the file."""
    path = tmp_path / "trials.parquet"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"trials\.parquet' cannot be read") as caught:
        read(path, objective="loss")
    assert "\n" not in str(caught.value)


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    """Its frame is whole, its data are not."""
    path = tmp_path / "trials.parquet"
    pq.write_table(pa.table({"loss": [float(n) for n in range(5000)]}), path)
    content = bytearray(path.read_bytes())
    content[4:2000] = bytes(1996)
    path.write_bytes(content)
    with pytest.raises(DataError, match="cannot be read"):
        read(path, objective="loss")


def test_a_file_that_is_not_there_says_so(tmp_path: Path) -> None:
    """With the reason, not with its name twice."""
    with pytest.raises(DataError, match=r"none\.parquet' cannot be read: No such file"):
        read(tmp_path / "none.parquet", objective="loss")


def test_a_column_that_stands_twice_is_named_in_one_line(tmp_path: Path) -> None:
    """The message is the same as for any other table."""
    path = tmp_path / "trials.parquet"
    pq.write_table(pa.Table.from_arrays([pa.array([1.0])] * 3, names=["loss", "x", "x"]), path)
    with pytest.raises(DataError, match="two columns named 'x'") as caught:
        read(path, objective="loss")
    assert caught.value.column == "x"
