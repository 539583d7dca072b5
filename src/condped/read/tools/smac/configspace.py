"""Spaces of ConfigSpace: the object in memory, or its configspace.json.

Read as ConfigSpace 1.x writes it, and as 0.x did (``json_format_version`` up to 0.4, with ``q``).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from condped.errors import ConditionError, SpaceError, not_found
from condped.read.tools.nested_spaces import plain_value
from condped.safe_text import brief
from condped.space.domain import Categorical, Domain, Float, Int
from condped.space.nodes import Comparison, Conjunction, Disjunction, Membership, Negation, Node
from condped.space.simplify import alternative, condition_of, conjunction
from condped.space.space import Alternative, Space

_NUMERIC: dict[str, type[Float] | type[Int]] = {
    f"{shape}_{kind}": domain
    for shape in ("uniform", "normal", "beta")
    for kind, domain in (("float", Float), ("int", Int))
}
# Where each of the others keeps its choices.
_LISTED = {
    "categorical": "choices",
    "ordinal": "sequence",
    "constant": "value",
    "unparametrized": "value",
}
_DEEPEST = 50
_MOST_COMPARISONS = 1_000  # of one condition, including those of its parents
_KINDS = ("EQ", "NEQ", "LT", "GT", "IN", "AND", "OR")


def space_of(source: Any) -> Space:
    """Return a ConfigurationSpace, or the plain data of its file, as a space.

    Ordinals and constants become categorical domains. Forbidden clauses do not change domains;
    they are counted in the notes, which also name what was not sampled uniformly.
    """
    plain = source if isinstance(source, dict) else _serialised(source)
    entries: dict[str, Mapping[str, Any]] = {}
    for entry in _listed(plain, "hyperparameters"):
        name = entry.get("name")
        if not isinstance(name, str) or name in entries:
            raise SpaceError(
                "The hyperparameters of a ConfigSpace must have distinct names "
                f"(got {brief(name)}{' twice' if name in entries else ''})."
            )
        entries[name] = entry
    notes: list[str] = []
    domains = {name: _domain(name, entry, notes) for name, entry in entries.items()}
    conditions = ConfigSpaceConditions(
        domains,
        ordinals={name for name, entry in entries.items() if entry.get("type") == "ordinal"},
        conditions=_listed(plain, "conditions"),
    )
    roots = {name: conditions.of(name) for name in domains}
    parameters = {
        name: Alternative(domain, None if (root := roots[name]) is None else condition_of(root))
        for name, domain in domains.items()
    }
    notes += _notes(entries, len(_listed(plain, "forbiddens")))
    return Space(parameters, notes=notes)


def _serialised(space: Any) -> Mapping[str, Any]:
    if not hasattr(space, "to_serialized_dict"):
        raise SpaceError(
            "The ConfigurationSpace cannot be serialised (it is older than ConfigSpace "
            "1.0). Write it into a file with ConfigSpace.read_and_write.json and give its path."
        )
    try:
        plain: Mapping[str, Any] = space.to_serialized_dict()
    except ValueError as error:
        raise SpaceError(f"The ConfigurationSpace cannot be serialised: {error}") from error
    return plain


def _listed(plain: Mapping[str, Any], key: str) -> Sequence[Mapping[str, Any]]:
    entries = plain.get(key) or []
    if not isinstance(entries, Sequence) or not all(isinstance(e, Mapping) for e in entries):
        raise SpaceError(
            f"{key!r} of a ConfigSpace must be a list of mappings (got {brief(entries)})."
        )
    return entries


def _domain(name: str, entry: Mapping[str, Any], notes: list[str]) -> Domain:
    kind = entry.get("type")
    try:
        if kind in _NUMERIC:
            return _interval(name, entry, notes)
        if kind in _LISTED:
            choices = entry.get(_LISTED[kind], None)
            if _LISTED[kind] == "value":
                return Categorical([plain_value(choices)])
            return Categorical(plain_value(choices))
    except SpaceError as error:
        raise SpaceError(f"Hyperparameter {name!r}: {error}") from None
    raise SpaceError(
        f"Hyperparameter {name!r} of the ConfigSpace has the unknown type {kind!r}. "
        f"Known: {', '.join([*_NUMERIC, *_LISTED])}."
    )


def _interval(name: str, entry: Mapping[str, Any], notes: list[str]) -> Domain:
    kind, (low, high) = str(entry["type"]), (entry.get("lower"), entry.get("upper"))
    if low is None or high is None:
        # Some sigmas around the mean would be a guess, not what was searched.
        raise SpaceError(
            f"{kind} without 'lower' and 'upper' has no bounds, and a domain needs them. Write "
            "the bounds of the values into the file, or give a space."
        )
    log, step = bool(entry.get("log")), entry.get("q")
    if step is not None and not _steps_fit(kind, low, high, log, step):
        notes.append(
            f"{' '.join(name.split())}: its quantisation q={step} is left out, since it does "
            "not divide the range into even steps."
        )
        step = None
    if _NUMERIC[kind] is Int:
        return Int(low, high, log, 1 if step is None else step)
    return Float(low, high, log, step)


def _steps_fit(kind: str, low: float, high: float, log: bool, step: float) -> bool:
    """Return whether values are the lower bound plus whole steps, as they are if uniform."""
    if log or not kind.startswith("uniform") or not step > 0:
        return False
    steps = (high - low) / step
    return steps >= 1 and math.isclose(steps, round(steps), rel_tol=1e-9)


def _notes(entries: Mapping[str, Mapping[str, Any]], forbidden: int) -> Iterator[str]:
    shaped = [
        f"{' '.join(name.split())} ({shape})" for name, entry in entries.items()
        if (shape := _shape(entry))
    ]  # fmt: skip
    if shaped:
        yield f"Not sampled uniformly by ConfigSpace: {', '.join(shaped)}."
    if forbidden:
        clauses = "1 forbidden clause" if forbidden == 1 else f"{forbidden} forbidden clauses"
        yield (
            f"The ConfigSpace has {clauses}, which ruled out combinations of values but "
            "changed no domain."
        )


def _shape(entry: Mapping[str, Any]) -> str | None:
    weights = entry.get("weights") or entry.get("probabilities")
    if weights and len(set(weights)) > 1:
        return "weights"
    shape = str(entry["type"]).partition("_")[0]
    return shape if shape in ("normal", "beta") else None


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
        self.found: dict[str, Node | None] = {}
        for condition in conditions:
            child = self._known(condition, "child")
            self.conditions.setdefault(child, []).append(condition)

    def of(self, child: str, depth: int = 0) -> Node | None:
        """Return what must hold for a parameter to be active; None: it always is."""
        if child not in self.found:
            parts = self._parts(child, self.conditions.get(child, ()), depth)
            self.found[child] = conjunction(*parts)
        return self.found[child]

    def _parts(self, child: str, entries: Iterable[Mapping[str, Any]], depth: int) -> list[Node]:
        """Return the distinct conditions; raises if they have too many comparisons."""
        parts: dict[Node, int] = {}
        for entry in entries:
            node = self._node(child, entry, depth)
            parts[node] = _comparisons(node)
            if sum(parts.values()) > _MOST_COMPARISONS:
                raise ConditionError(
                    f"The condition of {child!r} in the ConfigSpace comes to more than "
                    f"{_MOST_COMPARISONS:,} comparisons, since it repeats those of its parents "
                    "that may be None. Use another value than None in them, or give a space."
                )
        return list(parts)

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
            parts = self._parts(child, nested, depth + 1)
            both = conjunction(*parts)
            assert both is not None
            return both if kind == "AND" else alternative(parts)
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
                f"its values (got {brief(parent)} and {brief(value)})."
            )
        place = domain.choices.index(value)
        held = domain.choices[:place] if kind == "LT" else domain.choices[place + 1 :]
        return self._among(parent, held, depth)

    def _among(self, parent: str, values: Sequence[Any], depth: int) -> Node:
        """Return the condition that a parent is active and has one of the values."""
        held = tuple(map(plain_value, values))
        domain = self.domains[parent]
        if not held:  # never holds, such as below the lowest of an ordinal
            assert isinstance(domain, Categorical)
            first = domain.choices[0]
            return Conjunction((Comparison(parent, "==", first), Comparison(parent, "!=", first)))
        if None in held and parent in self.conditions and isinstance(domain, Categorical):
            # Values do not show whether such a parent is None or inactive; its conditions do.
            others = tuple(choice for choice in domain.choices if choice is not None)
            no_other = Negation(Membership(parent, others, negated=False)) if others else None
            none = conjunction(self.of(parent, depth + 1), no_other)
            assert none is not None
            rest = tuple(value for value in held if value is not None)
            return Disjunction((self._among(parent, rest, depth), none)) if rest else none
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
                f"{key!r} (got {brief(values)})."
            )
        return values


def _comparisons(node: Node) -> int:
    if isinstance(node, Conjunction | Disjunction):
        return sum(map(_comparisons, node.parts))
    return _comparisons(node.part) if isinstance(node, Negation) else 1
