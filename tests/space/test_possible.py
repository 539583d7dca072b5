"""Conditions of which something is known."""

from __future__ import annotations

from itertools import product

import pytest

from condped.space.condition import Condition
from condped.space.nodes import Comparison, Leaf
from condped.space.simplify import Settled, conjunction, simplified, text_of
from tests.drawing import meets

TEXTS = (
    "a == 1 and (b == 1 or c == 1)",
    "not (a == 1 or b != 1) and c in [1]",
    "a == 1 or not (b == 1 and not c == 1)",
    "(a == 1 and b == 1) or (a == 0 and c == 1)",
)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("known", ["a", "b", "c"])
def test_what_is_left_says_the_same_as_the_whole(text: str, known: str) -> None:
    """For every value of what is not known."""
    root = Condition.parse(text).root
    for value in (0, 1):

        def settle(leaf: Leaf, value: int = value) -> Settled:
            return meets(leaf, {known: value}) if leaf.name == known else leaf

        told = simplified(root, settle)
        for values in product((0, 1), repeat=3):
            drawn = dict(zip("abc", values, strict=True)) | {known: value}
            expected = meets(root, drawn)
            assert (told if isinstance(told, bool) else meets(told, drawn)) == expected


def test_conjunctions_have_each_part_once() -> None:
    """And none for what always holds."""
    one, other = Comparison("a", "==", 1), Comparison("b", "<", 2)
    assert text_of(conjunction(one, None, conjunction(one, other))) == "a == 1 and b < 2"
    assert conjunction(None) is None
    assert text_of(None) is None
