"""Values and conditions as Python code."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from condped.space.nodes import (
    Comparison,
    Conjunction,
    Disjunction,
    Membership,
    Negation,
    Node,
    ParameterComparison,
)


def literal(value: Any) -> str:
    """Return a value as Python code; strings are in double quotes and on one line."""
    if isinstance(value, str):
        return f'"{text_inside(value)}"'
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return repr(value)


def text_inside(text: str) -> str:
    """Escape a text for double quotes or a comment."""
    return "".join(map(_character, text))


def _character(one: str) -> str:
    if one in '"\\':
        return f"\\{one}"
    return one if one.isprintable() else one.encode("unicode_escape").decode("ascii")


def literals(values: Sequence[Any]) -> str:
    """Return a list of values as Python code."""
    return f"[{', '.join(map(literal, values))}]"


def python_test(
    node: Node, value: Callable[[str], str], guards: Callable[[Iterable[str]], list[str]]
) -> str:
    """Return a condition as Python code; comparisons of parameters that were not drawn are false.

    Parameters
    ----------
    value
        Maps a parameter's name to the expression of its drawn value.
    guards
        Maps the names in a comparison to tests that these were drawn.
    """
    if isinstance(node, Negation):
        return f"not ({python_test(node.part, value, guards)})"
    if isinstance(node, Conjunction | Disjunction):
        word = " and " if isinstance(node, Conjunction) else " or "
        return word.join(f"({python_test(part, value, guards)})" for part in node.parts)
    if isinstance(node, ParameterComparison):
        test = f"{value(node.name)} {node.op} {value(node.other)}"
    elif isinstance(node, Membership):
        word = "not in" if node.negated else "in"
        test = f"{value(node.name)} {word} {literals(node.values)}"
    elif isinstance(node, Comparison):
        same = node.value is None or isinstance(node.value, bool)
        op = {"==": "is", "!=": "is not"}.get(node.op, node.op) if same else node.op
        test = f"{value(node.name)} {op} {literal(node.value)}"
    return " and ".join([*guards(node.names), test])
