"""What is wrong with data or options is refused by name, with the first row and the number."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from condped import Categorical, Float, Int, read, when
from condped.errors import (
    CondpedError,
    DataError,
    NameNotFoundError,
    SettingsError,
)

LOSS = [4.0, 3.0, 2.0, 1.0]


def mapping(columns: dict[str, list[Any]], _: Path) -> Any:
    """Hand columns over as they are."""
    return columns


def pandas_frame(columns: dict[str, list[Any]], _: Path) -> Any:
    """Hand columns over as a pandas frame."""
    return pd.DataFrame(columns)


def polars_frame(columns: dict[str, list[Any]], _: Path) -> Any:
    """Hand columns over as a Polars frame."""
    return pl.DataFrame(columns, strict=False)


def csv_file(columns: dict[str, list[Any]], folder: Path) -> Any:
    """Hand columns over as a CSV file."""
    path = folder / "trials.csv"
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


Make = Callable[[dict[str, list[Any]], Path], Any]
every_reader = pytest.mark.parametrize("make", [mapping, pandas_frame, polars_frame, csv_file])
C = [0, 1, 0, 1]
LEAST = -(2**63)


@every_reader
@pytest.mark.parametrize(
    ("columns", "space", "says", "first", "count"),
    [
        ({"x": [0.5, 2.0, -1.0, 1.0]}, {"x": Float(0, 1)}, r"2\.0 outside.*\[0, 1\]", 1, 2),
        ({"x": [None, 0.5, 2.0, None]}, {"x": Float(0, 1)}, r"2\.0 outside", 2, 1),
        ({"x": [1, 2, 9, 0]}, {"x": Int(1, 3)}, r"9 outside.*\{1\.\.3\}", 2, 2),
        ({"x": [1e-6, 0.1, 1.0, 0.1]}, {"x": Float(1e-5, 1, log=True)}, "outside", 0, 1),
        ({"x": [1.0, 2.5, 3.5, 3.0]}, {"x": Int(1, 5)}, "is an int but.*2.5", 1, 2),
        ({"x": [1.0, np.inf, 2.0, 3.0]}, {"x": Int(1, 5)}, "inf", 1, 1),
        ({"x": [1.0, 2.0, 1e30, 3.0]}, {"x": Int(1, 5)}, r"1e\+?30", 2, 1),
        ({"x": [0.5, -np.inf, 0.0, 1.0]}, {"x": Float(0, 1)}, "inf", 1, 1),
        ({"x": [0, 2, 3, 5]}, {"x": Int(0, 6, step=2)}, "3 between the steps", 2, 2),
        (
            {"x": [LEAST, LEAST + 3 * 10**15, LEAST + 15000 * 10**15, LEAST + 16000 * 10**15 + 1]},
            {"x": Int(LEAST, 2**63 - 1, step=10**15)},
            "between the steps",
            3,
            1,
        ),
        ({"x": [0.0, 0.25, 0.3, 1.0]}, {"x": Float(0, 1, step=0.25)}, "0.3 between", 2, 1),
        ({"x": [0.0, 1.0, 2.0, 0.5]}, {"x": Float(0, 3, step=1)}, "0.5 between", 3, 1),
        ({"x": ["a", "z", "y", "a"]}, {"x": Categorical(["a", "b"])}, "choice 'z'.*'a', 'b'", 1, 2),
        ({"x": ["a", "A", None, "a"]}, {"x": Categorical(["a"])}, "choice 'A'", 1, 1),
        ({"x": [8, 16, 17, 17]}, {"x": Categorical([8, 16])}, "choice '?17'?.*8, 16", 2, 2),
        # A value where no condition holds, and outside of the domain that does.
        (
            {"c": C, "x": [0.5, 0.5, None, 0.5]},
            {"c": Int(0, 1), "x": when("c == 1", Float(0, 1))},
            "none of its conditions holds.*'c == 1'",
            0,
            1,
        ),
        (
            {"c": C, "x": [0.5, 1.5, 0.7, 0.5]},
            {
                "c": Int(0, 1),
                "x": [when("c == 0", Float(0, 1)), when("c == 1", Float(1, 2))],
            },
            r"0\.5 outside its domain \[1, 2\]",
            3,
            1,
        ),
        (
            {"c": C, "x": ["a", "b", "b", "b"]},
            {
                "c": Int(0, 1),
                "x": [when("c == 0", Categorical(["a"])), when("c == 1", Categorical(["b"]))],
            },
            "choice 'b'.*allowed: 'a'",
            2,
            1,
        ),
        (
            {"c": C, "x": [1.0, 0.5, 2.5, 0.5]},
            {"c": Int(0, 1), "x": [when("c == 0", Int(0, 5)), when("c == 1", Float(0, 1))]},
            "int.*2.5",
            2,
            1,
        ),
        # Two conditions at once, with two domains.
        (
            {"c": C, "x": [0.5, 0.5, 0.5, 0.5]},
            {
                "c": Int(0, 1),
                "x": [when("c <= 1", Float(0, 1)), when("c == 1", Float(0, 2))],
            },
            "two domains at once.*'c == 1'",
            1,
            2,
        ),
    ],
)
def test_values_against_the_space_are_refused_with_their_rows(
    tmp_path: Path,
    make: Make,
    *,
    columns: dict[str, list[Any]],
    space: Any,
    says: str,
    first: int,
    count: int,
) -> None:
    """Whatever brings the data: the parameter, what it holds, the first row and how many."""
    source = make({"loss": LOSS, **columns}, tmp_path)
    with pytest.raises(DataError, match=f"'x'.*{says}") as caught:
        read(source, objective="loss", space=space)
    error = caught.value
    assert (error.column, error.first_row, error.count) == ("x", first, count)
    assert f"row {first}" in str(error)
    assert "\n" not in str(error)


@pytest.mark.parametrize("make", [mapping, pandas_frame, csv_file])
def test_texts_among_numbers_are_refused_with_their_rows(make: Make, tmp_path: Path) -> None:
    """As a parameter with a numeric domain and as an objective."""
    source = make({"x": [0.5, "much", 0.25, "more"], "y": [1, 2, 3, 4]}, tmp_path)
    for options in (
        {"objective": "y", "space": {"x": Float(0, 1)}},
        {"objective": "y", "space": {"x": Int(0, 1)}},
        {"objective": "x"},
        {"objective": "y", "constraints": ["x"]},
    ):
        with pytest.raises(DataError, match=r"'x' must be numeric.*'much'") as caught:
            read(source, **options)
        assert (caught.value.column, caught.value.first_row, caught.value.count) == ("x", 1, 2)


@every_reader
@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"objective": "los"}, "objective 'los'.*Did you mean 'loss'"),
        ({"objective": ["loss", "time"]}, "objective 'time'.*'loss', 'x'"),
        ({"state": "status"}, "state column 'status'"),
        ({"constraints": ["g"]}, "constraint 'g'"),
        ({"parameters": ["y"]}, "parameter 'y'"),
        ({"space": {"y": Float(0, 1)}}, "column for the parameter 'y'"),
    ],
)
def test_names_that_are_not_there_are_refused(
    make: Make, options: dict[str, Any], says: str, tmp_path: Path
) -> None:
    """A KeyError that lists what there is."""
    source = make({"loss": LOSS, "x": [1, 2, 3, 4]}, tmp_path)
    with pytest.raises(NameNotFoundError, match=says) as caught:
        read(source, **{"objective": "loss", **options})
    assert isinstance(caught.value, KeyError)


@every_reader
def test_an_objective_must_be_named(make: Make, tmp_path: Path) -> None:
    """The message lists the columns."""
    with pytest.raises(SettingsError, match=r"objective is needed.*'loss', 'x'"):
        read(make({"loss": LOSS, "x": LOSS}, tmp_path))


@every_reader
def test_an_objective_of_booleans_is_refused(make: Make, tmp_path: Path) -> None:
    """Whether that was meant as 0 and 1 is for the user to say."""
    source = make({"ok": [True, False, True, True], "x": LOSS}, tmp_path)
    with pytest.raises(DataError, match="'ok' must be numeric") as caught:
        read(source, objective="ok")
    assert (caught.value.column, caught.value.first_row, caught.value.count) == ("ok", 0, 4)


def test_a_state_that_python_does_not_write_is_refused() -> None:
    """An integer of 5,001 digits is told by their number."""
    ends = ["complete", 10**5000, "failed", "failed"]
    with pytest.raises(DataError, match="The state an integer of 5001 digits in row 1") as caught:
        read({"loss": LOSS, "x": LOSS, "end": ends}, objective="loss", state="end")
    assert (caught.value.first_row, caught.value.count) == (1, 1)


@every_reader
@pytest.mark.parametrize(
    ("ends", "first", "count"),
    [
        (["complete", "bogus", "ok", "bogus"], 1, 2),
        (["complete", "bogus", "weird", "failed"], 1, 2),
        ([None, "complete", "complete", "?"], 3, 1),
    ],
)
def test_unknown_states_are_refused_with_their_rows(
    make: Make, ends: list[Any], first: int, count: int, tmp_path: Path
) -> None:
    """All rows with a state that nobody knows are counted."""
    source = make({"loss": LOSS, "x": LOSS, "end": ends}, tmp_path)
    with pytest.raises(DataError, match=f"{ends[first]!r}.*'end'".replace("?", r"\?")) as caught:
        read(source, objective="loss", state="end")
    error = caught.value
    assert (error.column, error.first_row, error.count) == ("end", first, count)


@every_reader
@pytest.mark.parametrize("ends", [[1, 0, 2, 3], [True] * 4], ids=["numbers", "booleans"])
def test_states_that_are_no_words_are_refused(make: Make, ends: list[Any], tmp_path: Path) -> None:
    """With the column's name, and no word of what does not stand in it."""
    source = make({"loss": LOSS, "x": LOSS, "end": ends}, tmp_path)
    with pytest.raises(DataError, match="'end'") as caught:
        read(source, objective="loss", state="end")
    assert caught.value.column == "end"
    assert "False" not in str(caught.value)


DOUBLE = ["loss", "x", "x"]


@pytest.mark.parametrize(
    "make",
    [
        lambda folder: pd.DataFrame(np.eye(3), columns=DOUBLE),
        lambda folder: pa.Table.from_arrays([pa.array([1.0, 2.0])] * 3, names=DOUBLE),
        lambda folder: _written(folder, "loss,x,x\n1,2,3\n4,5,6\n"),
    ],
    ids=["pandas", "pyarrow", "csv"],
)
@pytest.mark.parametrize("space", [None, {"x": Float(0, 10)}], ids=["inferred", "given"])
def test_a_column_that_stands_twice_is_refused(
    make: Callable[[Path], Any], space: Any, tmp_path: Path
) -> None:
    """Which of the two is meant cannot be told."""
    with pytest.raises(DataError, match="two columns named 'x'") as caught:
        read(make(tmp_path), objective="loss", space=space)
    assert caught.value.column == "x"
    assert "\n" not in str(caught.value)


def _written(folder: Path, content: str) -> Path:
    path = folder / "trials.csv"
    path.write_text(content, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "source",
    [
        {},
        {"loss": [], "x": []},
        {"loss": np.array([]), "x": np.array([])},
        pd.DataFrame({"loss": [], "x": []}),
        pd.DataFrame(),
        pl.DataFrame({"loss": [], "x": []}),
        pl.LazyFrame(schema={"loss": pl.Float64, "x": pl.Float64}),
        pa.table({"loss": pa.array([], pa.float64()), "x": pa.array([], pa.float64())}),
    ],
    ids=lambda source: type(source).__module__,
)
def test_a_source_without_rows_is_refused(source: Any) -> None:
    """Before anything else is looked at."""
    with pytest.raises(DataError, match="no rows"):
        read(source, objective="loss")


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"loss": LOSS, "x": [1, 2, 3]}, "equally long.*'loss': 4.*'x': 3"),
        ({"loss": LOSS, "x": 5}, "'x' must be an array or a list.*int"),
        ({"loss": LOSS, "x": None}, "'x' must be an array or a list.*NoneType"),
        ({"loss": LOSS, "x": np.array(5)}, "'x' must be an array or a list"),
        ({"loss": LOSS, "x": (n for n in LOSS)}, "'x' must be an array or a list.*generator"),
    ],
)
def test_columns_that_do_not_fit_together_are_refused(columns: Any, says: str) -> None:
    """Unequal lengths, and things that have none."""
    with pytest.raises(DataError, match=says):
        read(columns, objective="loss")


@pytest.mark.parametrize(
    "column",
    [np.ones((4, 2)), [[1, 2]] * 4, [[1], [2, 3], [4], [5]], np.ones(4, dtype=complex)],
    ids=["matrix", "lists", "ragged", "complex"],
)
def test_columns_of_no_use_are_refused_by_name(column: Any) -> None:
    """As a parameter and as an objective; without a space they are left out."""
    columns = {"loss": LOSS, "x": column}
    with pytest.raises(DataError, match="'x' cannot be read") as caught:
        read(columns, objective="loss", space={"x": Float(0, 1)})
    assert caught.value.column == "x"
    with pytest.raises(DataError, match="'x' must be numeric") as caught:
        read(columns, objective="x")
    assert caught.value.column == "x"
    assert read(columns, objective="loss").ignored_columns == ("x",)


@pytest.mark.parametrize("column", ["loss", "x"])
def test_ints_beyond_all_floats_are_refused_by_name(column: str) -> None:
    """A number of 400 digits fits no column of numbers."""
    columns = {"loss": LOSS, "x": LOSS, column: [1, 10**400, 2, 3]}
    with pytest.raises(DataError, match=f"{column!r}") as caught:
        read(columns, objective="loss", space={"x": Float(0, 9)})
    assert caught.value.column == column


def test_a_pandas_column_without_a_name_ends_in_an_error_of_ours() -> None:
    """A frame allows None and NaN for names; nobody can mean such a column."""
    for name in (None, np.nan, 5, ("a", "b")):
        with pytest.raises(CondpedError):
            read(pd.DataFrame({"loss": LOSS, name: LOSS}), objective="loss")


def test_a_column_cannot_be_parameter_and_objective_at_once() -> None:
    """The loss explains itself too well."""
    for options in ({"objective": "x"}, {"objective": "loss", "constraints": ["x"]}):
        with pytest.raises(DataError, match="'x' is both") as caught:
            read({"loss": LOSS, "x": LOSS}, space={"x": Float(0, 5)}, **options)
        assert caught.value.column == "x"


def test_numeric_and_categorical_domains_of_one_parameter_are_refused() -> None:
    """One column cannot hold them apart."""
    space = {
        "c": Int(0, 1),
        "x": [when("c == 0", Float(0, 1)), when("c == 1", Categorical(["auto"]))],
    }
    with pytest.raises(DataError, match="'x' has numeric and categorical domains") as caught:
        read({"loss": LOSS, "c": C, "x": [0.5, "auto", 0.5, "auto"]}, objective="loss", space=space)
    assert caught.value.column == "x"
