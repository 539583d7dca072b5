"""What conditions come to when something is known of their parameters.

A condition is simplified, not evaluated: what is known to hold or not to hold falls out of it, the
rest stays. True and False stand for conditions that are settled.
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
    >>> told = simplified(root, lambda leaf: leaf if leaf.name == "c" else leaf.name == "a")
    >>> condition_of(told).text
    'c > 3'
    """
    if isinstance(node, Negation):
        part = simplified(node.part, settle)
        return not part if isinstance(part, bool) else Negation(part)
    if isinstance(node, Both | Either):
        # False settles a conjunction, True an alternative; the other one falls out.
        decisive = isinstance(node, Either)
        open_parts: list[Node] = []
        for part in node.parts:
            told = simplified(part, settle)
            if told is decisive:
                return decisive
            if not isinstance(told, bool) and told not in open_parts:
                open_parts.append(told)
        if not open_parts:
            return not decisive
        return open_parts[0] if len(open_parts) == 1 else type(node)(tuple(open_parts))
    return settle(node)


def conjunction(*conditions: Node | None) -> Node | None:
    """Return the condition that all of these hold, without repeats; None stands for always.

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
    """Return the condition that one of these holds."""
    kept = tuple(dict.fromkeys(conditions))
    return kept[0] if len(kept) == 1 else Either(kept)


def text_of(node: Node | None) -> str | None:
    """Return a condition in words; None for always."""
    return None if node is None else condition_of(node).text


__all__ = ["Condition", "Leaf", "Settled", "alternative", "conjunction", "simplified", "text_of"]
