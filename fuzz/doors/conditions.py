"""The language of conditions, against an evaluator over Python's own syntax tree."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Mapping
from random import Random
from typing import Any

import condped
from fuzz import mutate
from fuzz.door import DiffersError, Door

_ROWS: Mapping[str, list[Any]] = {
    "c": [0.0, 0.25, 0.5, 0.75, 1.0, None, -3.0, 1e308, 5e-324, 2.5],
    "d": [1.0, None, 0.5, 0.5, -1.0, 4.0, -3.0, -1e308, 0.0, 2.5],
    "n": [1, 2, 3, None, 5, 2**53, -7, 0, 1, 2],
    "k": ["a", "b", None, "it's", "1", "größe", "none", "a", "b", ""],
    "f": [True, False, None, True, False, True, True, False, None, True],
}
_OPERATORS = ("<", "<=", ">", ">=", "==", "!=")
_TOKENS = (*_OPERATORS, *_ROWS, "and", "or", "not", "in", "not in", "(", ")", "[", "]", ",", "'",
           '"',
           "`", "0.5", "1e999", "-1", "'a'", "true", "none", "=", "is", " ", "9" * 400, "lambda",
           "__import__('os')", "c.real", "½", "\x00", "\ud800", "not " * 150,
           "(" * 150)  # fmt: skip
_CONSTANTS = {"true": True, "false": False, "none": None}
_COMPARE: Mapping[type[ast.cmpop], Any] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip


class Conditions(Door):
    """``where``: conditions by the grammar, most of them changed afterwards."""

    name = "conditions"
    title = "Conditions"
    weight = 8
    oracle = "an evaluator over Python's syntax tree"

    def make(self, rng: Random) -> tuple[str, bytes]:
        text = _expression(rng, 0)
        if rng.random() < 0.6:
            text = mutate.changed_text(rng, text, _TOKENS)
        return "where", text.encode("utf-8", "surrogatepass")

    def ask(self, what: str, data: bytes) -> Any:
        text = data.decode("utf-8", "surrogatepass")
        rows = len(_ROWS["c"])
        columns = {**_ROWS, "loss": [float(row) for row in range(rows)]}
        try:
            table = condped.read(columns, objective="loss", where=text)
        except condped.errors.NoTrialsError:
            return []
        return [int(value) for value in table.objectives[0].values]

    def compare(self, what: str, data: bytes, answer: Any) -> None:
        text = data.decode("utf-8", "surrogatepass")
        try:
            tree = ast.parse(text.strip(), mode="eval").body
            expected = [r for r in range(len(_ROWS["c"])) if _holds(tree, _row(r))]
        except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError, _NotCommonError):
            return  # not a condition that both languages have
        if answer != expected:
            raise DiffersError(f"{text!r} holds for rows {answer}, expected {expected}")


class _NotCommonError(Exception):
    """Python means something else, or condped has no such thing."""


def _row(row: int) -> dict[str, Any]:
    return {name: values[row] for name, values in _ROWS.items()}


def _holds(node: ast.expr, row: Mapping[str, Any]) -> bool:
    """Evaluate a node for one row, every part of it."""
    if isinstance(node, ast.BoolOp):
        parts = [_holds(value, row) for value in node.values]
        return all(parts) if isinstance(node.op, ast.And) else any(parts)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return not _holds(node.operand, row)
    if not isinstance(node, ast.Compare):
        raise _NotCommonError
    operands = [node.left, *node.comparators]
    if isinstance(node.ops[0], ast.In | ast.NotIn):
        if len(node.ops) > 1 or not isinstance(operands[1], ast.List | ast.Tuple):
            raise _NotCommonError
        value = _value(operands[0], row)
        found = [value == _value(entry, {}) for entry in operands[1].elts]
        if value is None:
            return False
        return any(found) != isinstance(node.ops[0], ast.NotIn)
    # All of them, as condped does: one that cannot be compared is an error.
    pairs = zip(operands, node.ops, operands[1:], strict=False)
    held = [_evaluate_comparison(left, op, right, row) for left, op, right in pairs]
    return all(held)


def _evaluate_comparison(
    left: ast.expr, op: ast.cmpop, right: ast.expr, row: Mapping[str, Any]
) -> bool:
    if type(op) not in _COMPARE:
        raise _NotCommonError
    values = _value(left, row), _value(right, row)
    for node, value in zip((left, right), values, strict=True):
        if value is None and isinstance(node, ast.Name) and node.id in row:
            return False  # absent
    return bool(_COMPARE[type(op)](*values))


def _value(node: ast.expr, row: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Name):
        if node.id in row:
            return row[node.id]
        if node.id.lower() in _CONSTANTS:
            return _CONSTANTS[node.id.lower()]
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        sign = -1 if isinstance(node.op, ast.USub) else 1
        node = node.operand
        if not isinstance(node, ast.Constant) or isinstance(node.value, bool | str | None):
            raise _NotCommonError
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float | None):
        if isinstance(node.value, int) and not math.isfinite(_as_float(node.value)):
            return sign * math.inf
        return node.value if sign == 1 or node.value is None else -node.value
    raise _NotCommonError


def _as_float(number: int) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


def _expression(rng: Random, depth: int) -> str:
    kind = rng.random()
    if depth > 4 or kind < 0.45:
        return _comparison(rng)
    if kind < 0.6:
        return f"not {_nested(rng, depth)}"
    word = rng.choice((" and ", " or "))
    return word.join(_nested(rng, depth) for _ in range(rng.randrange(2, 4)))


def _nested(rng: Random, depth: int) -> str:
    return f"({_expression(rng, depth + 1)})"


def _comparison(rng: Random) -> str:
    name = rng.choice(list(_ROWS))
    kind = rng.random()
    if kind < 0.25:
        values = ", ".join(_literal(rng, name) for _ in range(rng.randrange(1, 5)))
        return f"{name} {rng.choice(('in', 'not in'))} [{values}]"
    if kind < 0.4:
        return f"{name} {rng.choice(_OPERATORS)} {rng.choice(list(_ROWS))}"
    if kind < 0.6:
        ops = rng.choice(_OPERATORS), rng.choice(_OPERATORS)
        return f"{_literal(rng, name)} {ops[0]} {name} {ops[1]} {_literal(rng, name)}"
    pair = [name, _literal(rng, name)]
    if rng.random() < 0.3:
        pair.reverse()
    return f"{pair[0]} {rng.choice(_OPERATORS)} {pair[1]}"


def _literal(rng: Random, name: str) -> str:
    values = [value for value in _ROWS[name] if value is not None]
    if rng.random() < 0.2:
        values = ["x", 0.1, -2, True]
    value = rng.choice(values)
    return repr(value).lower() if isinstance(value, bool) else repr(value)
