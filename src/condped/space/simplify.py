"""Making conditions out of others: simplified, joined, and written as text.

A condition is simplified, not evaluated, when something is known about its parameters: comparisons
known to hold or not to hold are removed, the rest stays. True and False stand for conditions whose
value is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeAlias

from condped.space.condition import Condition
from condped.space.nodes import (
    Comparison,
    Conjunction,
    Disjunction,
    Leaf,
    Membership,
    Negation,
    Node,
    ParameterComparison,
)

Settled: TypeAlias = Node | bool

_PLAIN_NAME = re.compile(r"[^\W\d][\w.]*")
_RESERVED = {"and", "or", "not", "in", "true", "false", "none"}
_ESCAPES = str.maketrans({"\\": "\\\\", "'": "\\'", "\n": "\\n", "\t": "\\t", "\r": "\\r"})


def simplified(node: Node, settle: Callable[[Leaf], Settled]) -> Settled:
    """Return a condition with each comparison replaced by what ``settle`` returns for it.

    Examples
    --------
    >>> root = Condition.parse("a == 1 and (b < 2 or c > 3)").root
    >>> simpler = simplified(root, lambda leaf: leaf if leaf.name == "c" else leaf.name == "a")
    >>> condition_of(simpler).text
    'c > 3'
    """
    if isinstance(node, Negation):
        part = simplified(node.part, settle)
        return not part if isinstance(part, bool) else Negation(part)
    if isinstance(node, Conjunction | Disjunction):
        # False decides a conjunction, True a disjunction; the other value is dropped.
        decisive = isinstance(node, Disjunction)
        open_parts: dict[Node, None] = {}
        for part in node.parts:
            simpler = simplified(part, settle)
            if simpler is decisive:
                return decisive
            if not isinstance(simpler, bool):
                open_parts[simpler] = None
        if not open_parts:
            return not decisive
        kept = tuple(open_parts)
        return kept[0] if len(kept) == 1 else type(node)(kept)
    return settle(node)


def conjunction(*conditions: Node | None) -> Node | None:
    """Return the conjunction of conditions, without duplicates; None means always.

    Examples
    --------
    >>> parts = [Condition.parse(text).root for text in ("a == 1 and b > 2", "a == 1")]
    >>> condition_of(conjunction(*parts, None)).text
    'a == 1 and b > 2'
    """
    parts: list[Node] = []
    for condition in conditions:
        if condition is not None:
            parts += condition.parts if isinstance(condition, Conjunction) else (condition,)
    kept = tuple(dict.fromkeys(parts))
    if not kept:
        return None
    return kept[0] if len(kept) == 1 else Conjunction(kept)


def alternative(conditions: list[Node]) -> Node:
    """Return the disjunction of conditions, without duplicates."""
    kept = tuple(dict.fromkeys(conditions))
    return kept[0] if len(kept) == 1 else Disjunction(kept)


def text_of(node: Node | None) -> str | None:
    """Return the text of a condition; None means always."""
    return None if node is None else condition_of(node).text


def condition_of(root: Node) -> Condition:
    """Return the condition with these nodes and the text that parses to them.

    Examples
    --------
    >>> condition_of(Conjunction((Comparison("a b", "==", "x"), Comparison("c", ">", 2)))).text
    "`a b` == 'x' and c > 2"
    """
    return Condition(_text(root), root)


def _text(node: Node) -> str:
    if isinstance(node, Comparison):
        return f"{_name(node.name)} {node.op} {_literal(node.value)}"
    if isinstance(node, ParameterComparison):
        return f"{_name(node.name)} {node.op} {_name(node.other)}"
    if isinstance(node, Membership):
        values = ", ".join(map(_literal, node.values))
        return f"{_name(node.name)} {'not ' if node.negated else ''}in [{values}]"
    if isinstance(node, Negation):
        return f"not ({_text(node.part)})"
    return (" and " if isinstance(node, Conjunction) else " or ").join(map(_part, node.parts))


def _part(node: Node) -> str:
    return f"({_text(node)})" if isinstance(node, Conjunction | Disjunction) else _text(node)


def _name(name: str) -> str:
    if _PLAIN_NAME.fullmatch(name) and name.lower() not in _RESERVED:
        return name
    return "`" + name.replace("`", "``") + "`"


def _literal(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return str(value).lower()
    # The language has no literals for other values (a tuple); this at least shows them.
    return f"'{value.translate(_ESCAPES)}'" if isinstance(value, str) else repr(value)
