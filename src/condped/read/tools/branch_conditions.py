"""Conditions from the branches of a nested space: the choices on the path to an entry."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from condped.space.build_condition import condition_of
from condped.space.condition import Both, Comparison, Condition, Either, Node

# A parameter and its value in a branch.
Test: TypeAlias = tuple[str, Any]


def reached_by(paths: Iterable[tuple[Test, ...]]) -> Condition | None:
    """Return the condition that one of the paths was taken; None if one of them is unconditional.

    Examples
    --------
    >>> reached_by([(("learner", "svm"), ("kernel", "rbf")), (("learner", "net"),)]).text
    "(learner == 'svm' and kernel == 'rbf') or learner == 'net'"
    """
    listed = list(dict.fromkeys(paths))
    if not all(listed):
        return None
    parts = [_all([Comparison(name, "==", value) for name, value in path]) for path in listed]
    return condition_of(parts[0] if len(parts) == 1 else Either(tuple(parts)))


def _all(tests: list[Comparison]) -> Node:
    return tests[0] if len(tests) == 1 else Both(tuple(tests))
