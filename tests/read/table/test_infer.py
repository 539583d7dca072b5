"""Domains guessed from values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import condped
from condped import Categorical, Float, Int, read
from condped.errors import NameNotFoundError
from tests.read.tables import parameters_of


def inferred(column: Any) -> Any:
    """Return the domain that is inferred for a column, None if it is left out."""
    table = read({"loss": range(len(column)), "x": column}, objective="loss")
    assert table.space_inferred
    if table.ignored_columns == ("x",):
        return None
    (domain,) = table.parameters[0].domains
    return domain


@pytest.mark.parametrize(
    ("column", "domain"),
    [
        ([3, 1, 2], Int(1, 3)),
        ([3, None, 1], Int(1, 3)),
        ([3.0, 1.0], Int(1, 3)),
        ([5, 5], Int(5, 5)),
        ([-4, 0, 4], Int(-4, 4)),
        ([2**60 + 1, 2**60 + 3, None], Int(2**60 + 1, 2**60 + 3)),
        ([0.5, 2.0, 1.0], Float(0.5, 2)),
        ([0.5, None], Float(0.5, 0.5)),
        ([0, 0.25], Float(0, 0.25)),
        (["b", "a", None, "b"], Categorical(["a", "b"])),
        ([True, False], Categorical([False, True])),
        ([True, None, False], Categorical([False, True])),
        (["10", "9"], Categorical(["10", "9"])),
        ([None, None], None),
        ([float("nan")] * 2, None),
        # Positive, a factor of 50 or more, and more even in logs: a log scale.
        ([1e-4, 1e-3, 1e-2], Float(1e-4, 1e-2, log=True)),
        ([1, 10, 100], Int(1, 100, log=True)),
        ([1, 8, 50], Int(1, 50, log=True)),
        ([1, 8, 49], Int(1, 49)),  # less than a factor of 50
        ([1, 50, 100], Int(1, 100)),  # evenly spread as it is
        ([0, 10, 1000], Int(0, 1000)),  # no logarithm of 0
        ([-1, 10, 1000], Int(-1, 1000)),
    ],
)
def test_domains_follow_the_values(column: list[Any], domain: Any) -> None:
    """Types, bounds and scales, by hand."""
    assert inferred(column) == domain


@pytest.mark.parametrize(
    ("column", "domain"),
    [
        ([1e20, 2e20, 3e20], Float(1e20, 3e20)),
        ([2**70, 1.0, 5], Float(1, 2.0**70, log=True)),
        (np.array([2**64 - 1, 2**63], dtype=np.uint64), Float(2.0**63, 2.0**64)),
        ([1e300, -1e300], Float(-1e300, 1e300)),
    ],
    ids=["whole floats", "beyond 64 bits", "unsigned", "huge"],
)
def test_whole_numbers_that_no_int64_holds_are_floats(column: Any, domain: Any) -> None:
    """An int domain would turn them into other numbers."""
    assert inferred(column) == domain


def test_infinite_values_are_told_about_as_such() -> None:
    """No domain can hold them, and there is none given that one could widen."""
    for column in ([1.0, np.inf, 2.5], [1.0, -np.inf, 2.0]):
        with pytest.raises(condped.errors.DataError, match=r"'x'.*inf") as caught:
            inferred(column)
        assert (caught.value.column, caught.value.first_row, caught.value.count) == ("x", 1, 1)
        assert "Widen the domain" not in str(caught.value)


@given(
    st.lists(
        st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False, width=32)),
        min_size=1,
        max_size=20,
    )
)
def test_an_inferred_domain_holds_the_values_it_came_from(column: list[float | None]) -> None:
    """Any finite numbers: read without complaint, and every one kept."""
    table = read({"loss": range(len(column)), "x": column}, objective="loss")
    if any(value is not None for value in column):
        assert parameters_of(table)["x"][0] == column


@given(st.lists(st.one_of(st.none(), st.text(max_size=3), st.booleans()), min_size=1, max_size=9))
def test_inferred_choices_are_the_values_in_a_fixed_order(column: list[Any]) -> None:
    """Whatever the order of the rows, the choices stand in one order."""
    assert inferred(column) == inferred(column[::-1])


def test_what_is_named_otherwise_is_no_parameter() -> None:
    """Objectives, states and constraints stay out; everything else comes in."""
    columns = {
        "a": [1, 2],
        "b": [2, 1],
        "s": ["ok", "ok"],
        "g": [0, 0],
        "x": [1, 2],
        "k": ["p", "q"],
    }
    table = read(columns, objective=["a", "b"], state="s", constraints=["g"])
    assert table.names == ("x", "k")


def test_a_result_says_that_its_domains_were_inferred() -> None:
    """People should know that the bounds are those of the data."""
    result = condped.importance({"loss": [1, 2, 3], "x": [1, 2, 3]}, objective="loss")
    assert result.account.space_inferred
    assert "inferred" in str(result)


def test_columns_that_are_not_wanted_cannot_stop_the_reading() -> None:
    """With the parameters named, what another column holds does not matter."""
    columns = {"loss": [1, 2, 3], "x": [1, 2, 3], "seconds": [1.0, np.inf, 2.0]}
    assert read(columns, objective="loss", parameters=["x"]).names == ("x",)


def test_texts_that_name_the_trials_are_left_out_and_noted() -> None:
    """A text that is different in every row is an identifier, not a parameter."""
    names = [f"run-{row}" for row in range(30)]
    table = condped.read(
        {"label": names, "x": np.arange(30.0), "loss": np.arange(30.0)}, objective="loss"
    )
    assert table.names == ("x",)
    assert table.ignored_columns == ("label",)
    assert any("differs in every row" in note for note in table.notes)


def test_a_column_named_loss_stays_a_parameter_beside_a_loss_of_ones_own() -> None:
    """Only names that the caller gave are taken."""
    table = condped.read({"loss": ["mse", "mae"] * 5, "x": np.arange(10.0)}, loss=np.arange(10.0))
    assert table.names == ("loss", "x")


def test_wanted_parameters_that_are_not_there_are_told_with_all_that_are() -> None:
    """Narrowing to some parameters does not shorten the list of what there is."""
    with pytest.raises(NameNotFoundError, match="Available: 'x', 'y'"):
        condped.read({"x": [1.0], "y": [2.0], "loss": [1.0]}, objective="loss", parameters=["z"])
