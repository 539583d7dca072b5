"""Spaces held to a condition: by drawing from them, and from the old ones."""

from __future__ import annotations

import numpy as np
import pytest

from condped import Categorical, Float, Int, Space, when
from condped.analyse.advice.narrow import given, narrowed
from condped.errors import SettingsError
from condped.space.condition import Condition
from tests.drawing import draw, holds_of, meets

SPACE = Space(
    {
        "model": Categorical(["svm", "net", "tree"]),
        "layers": [when("model == 'net'", Int(1, 6))],
        "rate": [
            when("model == 'net' and layers < 4", Float(0, 1)),
            when("model == 'net' and layers >= 4", Float(1, 2)),
        ],
        "k": [when("model == 'svm'", Float(0, 1)), when("model == 'tree'", Float(5, 6))],
        "size": Int(10, 5000, step=10),
        "part": Float(0, 1, step=0.25),
        "c": Categorical([1, 2, 4]),
    }
)


@pytest.mark.parametrize(
    "where",
    [
        "model == 'net'",
        "model != 'net'",
        "model in ['svm', 'tree'] and c >= 2",
        "model == 'svm' or model == 'tree'",
        "layers > 2",
        "layers in [1, 5]",
        "rate > 1.2",
        "rate < 0.5 and layers != 1",
        "k > 0.5",
        "size > 100 and size <= 4995",
        "size == 50",
        "c not in [1, 4]",
    ],
)
def test_the_space_has_what_meets_the_condition(where: str) -> None:
    """All of it and nothing else."""
    condition = Condition.parse(where)
    base, smaller = given(SPACE, condition)
    space, _ = narrowed(base, smaller)
    rng = np.random.default_rng(0)
    old = [draw(SPACE, rng) for _ in range(3000)]
    meeting = [one for one in old if meets(condition.root, one)]
    assert all(holds_of(space, one) for one in meeting)
    new = [draw(space, rng) for _ in range(500)]
    assert all(meets(condition.root, one) and holds_of(SPACE, one) for one in new)


def test_steps_are_kept() -> None:
    """Bounds lie on them, with and without the value that is named."""
    part = ("part", Float(0, 1, step=0.25))
    for where, domain in (
        ("part > 0.25 and part < 1", Float(0.5, 0.75, step=0.25)),
        ("part >= 0.25 and part <= 0.9", Float(0.25, 0.75, step=0.25)),
        ("part in [0, 0.5]", Categorical([0.0, 0.5])),
        ("part == 0.5", Categorical([0.5])),
    ):
        assert given(SPACE, Condition.parse(where))[1] == {part: domain}


@pytest.mark.parametrize(
    "where", ["layers != 3", "size != 100", "rate > 0.5", "not model == 'net'"]
)
def test_what_a_space_cannot_say_is_refused(where: str) -> None:
    """Gaps in a range, a way through several gates at once, and negations."""
    with pytest.raises(SettingsError, match="cannot be limited to"):
        given(SPACE, Condition.parse(where))
