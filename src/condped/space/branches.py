"""Conditions from the branches of a nested space: which choice was taken on the way."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, TypeAlias

from condped.space.condition import Both, Comparison, Condition, Either, Node

# A parameter and the value of it that leads into a branch.
Test: TypeAlias = tuple[str, Any]
_BARE = re.compile(r"[^\W\d][\w.]*")
_WORDS = {"and", "or", "not", "in", "true", "false", "none"}


def reached_by(ways: Iterable[tuple[Test, ...]]) -> Condition | None:
    """Return the condition that one of the ways was taken; None if one of them is always open.

    Made of its parts rather than parsed, so that names and values may hold any signs.

    Examples
    --------
    >>> reached_by([(("learner", "svm"), ("kernel", "rbf")), (("learner", "net"),)]).text
    "learner == 'svm' and kernel == 'rbf' or learner == 'net'"
    """
    listed = list(dict.fromkeys(ways))
    if not all(listed):
        return None
    parts = [_all([Comparison(name, "==", value) for name, value in way]) for way in listed]
    text = " or ".join(
        " and ".join(f"{_name(name)} == {_literal(value)}" for name, value in way) for way in listed
    )
    return Condition(text, parts[0] if len(parts) == 1 else Either(tuple(parts)))


def _all(tests: list[Comparison]) -> Node:
    return tests[0] if len(tests) == 1 else Both(tuple(tests))


def _name(name: str) -> str:
    return name if _BARE.fullmatch(name) and name.lower() not in _WORDS else f"`{name}`"


def _literal(value: Any) -> str:
    return repr(value) if isinstance(value, str) else str(value).lower()
