"""Short numbers between neighbours, and the conditions made of them."""

from __future__ import annotations

import numpy as np
import pytest

from condped.analyse.branches.splits import Interval, intervals, short_between
from condped.space.condition_text import condition_of


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
