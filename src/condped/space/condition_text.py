"""The text of a condition, from its nodes."""

from __future__ import annotations

import re
from typing import Any

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

_PLAIN_NAME = re.compile(r"[^\W\d][\w.]*")
_RESERVED = {"and", "or", "not", "in", "true", "false", "none"}
_ESCAPES = str.maketrans({"\\": "\\\\", "'": "\\'", "\n": "\\n", "\t": "\\t", "\r": "\\r"})


def condition_of(root: Node) -> Condition:
    """Return the condition with these nodes and the text that parses to them.

    Examples
    --------
    >>> condition_of(Both((Comparison("a b", "==", "x"), Comparison("c", ">", 2)))).text
    "`a b` == 'x' and c > 2"
    """
    return Condition(_text(root), root)


def _text(node: Node) -> str:
    if isinstance(node, Comparison):
        return f"{_name(node.name)} {node.op} {_literal(node.value)}"
    if isinstance(node, Between):
        return f"{_name(node.name)} {node.op} {_name(node.other)}"
    if isinstance(node, Membership):
        values = ", ".join(map(_literal, node.values))
        return f"{_name(node.name)} {'not ' if node.negated else ''}in [{values}]"
    if isinstance(node, Negation):
        return f"not ({_text(node.part)})"
    return (" and " if isinstance(node, Both) else " or ").join(map(_part, node.parts))


def _part(node: Node) -> str:
    return f"({_text(node)})" if isinstance(node, Both | Either) else _text(node)


def _name(name: str) -> str:
    if _PLAIN_NAME.fullmatch(name) and name.lower() not in _RESERVED:
        return name
    return "`" + name.replace("`", "``") + "`"


def _literal(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return str(value).lower()
    # The language has no literals for other values (a tuple): show them at least.
    return f"'{value.translate(_ESCAPES)}'" if isinstance(value, str) else repr(value)
