"""Conditions on parameters as boolean expressions that are never null.

SQL's third truth value must not leak: a comparison with an absent parameter does not hold, and
``not`` turns that round.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import ibis
import ibis.expr.types as ir

from condped.count.ibis_trees import all_of, any_of, real, whole
from condped.errors import ConditionError
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

_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


class Gate(Protocol):
    """A parameter as conditions look at it."""

    @property
    def present(self) -> ir.BooleanValue:
        """Where it has a value; never null."""
        ...

    def compared(self, op: str, value: Any) -> ir.BooleanValue:
        """Return where it is present and the comparison holds; never null."""
        ...

    def number(self) -> ir.Value | None:
        """Return its values as floats, null where absent; None if some are not numbers."""
        ...


@dataclass(frozen=True, slots=True)
class NumberGate:
    """A numeric parameter."""

    value: ir.Value  # integers or float64
    present: ir.BooleanValue

    def compared(self, op: str, value: Any) -> ir.BooleanValue:
        if not isinstance(value, (int, float)):
            if op not in ("==", "!="):
                raise TypeError(f"a number and {value!r}")
            return self.present if op == "!=" else ibis.literal(False)
        if self.value.type().is_integer() and isinstance(value, int):
            if not -(2**63) <= value < 2**63:  # beyond all that the column can hold
                return self.present if _COMPARE[op](0, value) else ibis.literal(False)
            return self._where(_COMPARE[op](self.value, whole(value)))
        # As numpy does: a float beside whole numbers makes floats of them.
        return self._where(_COMPARE[op](self.value.cast("float64"), real(float(value))))

    def number(self) -> ir.Value:
        return self.present.ifelse(self.value.cast("float64"), ibis.null("float64"))

    def _where(self, held: ir.BooleanValue) -> ir.BooleanValue:
        return self.present & held.fill_null(False)


@dataclass(frozen=True, slots=True)
class ChoiceGate:
    """A categorical parameter: where it has each of its choices."""

    choices: Sequence[tuple[Any, ir.BooleanValue]]  # never null
    present: ir.BooleanValue

    def compared(self, op: str, value: Any) -> ir.BooleanValue:
        holds = [bool(_COMPARE[op](choice, value)) for choice, _ in self.choices]
        if op == "!=":  # what is none of the choices differs, too
            found = any_of(
                here for (_, here), met in zip(self.choices, holds, strict=True) if not met
            )
            return self.present if found is None else self.present & ~found
        found = any_of(here for (_, here), met in zip(self.choices, holds, strict=True) if met)
        return ibis.literal(False) if found is None else self.present & found

    def number(self) -> ir.Value | None:
        if not all(isinstance(choice, (int, float)) for choice, _ in self.choices):
            return None
        branches = [(self.present & here, real(float(choice))) for choice, here in self.choices]
        return ibis.cases(*branches, else_=ibis.null("float64"))


def compiled(condition: Condition, gates: Mapping[str, Gate]) -> ir.BooleanValue:
    """Return where a condition holds; never null."""
    try:
        return _node(condition.root, gates)
    except TypeError as error:
        raise ConditionError(
            f"The condition {condition.text!r} compares values of different types ({error}). "
            "Compare numbers with numbers and texts with texts."
        ) from error


def _node(node: Node, gates: Mapping[str, Gate]) -> ir.BooleanValue:
    if isinstance(node, Negation):
        return ~_node(node.part, gates)
    if isinstance(node, Both | Either):
        join = all_of if isinstance(node, Both) else any_of
        held = join(_node(part, gates) for part in node.parts)
        assert held is not None
        return held
    gate = gates[node.name]
    if isinstance(node, Comparison):
        return gate.compared(node.op, node.value)
    if isinstance(node, Membership):
        found = any_of(gate.compared("==", value) for value in node.values)
        assert found is not None
        return gate.present & ~found if node.negated else found
    return _between(node, gate, gates[node.other])


def _between(node: Between, one: Gate, other: Gate) -> ir.BooleanValue:
    left, right = one.number(), other.number()
    if left is None or right is None:
        raise ConditionError(
            f"{node.name!r} {node.op} {node.other!r} compares parameters that are not both "
            "numeric. Compare each with a value instead."
        )
    held: ir.BooleanValue = _COMPARE[node.op](left, right).fill_null(False)
    return held
