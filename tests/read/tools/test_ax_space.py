"""Search spaces that Ax writes down."""

from __future__ import annotations

from typing import Any

import pytest

from condped import Categorical, Float, Int, Space
from condped.read.tools.ax import space_of


def choice(values: list[Any], kind: str = "INT", **fields: Any) -> dict[str, Any]:
    """Return a choice as Ax writes it."""
    return {
        "__type": "ChoiceParameter",
        "name": "x",
        "parameter_type": {"__type": "ParameterType", "name": kind},
        "values": values,
        "is_ordered": True,
        "log_scale": False,
        "dependents": None,
        **fields,
    }


@pytest.mark.parametrize(
    ("entry", "domain"),
    [
        (choice([1, 3, 5]), Int(1, 5, step=2)),
        (choice([16, 32, 64]), Categorical([16, 32, 64])),
        (choice([1, 2, 3], is_ordered=False), Categorical([1, 2, 3])),
        (choice([0, 1]), Categorical([0, 1])),
        (choice([0.0, 0.1, 0.2, 0.1 + 0.2], "FLOAT"), Float(0, 0.3, step=0.1)),
        (choice([False, True], "BOOL"), Categorical([False, True])),
        (choice(["a", "b", "c"], "STRING"), Categorical(["a", "b", "c"])),
    ],
)
def test_ordered_choices_at_even_distances_are_ranges(entry: Any, domain: Any) -> None:
    """Ax saves a range with steps as the list of its values."""
    assert space_of({"parameters": [entry]})["x"][0].domain == domain


def test_conditions_name_the_choices_by_type_and_can_be_read_again() -> None:
    """JSON turns the keys of dependents into texts; quotes and several parents are possible."""
    gate = choice([1, 2, 3], is_ordered=False, name="gate", dependents={"1": ["y"], "3": ["y"]})
    other = choice([True, False], "BOOL", name='it\'s "so"', dependents={"true": ["y"]})
    space = space_of({"parameters": [gate, other, choice([1, 2, 3], name="y")]})
    (alternative,) = space["y"]
    assert alternative.when is not None
    assert alternative.when.text == 'gate in [1, 3] or `it\'s "so"` == true'
    assert Space(space.to_dict())["y"][0].when == alternative.when


def test_what_is_left_aside_is_noted() -> None:
    """Constraints between parameters and logit scales."""
    number = {
        "__type": "RangeParameter",
        "name": "x",
        "parameter_type": {"name": "FLOAT"},
        "lower": 0.1,
        "upper": 0.9,
        "log_scale": False,
        "logit_scale": True,
    }
    space = space_of({"parameters": [number], "parameter_constraints": [{}]})
    assert space.notes == (
        "x: its logit scale is taken as linear.",
        "Constraints between parameters are not taken into account: 1.",
    )
