"""Conditions for the engine to filter rows by, where it does so exactly as the counter does."""

from __future__ import annotations

import math
import operator
from functools import reduce
from typing import Any

import ibis

from condped.space.condition import Condition
from condped.space.domain import Categorical
from condped.space.nodes import (
    COMPARE,
    Comparison,
    Conjunction,
    Disjunction,
    Membership,
    Negation,
    Node,
)
from condped.space.space import Space


def translated(condition: Condition, table: Any, space: Space) -> Any | None:
    """Return a condition as an expression, never null; None if an engine might differ.

    Numeric parameters are compared with numbers, categorical ones with texts; nothing else is
    translated. A comparison with an absent parameter does not hold, and ``not`` reverses that:
    SQL's third truth value must not leak.
    """
    return _node(condition.root, table, space)


def _node(node: Node, table: Any, space: Space) -> Any | None:
    if isinstance(node, Negation):
        part = _node(node.part, table, space)
        return None if part is None else ~part
    if isinstance(node, Conjunction | Disjunction):
        parts = [_node(part, table, space) for part in node.parts]
        join = operator.and_ if isinstance(node, Conjunction) else operator.or_
        return None if any(part is None for part in parts) else reduce(join, parts)
    if isinstance(node, Comparison):
        return _compare(table, space, node.name, node.op, node.value)
    if isinstance(node, Membership):
        parts = [_compare(table, space, node.name, "==", value) for value in node.values]
        if not parts or any(part is None for part in parts):
            return None
        found: Any = reduce(operator.or_, parts)
        return _present(table[node.name]) & ~found if node.negated else found
    return None  # two parameters


def _compare(table: Any, space: Space, name: str, op: str, value: Any) -> Any | None:
    if name not in space or name not in table.columns:
        return None
    column, domains = table[name], [alternative.domain for alternative in space[name]]
    kinds = {isinstance(domain, Categorical) for domain in domains}
    other = None
    if kinds == {True} and op in ("==", "!=") and column.type().is_string():
        choices = [c for d in domains if isinstance(d, Categorical) for c in d.choices]
        if all(isinstance(text, str) for text in (*choices, value)):
            other = ibis.literal(value)
    elif kinds == {False} and isinstance(value, (int, float)) and not isinstance(value, bool):
        if column.type().is_floating() and math.isfinite(value):
            column, other = column.cast("float64"), _exact_float(value)
        elif column.type().is_integer() and isinstance(value, int) and abs(value) < 2**63:
            other = ibis.literal(value, "int64")
    return None if other is None else _present(column) & COMPARE[op](column, other).fill_null(False)


def _exact_float(number: float) -> Any:
    """Return an exact float: engines read a plain 0.1 as a decimal, and may then round it."""
    return ibis.literal(repr(float(number))).cast("float64")


def _present(column: Any) -> Any:
    there = column.notnull()
    return there & ~_is_nan(column) if column.type().is_floating() else there


def _is_nan(column: Any) -> Any:
    """Return whether a float is not a number, never null.

    Not by ``isnan``: DuckDB answers it from the statistics of Parquet files, which ignore NaN
    (its issue 25521). Only finite numbers have difference 0 to themselves.
    """
    finite = (column - column) == _exact_float(0.0)
    infinite = (column == _exact_float(math.inf)) | (column == _exact_float(-math.inf))
    return ~(finite | infinite).fill_null(False)
