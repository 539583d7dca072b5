"""Conditions as trees: comparisons of parameters, joined by and, or and not."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Protocol, TypeAlias

import numpy as np

from condped.arrays import BoolArray
from condped.errors import ConditionError

_FEW_VALUES = 8  # up to which numbers are compared with each value
COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


class ConditionColumn(Protocol):
    """What a condition needs to know of a column."""

    def where(self, predicate: Callable[[Any], Any]) -> BoolArray:
        """Return where the value is present and ``predicate`` holds for it."""
        ...

    def absent(self) -> BoolArray:
        """Return where the value is missing."""
        ...

    def numbers(self) -> np.ndarray[Any, np.dtype[np.float64]] | None:
        """Return the values as numbers (NaN: absent), or None if they are not numbers."""
        ...


Columns: TypeAlias = Mapping[str, ConditionColumn]


@dataclass(frozen=True, slots=True)
class Comparison:
    """``name <op> value``."""

    name: str
    op: str
    value: Any

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters that it compares."""
        return (self.name,)

    def holds(self, columns: Columns) -> BoolArray:
        compare, value = COMPARE[self.op], self.value
        return columns[self.name].where(lambda entry: compare(entry, value))


@dataclass(frozen=True, slots=True)
class ParameterComparison:
    """``name <op> other``: two parameters compared as numbers."""

    name: str
    op: str
    other: str

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters that it compares."""
        return (self.name, self.other)

    def holds(self, columns: Columns) -> BoolArray:
        left, right = columns[self.name].numbers(), columns[self.other].numbers()
        if left is None or right is None:
            raise ConditionError(
                f"{self.name!r} {self.op} {self.other!r} compares parameters that are not both "
                "numeric. Compare each with a value instead."
            )
        held = COMPARE[self.op](left, right)
        return np.asarray(held & ~(np.isnan(left) | np.isnan(right)))


@dataclass(frozen=True)
class Membership:
    """``name in [values]``."""

    name: str
    values: tuple[Any, ...]
    negated: bool

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters that it compares."""
        return (self.name,)

    @cached_property
    def among(self) -> frozenset[Any]:
        """The values, for lookups."""
        return frozenset(self.values)

    def holds(self, columns: Columns) -> BoolArray:
        column = columns[self.name]
        found = column.where(partial(_is_among, self.among))
        return np.asarray(~(found | column.absent()) if self.negated else found)


@dataclass(frozen=True, slots=True)
class Conjunction:
    """``and`` of its parts."""

    parts: tuple[Node, ...]

    def holds(self, columns: Columns) -> BoolArray:
        held = np.array(True)
        for part in _gather_values(self.parts, "!=", negated=True):
            held = held & part.holds(columns)
        return np.asarray(held)


@dataclass(frozen=True, slots=True)
class Disjunction:
    """``or`` of its parts."""

    parts: tuple[Node, ...]

    def holds(self, columns: Columns) -> BoolArray:
        held = np.array(False)
        for part in _gather_values(self.parts, "==", negated=False):
            held = held | part.holds(columns)
        return np.asarray(held)


@dataclass(frozen=True, slots=True)
class Negation:
    """``not`` of its part."""

    part: Node

    def holds(self, columns: Columns) -> BoolArray:
        return ~self.part.holds(columns)


Leaf: TypeAlias = Comparison | ParameterComparison | Membership
Node: TypeAlias = Leaf | Conjunction | Disjunction | Negation


def leaves(root: Node) -> Iterator[Leaf]:
    """Iterate over the comparisons of a condition."""
    todo = [root]  # the next one last
    while todo:
        node = todo.pop()
        if isinstance(node, Conjunction | Disjunction):
            todo += reversed(node.parts)
        elif isinstance(node, Negation):
            todo.append(node.part)
        else:
            yield node


def names_of(root: Node) -> tuple[str, ...]:
    """Return the parameters that a condition refers to, in order of first appearance."""
    return tuple(dict.fromkeys(name for leaf in leaves(root) for name in leaf.names))


def _is_among(values: Collection[Any], entry: Any) -> Any:
    """Return whether an entry is one of the values; for an array, for each of its numbers."""
    if not isinstance(entry, np.ndarray):
        return entry in values and entry == entry  # noqa: PLR0124  (NaN is not)
    if len(values) <= _FEW_VALUES:
        held = np.zeros(len(entry), dtype=bool)
        for value in values:
            held |= entry == value
        return held
    levels, places = np.unique(entry, return_inverse=True)
    return np.array([level in values for level in levels.tolist()], dtype=bool)[places]


def _gather_values(parts: Iterable[Node], op: str, *, negated: bool) -> Iterator[Node]:
    """Iterate over parts, with comparisons of one parameter with many values gathered into one.

    Each of them would go through all of its choices.
    """
    values: dict[str, dict[Any, None]] = {}
    for part in parts:
        if isinstance(part, Comparison) and part.op == op:
            values.setdefault(part.name, {})[part.value] = None
        elif isinstance(part, Membership) and part.negated == negated:
            values.setdefault(part.name, {}).update(dict.fromkeys(part.values))
        else:
            yield part
    for name, found in values.items():
        yield Membership(name, tuple(found), negated)


def gathered(node: Node) -> Node:
    """Return the same condition with comparisons with many values gathered, however deep."""
    if isinstance(node, Negation):
        return Negation(gathered(node.part))
    if isinstance(node, Conjunction):
        return Conjunction(tuple(_gather_values(map(gathered, node.parts), "!=", negated=True)))
    if isinstance(node, Disjunction):
        return Disjunction(tuple(_gather_values(map(gathered, node.parts), "==", negated=False)))
    return node
