"""Conditions made of the branches that lead to a parameter."""

from __future__ import annotations

import pytest

from condped.read.tools.nested_spaces import Test, reached_by
from condped.space.condition import Condition


@pytest.mark.parametrize(
    "ways",
    [
        [(("a", 1),)],
        [(("a", "it's"), ("b c", True)), (("none", 0.5),)],
        [(("and", "x\\y"),), (("a/b", False),), (("ü", -2),)],
    ],
)
def test_the_text_of_a_condition_says_the_same(ways: list[tuple[Test, ...]]) -> None:
    """Whatever signs are in names and values."""
    condition = reached_by(ways)
    assert condition is not None
    assert Condition.parse(condition.text).root == condition.root


def test_a_way_without_turns_is_always_open() -> None:
    """Then there is no condition."""
    assert reached_by([(("a", 1),), ()]) is None
    assert reached_by([(("a", 1),), (("a", 1),)]) == reached_by([(("a", 1),)])
