"""Conditions from the branches of a nested space: which choice was taken on the way."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from condped.space.condition import Both, Comparison, Condition, Either, Node
from condped.space.condition_text import condition_of

# A parameter and the value of it that leads into a branch.
Test: TypeAlias = tuple[str, Any]


def reached_by(ways: Iterable[tuple[Test, ...]]) -> Condition | None:
    """Return the condition that one of the ways was taken; None if one of them is always open.

    Examples
    --------
    >>> reached_by([(("learner", "svm"), ("kernel", "rbf")), (("learner", "net"),)]).text
    "(learner == 'svm' and kernel == 'rbf') or learner == 'net'"
    """
    listed = list(dict.fromkeys(ways))
    if not all(listed):
        return None
    parts = [_all([Comparison(name, "==", value) for name, value in way]) for way in listed]
    return condition_of(parts[0] if len(parts) == 1 else Either(tuple(parts)))


def _all(tests: list[Comparison]) -> Node:
    return tests[0] if len(tests) == 1 else Both(tuple(tests))
