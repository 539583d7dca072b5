"""Branches of a gate: each value in exactly one, and all values of one switch the same."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from condped import Categorical, Float, Int, Space, when
from condped.analyse.branches.splits import Interval, intervals, short_between, splits_of
from condped.space.simplify import condition_of
from tests.drawing import meets

X = Float(0, 1)
CASES: dict[str, tuple[Any, list[str]]] = {
    "float": (Float(0, 1), ["g < 0.5", "0.25 <= g < 0.75", "g == 0.6"]),
    "closed": (Float(0, 1), ["g <= 0.5", "g > 0.5"]),
    "all of it": (Float(0, 1), ["g >= 0"]),
    "log": (Float(1e-4, 1, log=True), ["g < 0.01", "not (g > 0.1)"]),
    "int": (Int(1, 9), ["g in [2, 3, 7]", "g > 3.5", "g != 8"]),
    "steps": (Int(0, 12, step=4), ["g >= 4", "g == 8"]),
    "choices": (Categorical(["a", "b", None, True]), ["g == 'a'", "g in ['b', none]", "g != true"]),
    "other gates": (Int(0, 3), ["g > 1 and h < 0.5", "g == 0 or h > 0.5"]),
}


@pytest.mark.parametrize("case", CASES)
def test_every_value_is_in_one_branch_which_says_what_it_switches(case: str) -> None:
    """Against each condition evaluated at many values, with all that h may be."""
    gate, conditions = CASES[case]
    children = {f"x{place}": [when(text, X)] for place, text in enumerate(conditions)}
    space = Space({"g": gate, "h": Float(0, 1), **children})
    splits = splits_of(space, "g", tuple(children))
    for value in _values(gate):
        (branch,) = [split for split in splits if meets(split.test, {"g": value})]
        for child in children:
            (entry,) = space[child]
            assert entry.when is not None
            some = any(meets(entry.when.root, {"g": value, "h": h}) for h in (0.1, 0.5, 0.9))
            assert (child in branch.children) == some
    for one, other in pairwise(splits):
        assert one.label != other.label


def _values(domain: Any) -> list[Any]:
    if isinstance(domain, Categorical):
        return list(domain.choices)
    if isinstance(domain, Int):
        return list(range(domain.low, domain.high + 1, domain.step))
    return [*np.linspace(domain.low, domain.high, 101).tolist(), 0.25, 0.5, 0.6, 0.75]


def test_labels_are_for_people() -> None:
    """Choices with "or", whole numbers as ranges, thresholds with their sign."""
    space = Space(
        {
            "k": Categorical(["a", "b", "c", "d", "e"]),
            "n": Int(1, 6),
            "f": Float(0, 1),
            "x": [when("k == 'a' and n <= 2 and f < 0.3", X)],
            "y": [when("n == 6", X)],
        }
    )
    labels = {gate: [split.label for split in splits_of(space, gate, ("x", "y"))] for gate in "knf"}
    assert labels == {
        "k": ["a", "b or c or d or 1 more"],
        "n": ["1..2", "3..5", "6"],
        "f": ["< 0.3", ">= 0.3"],
    }


@pytest.mark.parametrize("log", [False, True])
def test_short_numbers_separate_their_neighbours(log: bool) -> None:
    """Whatever the neighbours are."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        low, high = sorted(np.exp(rng.uniform(-8, 8, 2)) * (1 if log else rng.choice([-1, 1], 2)))
        assert low < short_between(low, high, log=log) <= high
        assert low <= short_between(low, high, log=log, open_end=True) < high


def test_short_numbers_are_short() -> None:
    """A person would have cut there."""
    assert short_between(0.4912, 0.5023) == 0.5
    assert short_between(-0.31, 0.2) == 0.0
    assert short_between(0.00081, 0.0123, log=True) == 0.003
    assert short_between(1.0, np.nextafter(1.0, 2)) == np.nextafter(1.0, 2)
    assert short_between(1.0, np.nextafter(1.0, 2), open_end=True) == 1.0


def test_intervals_cover_everything_once() -> None:
    """Every number meets exactly one of the conditions."""
    cuts = intervals([(0.1, 0.3), (0.4, 0.4), (0.8, 0.9)], whole=False)
    assert [condition_of(cut.test("c")).text for cut in cuts] == [
        "c < 0.35",
        "c >= 0.35 and c < 0.6",
        "c >= 0.6",
    ]
    whole = intervals([(1, 2), (5, 9)], whole=True)
    assert [condition_of(cut.test("n")).text for cut in whole] == ["n <= 3", "n >= 4"]


def test_one_value_is_said_as_such() -> None:
    """Not as an interval of it."""
    assert condition_of(Interval(3, 3, up_to=True).test("n")).text == "n == 3"
    assert Interval(3, 3, up_to=True).label == "3"
    assert Interval(0.25, 0.5).label == "0.25 to 0.5"
    assert Interval(None, 0.5, up_to=True).label == "<= 0.5"
    assert Interval(0.5, None, above=True).label == "> 0.5"
