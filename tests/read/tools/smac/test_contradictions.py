"""Values that a tool recorded against its own conditions."""

from __future__ import annotations

from typing import Any

from condped import Categorical, Float, Space, when
from condped.read.table.raw import RawTable
from condped.read.tools.smac.folder import as_recorded

SPACE = Space(
    {
        "k": Categorical(["a", "b"]),
        "x": when("k == 'a'", Float(0, 1)),
        "y": when("k == 'b'", Float(0, 1)),
        "n": when("k == 'b'", Categorical([None, 1])),
    },
    notes=["From a tool."],
)


def table(*rows: dict[str, Any]) -> RawTable:
    """Return records as columns."""
    return RawTable.of_records(rows, names=tuple(SPACE))


def test_conditions_that_hold_stay() -> None:
    """The space is the very same."""
    assert as_recorded(SPACE, table({"k": "a", "x": 0.5}, {"k": "b", "y": 0.5})) is SPACE


def test_a_contradicted_condition_goes_and_is_noted() -> None:
    """Only that of the parameter concerned."""
    space = as_recorded(SPACE, table({"k": "b", "x": 0.5}, {"k": "b", "x": 0.1, "y": 0.5}))
    assert space["x"][0].when is None
    assert space["y"] == SPACE["y"]
    assert space.notes == (
        "From a tool.",
        "x: has a value in 2 trials where its condition (k == 'a') does not hold; taken as active "
        "wherever it has one.",
    )


def test_a_parameter_that_may_be_none_keeps_its_condition() -> None:
    """Without it, its absence could not be told from None."""
    assert as_recorded(SPACE, table({"k": "a", "n": 1}, {"k": "b"})) is SPACE
