"""Trees of branches with few trials or none, without gates, and with too many branches."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import condped
from condped.analyse.branches.tree import Grower
from condped.errors import SpaceError


def test_few_trials_in_a_branch_are_said_to_be_few() -> None:
    """With a status and a reason, as everywhere; also where there is none at all."""
    space = {
        "m": condped.Categorical(["a", "b", "c"]),
        "x": [condped.when("m == 'b'", condped.Float(0, 1))],
        "y": [condped.when("m == 'c'", condped.Float(0, 1))],
    }
    trials: dict[str, Any] = {
        "m": ["a"] * 9 + ["b"],
        "x": [None] * 9 + [0.5],
        "y": [None] * 10,
        "loss": list(range(10)),
    }
    found = condped.branches(trials, objective="loss", space=space)
    a, b, c = found.roots[0].branches
    assert [branch.trials for branch in (a, b, c)] == [9, 1, 0]
    assert [branch.inside.status for branch in (a, b, c)] == ["undetermined"] * 3
    assert c.best is None
    assert "c: 0 trials" in str(found)


def test_no_gates_is_an_answer() -> None:
    """Said in a sentence."""
    rng = np.random.default_rng(0)
    found = condped.branches({"a": rng.random(50), "loss": rng.random(50)}, objective="loss")
    assert (found.parents, list(found)) == ({}, [])
    assert "No parameter activates another." in str(found)


CHOICES = {"type": "categorical", "choices": ["a", "b"]}


def test_branches_without_trials_are_not_looked_into() -> None:
    """So there are no more at each level than trials, however many ways lead there."""
    depth, rng = 12, np.random.default_rng(0)
    space: dict[str, Any] = {"p0": CHOICES}
    rows: dict[str, Any] = {"p0": rng.choice(["a", "b"], 10).tolist(), "loss": rng.random(10)}
    for level in range(1, depth + 1):
        above = f"p{level - 1}"
        space[f"p{level}"] = CHOICES | {"when": f"{above} in ['a', 'b']"}
        space[f"q{level}"] = CHOICES | {"when": f"{above} == 'a'"}
        rows[f"p{level}"] = rng.choice(["a", "b"], 10).tolist()
        rows[f"q{level}"] = ["a" if value == "a" else None for value in rows[above]]
    found = list(condped.branches(rows, objective="loss", space=space))
    assert len(found) <= 2 * 10 * (depth + 1)
    inside = [branch for branch in found if branch.trials]
    assert len({branch.condition for branch in inside}) == len(inside)
    for branch in found:
        assert branch.nodes or "p12" in branch.condition
        assert branch.trials or not any(node.branches for node in branch.nodes)


def chain(length: int) -> dict[str, Any]:
    """Return a space in which each parameter switches the next one."""
    whens = [{}, *({"when": f"p{level} == 'a'"} for level in range(length - 1))]
    return {f"p{level}": CHOICES | when for level, when in enumerate(whens)}


def test_too_many_branches_inside_each_other_are_an_error() -> None:
    """And not a tree that nobody can look at, nor one that Python cannot walk."""
    space = chain(400)
    rows: dict[str, Any] = {name: ["a", "a"] for name in space} | {"loss": [1.0, 2.0]}
    with pytest.raises(SpaceError, match="more than 100 branches inside each other"):
        condped.branches(rows, objective="loss", space=space)


def test_too_many_branches_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """With two gates for each parameter twice as many ways lead to each level."""
    space: dict[str, Any] = {"p0": CHOICES, "q0": CHOICES}
    for level in range(1, 20):
        when = {"when": f"p{level - 1} == 'a' or q{level - 1} == 'a'"}
        space |= {f"p{level}": CHOICES | when, f"q{level}": CHOICES | when}
    rows: dict[str, Any] = {name: ["a", "a"] for name in space} | {"loss": [1.0, 2.0]}
    monkeypatch.setattr(sys.modules[Grower.__module__], "_MOST", 50)
    monkeypatch.setattr(sys.modules[Grower.__module__], "_MOST_PER_GATE", 1)
    with pytest.raises(SpaceError, match="more than 50 branches,"):
        condped.branches(rows, objective="loss", space=space)
