"""ConfigSpace's conditions, converted to ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from condped.errors import ConditionError, not_found
from condped.space.condition import Both, Comparison, Either, Membership, Negation, Node
from condped.space.domain import Categorical, Domain

_DEEPEST = 50
_KINDS = ("EQ", "NEQ", "LT", "GT", "IN", "AND", "OR")


class ConfigSpaceConditions:
    """The conditions of a ConfigSpace, by the parameter that they activate.

    A condition on an inactive parent does not hold, with one exception that ConfigSpace makes:
    there a parent that is inactive is *not equal* to anything.
    """

    def __init__(
        self,
        domains: Mapping[str, Domain],
        ordinals: set[str],
        conditions: Sequence[Mapping[str, Any]],
    ) -> None:
        self.domains = domains
        self.ordinals = ordinals
        self.conditions: dict[str, list[Mapping[str, Any]]] = {}
        for condition in conditions:
            child = self._known(condition, "child")
            self.conditions.setdefault(child, []).append(condition)

    def of(self, child: str, depth: int = 0) -> list[Node]:
        """Return what must hold, all of it, for a parameter to be active."""
        return [self._node(child, entry, depth) for entry in self.conditions.get(child, ())]

    def _node(self, child: str, entry: Mapping[str, Any], depth: int) -> Node:
        kind = entry.get("type") if isinstance(entry, Mapping) else None
        if kind not in _KINDS or depth > _DEEPEST:
            wrong = f"{kind!r}" if kind not in _KINDS else f"more than {_DEEPEST} levels deep"
            raise ConditionError(
                f"A condition of {child!r} in the ConfigSpace must be one of {', '.join(_KINDS)}, "
                f"nested without cycles (got {wrong})."
            )
        if kind in ("AND", "OR"):
            nested = self._required(child, entry, "conditions")
            parts = tuple(self._node(child, part, depth + 1) for part in nested)
            return parts[0] if len(parts) == 1 else (Both if kind == "AND" else Either)(parts)
        parent = self._known(entry, "parent")
        if kind == "IN":
            return self._among(parent, tuple(self._required(child, entry, "values")), depth)
        if "value" not in entry:
            raise ConditionError(f"A condition of {child!r} in the ConfigSpace lacks 'value'.")
        value = plain_value(entry["value"])
        if kind == "EQ":
            return self._among(parent, (value,), depth)
        if kind == "NEQ":
            if parent not in self.conditions:
                return Comparison(parent, "!=", value)
            return Negation(self._among(parent, (value,), depth))
        return self._ordered(child, parent, kind, value, depth)

    def _ordered(self, child: str, parent: str, kind: str, value: Any, depth: int) -> Node:
        domain = self.domains[parent]
        if not isinstance(domain, Categorical):
            return Comparison(parent, "<" if kind == "LT" else ">", value)
        if parent not in self.ordinals or value not in domain.choices:
            raise ConditionError(
                f"The {kind} condition of {child!r} needs an ordinal or numeric parent and one of "
                f"its values (got {parent!r} and {value!r})."
            )
        place = domain.choices.index(value)
        held = domain.choices[:place] if kind == "LT" else domain.choices[place + 1 :]
        return self._among(parent, held, depth)

    def _among(self, parent: str, values: Sequence[Any], depth: int) -> Node:
        """Return the condition that a parent is active and has one of the values."""
        held = tuple(map(plain_value, values))
        domain = self.domains[parent]
        if not held:  # below the lowest of an ordinal, say: never
            assert isinstance(domain, Categorical)
            first = domain.choices[0]
            return Both((Comparison(parent, "==", first), Comparison(parent, "!=", first)))
        if None in held and parent in self.conditions and isinstance(domain, Categorical):
            # Values do not show whether such a parent is None or inactive; its conditions do.
            others = tuple(choice for choice in domain.choices if choice is not None)
            parts: list[Node] = self.of(parent, depth + 1)
            if others:
                parts.append(Negation(Membership(parent, others, negated=False)))
            none = parts[0] if len(parts) == 1 else Both(tuple(parts))
            rest = tuple(value for value in held if value is not None)
            return Either((self._among(parent, rest, depth), none)) if rest else none
        if len(held) == 1:
            return Comparison(parent, "==", held[0])
        return Membership(parent, held, negated=False)

    def _known(self, entry: Mapping[str, Any], role: str) -> str:
        name = entry.get(role)
        if not isinstance(name, str) or name not in self.domains:
            hint = not_found("hyperparameter", name, self.domains)
            raise ConditionError(f"A condition of the ConfigSpace has the {role} {name!r}. {hint}")
        return name

    def _required(self, child: str, entry: Mapping[str, Any], key: str) -> Sequence[Any]:
        values = entry.get(key)
        if isinstance(values, np.ndarray):
            values = values.tolist()
        if not isinstance(values, (list, tuple)) or not values:
            raise ConditionError(
                f"The {entry['type']} condition of {child!r} in the ConfigSpace needs a list "
                f"{key!r} (got {values!r})."
            )
        return values


def plain_value(value: Any) -> Any:
    """Return a value as a hashable Python value, the same from an object and from JSON."""
    if isinstance(value, np.generic):
        return value.item()
    return tuple(map(plain_value, value)) if isinstance(value, (list, tuple)) else value
