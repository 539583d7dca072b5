"""Dataframes: whatever the library and the types of its columns, the same table."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import narwhals
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import condped
from condped import Categorical, Float, Int, TrialTable, read
from condped.errors import DataError, NameNotFoundError
from tests.read.tables import EXPECTED, SPACE, TRIALS, parameters_of, plain

ARROW = pa.table(TRIALS)
FRAMES: dict[str, Callable[[], Any]] = {
    # What one gets without any thought: ints with gaps become floats, the rest texts or objects.
    "pandas": lambda: pd.DataFrame({**TRIALS, "width": pd.array(TRIALS["width"], "Int64")}),
    "pandas-nullable": lambda: (
        ARROW.to_pandas().convert_dtypes().assign(width=pd.array(TRIALS["width"], dtype="Int64"))
    ),
    "pandas-object": lambda: pd.DataFrame(TRIALS, dtype=object),
    "pandas-categorical": lambda: pd.DataFrame(
        {
            name: pd.array(values, dtype="category") if name not in ("loss", "width") else values
            for name, values in {
                **TRIALS,
                "width": pd.array(TRIALS["width"], dtype="Int64"),
            }.items()
        }
    ),
    "pandas-arrow": lambda: ARROW.to_pandas(types_mapper=pd.ArrowDtype),
    "pandas-odd-index": lambda: pd.DataFrame(
        {**TRIALS, "width": pd.array(TRIALS["width"], dtype="Int64")}
    ).set_axis([3, 3, 1, 9, 0, -1]),
    "polars": lambda: pl.DataFrame(TRIALS),
    "polars-lazy": lambda: pl.LazyFrame(TRIALS),
    "polars-categorical": lambda: pl.DataFrame(TRIALS).with_columns(
        pl.col("model").cast(pl.Categorical),
        pl.col("comment").cast(pl.Enum(["x", "y", "z"])),
    ),
    "polars-narrow": lambda: pl.DataFrame(TRIALS).with_columns(
        pl.col("batch").cast(pl.UInt8), pl.col("loss").cast(pl.Float32)
    ),
    "polars-nan": lambda: pl.DataFrame(TRIALS).with_columns(pl.col("C", "lr").fill_null(np.nan)),
    "polars-chunks": lambda: pl.concat(
        [pl.DataFrame(TRIALS)[:2], pl.DataFrame(TRIALS)[2:]], rechunk=False
    ),
    "pyarrow": lambda: ARROW,
    "pyarrow-dictionary": lambda: ARROW.set_column(1, "model", ARROW["model"].dictionary_encode()),
    "pyarrow-large": lambda: ARROW.set_column(1, "model", ARROW["model"].cast(pa.large_string())),
    "pyarrow-chunks": lambda: pa.concat_tables([ARROW[:2], ARROW[2:]]),
    "pyarrow-slice": lambda: pa.concat_tables([ARROW, ARROW])[6:],
}
LIBRARIES: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "polars-lazy": pl.LazyFrame,
    "pyarrow": pa.table,
}
library = pytest.mark.parametrize("make", LIBRARIES.values(), ids=LIBRARIES.keys())


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())
def test_every_frame_gives_the_mappings_table(frame: Callable[[], Any]) -> None:
    """Values, absences, domains, objective and leftovers are those of the mapping reader."""
    table = read(frame(), objective="loss", space=SPACE)
    assert parameters_of(table) == EXPECTED
    assert plain(table) == plain(read(TRIALS, objective="loss", space=SPACE))


@library
def test_every_library_infers_the_same_space(make: Callable[[dict[str, list[Any]]], Any]) -> None:
    """Without a space, too, the container makes no difference."""
    columns = {name: TRIALS[name] for name in ("loss", "model", "C", "lr", "warm", "comment")}
    table = read(make(columns), objective="loss", direction="maximize")
    assert plain(table) == plain(read(columns, objective="loss", direction="maximize"))
    assert table.space_inferred


@library
def test_states_and_constraints_come_from_any_frame(
    make: Callable[[dict[str, list[Any]]], Any],
) -> None:
    """What the caller names besides parameters is read the same way."""
    columns: dict[str, list[Any]] = {
        "loss": [1.0, 2.0, 3.0],
        "end": ["complete", "failed", None],
        "g": [-1.0, None, 2.0],
        "x": [1, 2, 3],
    }
    options: dict[str, Any] = {"objective": "loss", "state": "end", "constraints": ["g"]}
    assert plain(read(make(columns), **options)) == plain(read(columns, **options))


def _column(values: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.one_of(st.none(), values), min_size=4, max_size=4)


@settings(max_examples=40, deadline=None)
@given(
    columns=st.fixed_dictionaries(
        {
            "loss": _column(st.floats(allow_nan=False)),
            "a": _column(st.floats(-1e6, 1e6)),
            "n": _column(st.integers(-(2**62), 2**62)),
            "k": _column(st.text(alphabet="ab1 ,\"'ß\n", max_size=3)),
            "b": _column(st.booleans()),
        }
    )
)
def test_random_trials_are_one_table_in_every_library(columns: dict[str, list[Any]]) -> None:
    """Any numbers, texts and booleans with any gaps, without a space."""
    types = {"loss": pl.Float64, "a": pl.Float64, "n": pl.Int64, "k": pl.String, "b": pl.Boolean}
    frame = pl.DataFrame(columns, schema=types)
    expected = plain(read(columns, objective="loss"))
    assert plain(read(frame, objective="loss")) == expected
    assert plain(read(frame.to_arrow(), objective="loss")) == expected
    assert plain(read(pd.DataFrame(columns, dtype=object), objective="loss")) == expected
    nullable = {"loss": "Float64", "a": "Float64", "n": "Int64", "k": "string", "b": "boolean"}
    assert (
        plain(
            read(
                pd.DataFrame(
                    {name: pd.array(columns[name], dtype=nullable[name]) for name in columns}
                ),
                objective="loss",
            )
        )
        == expected
    )


def framed(x: Any, other: str) -> Any:
    """Return a frame of column x and another of three numbers, in the library of x."""
    columns = {"x": x, other: [1.0, 2.0, 3.0]}
    if isinstance(x, pl.Series):
        return pl.DataFrame(columns)
    return (pa.table if isinstance(x, pa.Array) else pd.DataFrame)(columns)


def one_column(column: Any, space: Any = None) -> TrialTable:
    """Read a frame of a loss and this column."""
    return read(framed(column, "loss"), objective="loss", space=space)


def kind(column: Any) -> str:
    """Name a column's library and type."""
    dtype = column.type if isinstance(column, pa.Array) else getattr(column, "dtype", column)
    return f"{type(column).__module__.split('.')[0]}-{dtype}"


@pytest.mark.parametrize("domain", [Float(0, 1), Int(0, 1), Categorical(["a", "b"])])
@pytest.mark.parametrize(
    "column",
    [
        pd.Series([None] * 3),
        pd.Series([None] * 3, dtype="Int64"),
        pd.Series([None] * 3, dtype="string"),
        pd.Series([None] * 3, dtype="category"),
        pl.Series([None] * 3),
        pl.Series([None] * 3, dtype=pl.Float64),
        pa.array([None] * 3),
        pa.array([None] * 3, pa.string()),
    ],
    ids=kind,
)
def test_a_column_without_values_is_an_absent_parameter(column: Any, domain: Any) -> None:
    """Whatever type a library gives to nothing, it is nothing."""
    assert parameters_of(one_column(column, {"x": domain})) == {"x": ([None] * 3, [-1] * 3)}


def test_an_objective_without_values_is_nowhere_finite() -> None:
    """All libraries agree that there is nothing to learn from."""
    for make in LIBRARIES.values():
        table = read(make({"loss": [None, None], "x": [1, 2]}), objective="loss")
        assert np.isnan(table.objectives[0].values).all()


DECIMALS = [decimal.Decimal("1.5"), None, decimal.Decimal("2.5")]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1.5, None, 2.5], dtype="float32"),
        pd.Series([1.5, None, 2.5], dtype="Float64"),
        pd.Series([1.5, pd.NA, 2.5], dtype=object),
        pd.Series(DECIMALS, dtype=pd.ArrowDtype(pa.decimal128(5, 2))),
        pl.Series([1.5, float("nan"), 2.5]),
        pl.Series(DECIMALS),
        pa.array(DECIMALS),
        pytest.param(
            pa.array(np.array([1.5, 0, 2.5], np.float16), mask=np.array([False, True, False])),
            marks=pytest.mark.skipif(
                not hasattr(narwhals, "Float16"), reason="this narwhals knows no half floats"
            ),
        ),
    ],
    ids=kind,
)
def test_numbers_of_every_type_are_the_same_numbers(column: Any) -> None:
    """Also as an objective: what is missing must not turn into a 0."""
    assert parameters_of(one_column(column, {"x": Float(0, 5)})) == {
        "x": ([1.5, None, 2.5], [0, -1, 0])
    }
    table = read(framed(column, "y"), objective="x")
    np.testing.assert_array_equal(table.objectives[0].values, [1.5, np.nan, 2.5])


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([2**60 + 1, None, 2], dtype="Int64"),
        pd.Series([2**60 + 1, None, 2], dtype="UInt64"),
        pd.Series([2**60 + 1, None, 2], dtype=object),
        pd.Series([2**60 + 1, None, 2], dtype="int64[pyarrow]"),
        pl.Series([2**60 + 1, None, 2]),
        pl.Series([2**60 + 1, None, 2], dtype=pl.UInt64),
        pl.Series([2**60 + 1, None, 2], dtype=pl.Int128),
        pa.array([2**60 + 1, None, 2]),
        pa.array([2**60 + 1, None, 2], pa.uint64()),
    ],
    ids=kind,
)
def test_ints_with_gaps_stay_exact(column: Any) -> None:
    """No detour through floats for types that can hold a missing int."""
    assert parameters_of(one_column(column, {"x": Int(0, 2**61)}))["x"][0] == [2**60 + 1, None, 2]


@pytest.mark.parametrize(
    ("domain", "values"),
    [(Int(0, 100), [16, None, 32]), (Categorical([8, 16, 32]), [1, None, 2])],
    ids=["int", "categorical"],
)
def test_ints_that_pandas_turned_into_floats_are_ints_again(domain: Any, values: Any) -> None:
    """A gap makes floats of ints; whole floats fit an int domain and numeric choices."""
    table = one_column(pd.Series([16, None, 32]), {"x": domain})
    assert parameters_of(table)["x"] == (values, [0, -1, 0])


def test_categories_that_do_not_occur_are_no_choices() -> None:
    """Inference looks at the values, not at a type's list of categories."""
    for column in (
        pd.Series(["a", None, "b"], dtype=pd.CategoricalDtype(["z", "b", "a"])),
        pl.Series(["a", None, "b"], dtype=pl.Enum(["z", "b", "a"])),
    ):
        assert one_column(column).parameters[0].domains == (Categorical(["a", "b"]),)


def test_mixed_types_in_an_object_column_are_choices_apart() -> None:
    """Numbers, texts and booleans side by side, each its own choice."""
    table = one_column(pd.Series([1, "1", True], dtype=object))
    (domain,) = table.parameters[0].domains
    assert isinstance(domain, Categorical)
    assert {(type(choice), choice) for choice in domain.choices} == {
        (int, 1),
        (str, "1"),
        (bool, True),
    }
    assert sorted(parameters_of(table)["x"][0]) == [0, 1, 2]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(pd.to_datetime(["2026-01-01"] * 3, utc=True)),
        pd.Series(pd.to_timedelta([1, 2, 3])),
        pd.Series(pd.period_range("2026", periods=3, freq="D")),
        pd.Series([1 + 2j, 2, 3]),
        pd.Series([[1], [2], [3]]),
        pd.Series([{"a": 1}] * 3),
        pl.Series([datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)] * 3),
        pl.Series([datetime.timedelta(1)] * 3),
        pl.Series([[1], [2], [3]]),
        pl.Series([{"a": 1}] * 3),
        pa.array([datetime.time(1)] * 3),
        pa.array([b"a"] * 3),
        pa.array([{"a": 1}] * 3),
    ],
    ids=kind,
)
def test_columns_of_no_use_are_left_out_or_refused_by_name(column: Any) -> None:
    """Dates, lists and records: listed as not used, refused where the caller names them."""
    assert one_column(column).ignored_columns == ("x",)
    with pytest.raises(DataError, match="'x' cannot be read") as caught:
        one_column(column, {"x": Float(0, 1)})
    assert caught.value.column == "x"
    with pytest.raises(DataError, match="objective 'x' must be numeric") as caught:
        read(framed(column, "y"), objective="x")
    assert caught.value.column == "x"


def test_the_kind_of_an_unreadable_column_is_told() -> None:
    """Not the type of its first, missing value."""
    with pytest.raises(DataError, match="list"):
        one_column(pd.Series([None, [1], [2]], dtype=object), {"x": Categorical(["a"])})


def test_names_of_pandas_columns_need_not_be_texts() -> None:
    """Numbers as names: told about where they would be parameters, harmless elsewhere."""
    frame = pd.DataFrame(np.arange(12.0).reshape(4, 3), columns=["loss", "x", 7])
    result = condped.importance(frame, objective="loss", space={"x": Int(0, 12)})
    assert "Columns not used: 7." in str(result)


def test_a_pandas_index_is_not_a_parameter() -> None:
    """Only columns are read."""
    frame = pd.DataFrame({"loss": [1.0, 2.0], "x": [1, 2]}, index=pd.Index([5, 6], name="trial"))
    assert read(frame, objective="loss").names == ("x",)


def test_headers_of_several_levels_end_in_a_name_not_found() -> None:
    """The message lists what the columns are called."""
    frame = pd.DataFrame(
        np.eye(3), columns=pd.MultiIndex.from_tuples([("a", "b"), ("a", "c"), ("loss", "")])
    )
    with pytest.raises(NameNotFoundError, match="There is no objective 'loss'"):
        read(frame, objective="loss")


def test_reading_leaves_the_frame_alone() -> None:
    """A pandas frame is the same afterwards."""
    frame = FRAMES["pandas"]()
    before = frame.copy(deep=True)
    read(frame, objective="loss", space=SPACE)
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize("column", [
    pa.array([1, 2], pa.timestamp("ns", "Not/AZone")),
    pa.array([decimal.Decimal(1000), decimal.Decimal(2000)], pa.decimal128(20, -3)),
], ids=["zone", "scale"])  # fmt: skip
def test_types_that_only_arrow_knows_are_left_out(column: Any, tmp_path: Path) -> None:
    """Zones that no database has, decimals with a negative scale: in memory and in files."""
    frame = pa.table({"x": [0.0, 1.0], "odd": column, "loss": [1.0, 2.0]})
    with pa.ipc.new_file(str(tmp_path / "a.arrow"), frame.schema) as writer:
        writer.write_table(frame)
    for source in (frame, tmp_path / "a.arrow"):
        table = read(source, objective="loss")
        assert table.names == ("x",)
        assert table.ignored_columns == ("odd",)
        with pytest.raises(DataError, match="objective 'odd' must be numeric"):
            read(source, objective="odd")


def test_a_parameter_by_name_that_cannot_be_one_says_why() -> None:
    """It is there, so it is not said to be missing."""
    frame = pl.DataFrame({"layers": [[64], [64, 64]], "loss": [1.0, 2.0]})
    with pytest.raises(DataError, match=r"'layers' cannot be read: its column holds List\(Int64\)"):
        condped.importance(frame, objective="loss", parameters=["layers"])
