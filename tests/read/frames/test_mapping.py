"""Mappings of columns, the reader that the others are compared with."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import condped
from condped import Categorical, Float, Int, read, when
from condped.errors import CondpedError, DataError, NameNotFoundError, SettingsError
from condped.trials.table import State
from tests.read.tables import EXPECTED, SPACE, TRIALS, parameters_of, plain


def test_every_kind_of_parameter_is_read_as_it_stands() -> None:
    """Values, absences and domains of the shared trials, worked out by hand."""
    table = read(TRIALS, objective="loss", space=SPACE)
    assert parameters_of(table) == EXPECTED
    assert table.names == tuple(SPACE)
    assert table.ignored_columns == ("comment",)
    assert not table.space_inferred
    assert len(table) == 6
    assert table.parameters[3].domains == (Float(0.1, 1), Float(0.01, 0.1))


def test_an_objective_of_ints_becomes_floats_with_nan_for_missing() -> None:
    """Whole numbers and missing ones are fine as objectives."""
    (objective,) = read(TRIALS, objective="loss", space=SPACE).objectives
    assert objective.values.dtype == np.float64
    np.testing.assert_array_equal(objective.values, [3, 1, 2, 5, np.nan, 4])


def test_choices_that_python_does_not_write_are_told_apart() -> None:
    """An integer of 5,001 digits as a choice, in a group, as the name of a study, and inferred."""
    huge: list[Any] = [10**5000, "a", 3] * 4
    columns = {"loss": np.linspace(0, 1, 12), "x": huge, "y": [1, 2] * 6}
    space = {"x": Categorical(huge[:3]), "y": Int(1, 2)}
    options: Any = {"objective": "loss", "groups": {"g": ["x", "y"]}}
    assert read(columns, **options, space=space).names == ("g",)
    found = read(columns, objective="loss", space=space).parameters[0]
    assert (found.values.tolist(), found.domains) == ([0, 1, 2] * 4, (space["x"],))
    assert str(condped.branches(columns, objective="loss", space=space))
    assert str(condped.across(columns, objective="loss", study_column="x"))
    (inferred,) = read(columns, objective="loss").parameters[0].domains
    assert isinstance(inferred, Categorical)
    assert len(inferred.choices) == 3


@pytest.mark.parametrize("gap", [Decimal("sNaN"), Decimal("NaN"), np.ma.masked, pd.NA, pd.NaT])
def test_what_stands_for_a_missing_value_is_absent(gap: Any) -> None:
    """Also a NaN that raises when it is compared, and numpy's masked constant."""
    column = ["a", gap, "b"]
    table = read({"loss": [1.0, 2.0, 3.0], "x": column}, objective="loss")
    (found,) = table.parameters
    assert found.domain_ids.tolist() == [0, -1, 0]
    assert found.domains == (Categorical(["a", "b"]),)


@pytest.mark.parametrize(
    "column",
    [
        [0.5, None, 2.0],
        [0.5, float("nan"), 2],
        (0.5, None, 2.0),
        np.array([0.5, np.nan, 2.0]),
        np.array([0.5, np.nan, 2.0], dtype=np.float32),
        np.array([0.5, None, 2.0], dtype=object),
        np.array([0.5, np.nan, 2.0], dtype=">f8"),
        np.ma.array([0.5, 1.0, 2.0], mask=[False, True, False]),
        pd.Series([0.5, None, 2.0]),
        pd.Series([0.5, None, 2.0], dtype="Float64"),
        pd.Series([0.5, None, 2.0], index=[7, 8, 9], dtype=object),
        pl.Series([0.5, None, 2.0]),
        pa.array([0.5, None, 2.0]),
        pa.chunked_array([[0.5], [None, 2.0]]),
    ],
    ids=lambda column: f"{type(column).__module__}-{getattr(column, 'dtype', '')}",
)
def test_any_kind_of_array_is_a_column(column: Any) -> None:
    """Whatever holds the numbers, they are the same numbers."""
    table = read({"loss": [1, 2, 3], "x": column}, objective="loss", space={"x": Float(0, 3)})
    assert parameters_of(table) == {"x": ([0.5, None, 2.0], [0, -1, 0])}


@pytest.mark.parametrize(
    "column",
    [
        ["a", None, "b"],
        np.array(["a", None, "b"], dtype=object),
        pd.Series(["a", None, "b"], dtype="string"),
        pd.Categorical(["a", None, "b"]),
        pl.Series(["a", None, "b"], dtype=pl.Categorical),
        pa.array(["a", None, "b"]),
    ],
    ids=lambda column: f"{type(column).__module__}-{getattr(column, 'dtype', '')}",
)
@pytest.mark.parametrize("space", [None, {"x": Categorical(["a", "b"])}], ids=["inferred", "given"])
def test_any_kind_of_texts_is_a_column(column: Any, space: Any) -> None:
    """Whatever holds the texts, they are the same choices."""
    table = read({"loss": [1, 2, 3], "x": column}, objective="loss", space=space)
    assert parameters_of(table) == {"x": ([0, None, 1], [0, -1, 0])}
    assert table.parameters[0].domains == (Categorical(["a", "b"]),)


@pytest.mark.parametrize(
    "column", [np.array(["a", "b"]), np.array(["a", "b"], dtype=np.dtypes.StringDType())]
)
def test_numpy_texts_are_choices(column: Any) -> None:
    """Both of numpy's kinds of text."""
    table = read({"loss": [1, 2], "x": column}, objective="loss")
    assert table.parameters[0].domains == (Categorical(["a", "b"]),)


@pytest.mark.parametrize("make", [list, np.array, pd.Series, pl.Series])
def test_booleans_are_one_domain_whatever_holds_them(make: Callable[[list[bool]], Any]) -> None:
    """A column that is always True has the choices False and True in every container."""
    table = read({"loss": [1, 2], "x": make([True, True])}, objective="loss")
    assert table.parameters[0].domains == (Categorical([False, True]),)
    assert parameters_of(table) == {"x": ([1, 1], [0, 0])}


@pytest.mark.parametrize(
    "make", [list, np.array, lambda values: pd.Series(values, dtype="boolean"), pl.Series]
)
def test_booleans_count_as_0_and_1_in_an_int_domain(make: Callable[[list[bool]], Any]) -> None:
    """A switch that the space calls an int from 0 to 1."""
    table = read(
        {"loss": [1, 2], "x": make([True, False])}, objective="loss", space={"x": Int(0, 1)}
    )
    assert parameters_of(table) == {"x": ([1, 0], [0, 0])}


def test_numbers_0_and_1_are_the_choices_false_and_true() -> None:
    """Tools that store switches as numbers mean the same switch."""
    space = {"x": Categorical([True, False])}
    for column in ([1, 0], [1.0, 0.0], np.array([1, 0], dtype=np.uint8)):
        table = read({"loss": [1, 2], "x": column}, objective="loss", space=space)
        assert parameters_of(table) == {"x": ([0, 1], [0, 0])}


def test_choices_of_one_value_and_different_types_stay_apart() -> None:
    """True, 1 and '1' are three choices."""
    space = {"x": Categorical(["1", 1, True])}
    data = {"loss": [1, 2, 3], "x": [True, "1", 1]}
    assert parameters_of(read(data, objective="loss", space=space))["x"][0] == [2, 0, 1]


def test_none_as_a_choice_is_what_a_missing_value_means() -> None:
    """A space that lists None says that nothing is a value of its own."""
    space = {"k": Categorical(["a", None])}
    table = read({"loss": [1, 2, 3], "k": ["a", None, "a"]}, objective="loss", space=space)
    assert parameters_of(table) == {"k": ([0, 1, 0], [0, 0, 0])}


@pytest.mark.parametrize("condition", ["k == none", "k != 'a'", "k in [none]", "k not in ['a']"])
def test_conditions_see_none_as_a_choice(condition: str) -> None:
    """Where None is a choice, a missing value is present and equals it."""
    space = {"k": Categorical(["a", None]), "x": when(condition, Float(0, 1))}
    data = {"loss": [1, 2, 3], "k": ["a", None, "a"], "x": [None, 0.5, None]}
    table = read(data, objective="loss", space=space)
    assert parameters_of(table)["x"] == ([None, 0.5, None], [-1, 0, -1])


def test_none_as_a_choice_under_a_condition_is_absent_elsewhere() -> None:
    """Where the condition does not hold, missing is absent all the same."""
    space = {"c": Int(0, 1), "k": when("c == 1", Categorical(["a", None]))}
    data = {"loss": [1, 2, 3], "c": [0, 1, 1], "k": [None, None, "a"]}
    assert parameters_of(read(data, objective="loss", space=space))["k"] == (
        [None, 1, 0],
        [-1, 0, 0],
    )


@pytest.mark.parametrize("domain", [Float(0, 1), Int(0, 1), Categorical(["a", "b"])])
@pytest.mark.parametrize("column", [[None] * 3, np.full(3, np.nan), np.full(3, None)])
def test_a_parameter_that_is_never_there_is_absent_everywhere(domain: Any, column: Any) -> None:
    """A column without any value says nothing against any domain."""
    table = read({"loss": [1, 2, 3], "x": column}, objective="loss", space={"x": domain})
    assert parameters_of(table) == {"x": ([None] * 3, [-1] * 3)}


def test_ints_stay_exact_beyond_2_to_the_53() -> None:
    """With and without missing values."""
    for column in ([2**60 + 1, 2**60 + 3], [2**60 + 1, None]):
        table = read({"loss": [1, 2], "x": column}, objective="loss", space={"x": Int(0, 2**61)})
        assert parameters_of(table)["x"][0] == column


@pytest.mark.parametrize("high", [2**63, 2**70])
def test_ints_beyond_64_bits_are_read_right_or_refused(high: int) -> None:
    """No value turns into another one on the way."""
    try:
        table = read({"loss": [1, 2], "x": [high, 5]}, objective="loss", space={"x": Int(0, 2**71)})
    except CondpedError:
        return
    assert parameters_of(table)["x"][0] == [high, 5]


def test_float_values_may_miss_a_bound_by_rounding() -> None:
    """What a tool computes as a bound is not always the bound's own float."""
    data = {"loss": [1, 2], "x": [1e-5 * (1 - 1e-12), np.exp(np.log(0.1))], "y": [-1e-12, 0.3]}
    space = {"x": Float(1e-5, 0.1, log=True), "y": Float(0, 0.1 * 3)}
    assert len(read(data, objective="loss", space=space)) == 2


def test_single_precision_bounds_are_inside_the_domain() -> None:
    """0.1 stored in 32 bits is a little above 0.1, and meant to be it."""
    data = {"loss": [1, 2], "x": np.array([0.1, 0.05], dtype=np.float32)}
    table = read(data, objective="loss", space={"x": Float(0, 0.1)})
    assert parameters_of(table)["x"][1] == [0, 0]


def test_float_values_on_the_steps_are_accepted() -> None:
    """0.1 + 0.2 is on the third step of 0.1."""
    data = {"loss": [1, 2, 3], "x": [0.1 + 0.2, 0.7, 0.0]}
    assert len(read(data, objective="loss", space={"x": Float(0, 1, step=0.1)})) == 3


def test_several_objectives_states_and_constraints_are_read() -> None:
    """Everything that the caller can name besides parameters."""
    data = {
        "time": [1.0, 2.0, 3.0, 4.0, 5.0],
        "acc": [0.5, 0.6, None, 0.8, 0.9],
        "end": ["COMPLETE", "TrialState.FAIL", " pruned ", None, "Waiting"],
        "g": [-1.0, 0.5, None, 0.0, 1.0],
        "h": [0, 0, 1, 0, 0],
        "x": [1, 2, 3, 4, 5],
    }
    table = read(
        data,
        objective=["time", "acc"],
        direction=["minimize", "maximize"],
        state="end",
        constraints=["g", "h"],
    )
    assert [(o.name, o.direction) for o in table.objectives] == [
        ("time", "minimize"),
        ("acc", "maximize"),
    ]
    np.testing.assert_array_equal(table.objectives[1].losses, [-0.5, -0.6, np.nan, -0.8, -0.9])
    running = State.RUNNING
    assert table.states.tolist() == [State.COMPLETE, State.FAILED, State.PRUNED, running, running]
    assert table.infeasible is not None
    assert table.infeasible.tolist() == [False, True, True, False, True]
    assert table.names == ("x",)


def test_a_missing_value_against_its_condition_is_noted() -> None:
    """Finished trials that lack an active parameter are told about, with the first row."""
    space = {"c": Int(0, 1), "x": when("c == 1", Float(0, 1))}
    data = {"loss": [1, 2, 3, 4], "c": [0, 1, 1, 1], "x": [None, None, 0.5, None]}
    table = read(data, objective="loss", space=space)
    assert parameters_of(table)["x"][1] == [-1, -1, 0, -1]
    (note,) = table.notes
    assert "x: missing in 2 finished trials" in note
    assert "row 1" in note
    ended = read(
        {**data, "s": ["ok", "failed", "ok", "running"]}, objective="loss", space=space, state="s"
    )
    assert ended.notes == ()


def test_conditions_that_hold_together_may_share_a_domain() -> None:
    """Two reasons for one and the same domain are no contradiction."""
    space = {"c": Int(0, 2), "x": [when("c >= 1", Float(0, 1)), when("c == 2", Float(0, 1))]}
    data = {"loss": [1, 2, 3], "c": [0, 1, 2], "x": [None, 0.1, 0.2]}
    table = read(data, objective="loss", space=space)
    assert parameters_of(table)["x"] == ([None, 0.1, 0.2], [-1, 0, 0])
    assert table.parameters[1].domains == (Float(0, 1),)


def test_many_alternatives_get_ids_of_their_own() -> None:
    """More domains than an int8 can number."""
    n = 300
    space = {
        "c": Int(0, n - 1),
        "x": [when(f"c == {place}", Float(place, place + 0.5)) for place in range(n)],
    }
    data = {"loss": np.arange(n), "c": np.arange(n), "x": np.arange(n) + 0.25}
    assert parameters_of(read(data, objective="loss", space=space))["x"][1] == list(range(n))


def test_reading_leaves_the_arrays_alone() -> None:
    """Read-only arrays go in, and are the same afterwards."""
    arrays = {"loss": np.array([1.0, np.nan]), "x": np.array([0.5, np.nan]), "n": np.array([1, 2])}
    for array in arrays.values():
        array.setflags(write=False)
    read(arrays, objective="loss", space={"x": Float(0, 1), "n": Int(0, 5)})
    np.testing.assert_array_equal(arrays["x"], [0.5, np.nan])


@pytest.mark.parametrize(
    "column",
    [{0: 5, 1: 6, 2: 7}, {7, 8, 9}, "abc", b"abc"],
    ids=["mapping", "set", "text", "bytes"],
)
def test_what_has_a_length_but_is_no_column_is_refused(column: Any) -> None:
    """The keys of DataFrame.to_dict(), a set's chance order and letters are no values."""
    with pytest.raises(DataError, match="'x'") as caught:
        read({"loss": [1, 2, 3], "x": column}, objective="loss")
    assert caught.value.column == "x"


def test_names_that_are_no_texts_are_told_about_or_left_out() -> None:
    """A number as a name cannot be a parameter, and does no harm beside a space."""
    with pytest.raises(CondpedError, match="1"):
        read({"loss": [1, 2], 1: [1, 2]}, objective="loss")
    table = read({"loss": [1, 2], 1: [1, 2], "x": [1, 2]}, objective="loss", space={"x": Int(0, 3)})
    assert table.ignored_columns == ("1",)


def test_records_need_not_have_a_parameter_that_was_never_active() -> None:
    """As in a table with an empty column; one that is always active must be there."""
    records = [{"model": "svm", "loss": loss} for loss in (1.0, 0.5)]
    space = {"model": Categorical(["svm", "net"]), "layers": when("model == 'net'", Int(1, 3))}
    columns = {"model": ["svm", "svm"], "layers": [None, None], "loss": [1.0, 0.5]}
    table = read(records, objective="loss", space=space)
    assert parameters_of(table) == parameters_of(read(columns, objective="loss", space=space))
    assert table.notes == ("No trial has layers.",)
    with pytest.raises(NameNotFoundError, match="no column for the parameter 'layers'"):
        read(records, objective="loss", space={**space, "layers": Int(1, 3)})


def test_chosen_parameters_come_in_the_chosen_order() -> None:
    """Conditions still see the parameters that were left out."""
    table = read(TRIALS, objective="loss", space=SPACE, parameters=["lr", "C"])
    assert parameters_of(table) == {name: EXPECTED[name] for name in ("lr", "C")}


def test_a_loss_of_ones_own_replaces_the_objective() -> None:
    """Numbers per row, and no objective beside them."""
    table = read({"x": [1, 2]}, loss=[0.5, 0.25])
    assert table.objectives[0].values.tolist() == [0.5, 0.25]
    with pytest.raises(SettingsError, match="either loss or objective"):
        read({"x": [1, 2]}, loss=[0.5, 0.25], objective="x")


def test_a_table_is_a_source_too() -> None:
    """It settles its own space, and lets one choose among what it has."""
    table = read(
        {"a": [1, 2], "b": [4, 3], "x": [1, 2]}, objective=["a", "b"], direction=["minimize"] * 2
    )
    assert plain(read(table)) == plain(table)
    assert read(table, objective="b").objectives[0].values.tolist() == [4, 3]
    assert read(table, objective=-1).objectives[0].name == "b"
    assert read(table, loss=[0, 1]).objectives[0].values.tolist() == [0, 1]
    with pytest.raises(SettingsError, match="space cannot be set for a TrialTable"):
        read(table, space={"x": Int(0, 3)})
