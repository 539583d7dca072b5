"""Simplifying conditions when something is known about their parameters.

A condition is simplified, not evaluated: comparisons known to hold or not to hold are removed, the
rest stays. True and False stand for conditions that are decided.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from condped.space.condition import (
    Between,
    Both,
    Comparison,
    Condition,
    Either,
    Membership,
    Negation,
    Node,
)
from condped.space.condition_text import condition_of

Leaf: TypeAlias = Comparison | Between | Membership
Settled: TypeAlias = Node | bool


def simplified(node: Node, settle: Callable[[Leaf], Settled]) -> Settled:
    """Return a condition with each comparison replaced by what ``settle`` makes of it.

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
    if isinstance(node, Both | Either):
        # False decides a conjunction, True a disjunction; the other value is dropped.
        decisive = isinstance(node, Either)
        open_parts: list[Node] = []
        for part in node.parts:
            simpler = simplified(part, settle)
            if simpler is decisive:
                return decisive
            if not isinstance(simpler, bool) and simpler not in open_parts:
                open_parts.append(simpler)
        if not open_parts:
            return not decisive
        return open_parts[0] if len(open_parts) == 1 else type(node)(tuple(open_parts))
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
            parts += condition.parts if isinstance(condition, Both) else (condition,)
    kept = tuple(dict.fromkeys(parts))
    if not kept:
        return None
    return kept[0] if len(kept) == 1 else Both(kept)


def alternative(conditions: list[Node]) -> Node:
    """Return the disjunction of conditions, without duplicates."""
    kept = tuple(dict.fromkeys(conditions))
    return kept[0] if len(kept) == 1 else Either(kept)


def text_of(node: Node | None) -> str | None:
    """Return the text of a condition; None means always."""
    return None if node is None else condition_of(node).text


__all__ = ["Condition", "Leaf", "Settled", "alternative", "conjunction", "simplified", "text_of"]
