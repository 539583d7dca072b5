"""Comparisons with exact numbers, as expressions: all that an engine ever computes with values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from operator import add, and_, or_
from typing import Any

import ibis
import ibis.expr.types as ir
import numpy as np

from condped.arrays import ValueArray

EXACT = 2.0**53  # from here on every float is a whole number


@lru_cache(maxsize=1 << 16)  # the same edges are asked for again and again
def real(number: float) -> ir.Value:
    """Return a float64 to its last bit.

    As text that is cast: engines read a plain 0.1 as a decimal and may round on their way.
    """
    text = repr(float(number)) if math.isfinite(number) else f"{'-' * (number < 0)}Infinity"
    return ibis.literal(text).cast("float64")


def whole(number: int) -> ir.Value:
    """Return an int64."""
    return ibis.literal(int(number), "int64")


@cache  # the same number is the same object, by which trees find leaves that can be shared
def code(number: int) -> ir.Value:
    """Return a small number that stands for something."""
    return ibis.literal(int(number), "int32")


def bound(value: ir.Value, number: float) -> ir.Value:
    """Return what ``value <= number`` compares with, exact whatever the types of the two.

    A whole number that no float equals becomes the next lower float, beside which a float cannot
    tell the two apart.
    """
    if value.type().is_integer():
        return whole(math.floor(number))
    near = float(number)
    return real(near if near <= number else math.nextafter(near, -math.inf))


def below(value: ir.Value, number: float) -> ir.BooleanValue:
    """Return where a value is below a number, exact whatever the types of the two."""
    if value.type().is_integer():
        return value < whole(math.ceil(number))
    near = float(number)
    return value < real(near if near >= number else math.nextafter(near, math.inf))


def is_finite(value: ir.Value) -> ir.BooleanValue:
    """Return whether a float is a finite number.

    Only of these the difference to themselves is 0. Comparing with the largest would do as well,
    and ``isnan`` beside it, but DuckDB believes the statistics of Parquet files, which do not
    tell of NaN (its issue 25521), and answers both without looking at the values.
    """
    return (value - value) == real(0.0)


def is_nan(value: ir.Value) -> ir.BooleanValue:
    """Return whether a float is not a number."""
    return ~is_finite(value) & (value != real(math.inf)) & (value != real(-math.inf))


def choose(condition: ir.BooleanValue | None, yes: Any, no: Any) -> Any:
    """Return one of two expressions by a condition (None: never holds), or the only one."""
    if condition is None or yes is no:
        return no
    return ibis.ifelse(condition, yes, no)


def any_of(conditions: Iterable[ir.BooleanValue | None]) -> ir.BooleanValue | None:
    """Return whether one holds; None stands for what never does."""
    given = [condition for condition in conditions if condition is not None]
    return _joined(or_, given) if given else None


def all_of(conditions: Iterable[ir.BooleanValue | None]) -> ir.BooleanValue | None:
    """Return whether all hold; None stands for what always does."""
    given = [condition for condition in conditions if condition is not None]
    return _joined(and_, given) if given else None


def more_than_one(conditions: Iterable[ir.BooleanValue | None]) -> ir.BooleanValue | None:
    """Return whether two or more hold; None: there are not that many."""
    given = [choose(condition, code(1), code(0)) for condition in conditions]
    return _joined(add, given) > code(1) if len(given) > 1 else None


def _joined(join: Callable[[Any, Any], Any], parts: Sequence[Any]) -> Any:
    """Join all parts by a balanced tree: a chain is as deep as it is long."""
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    return join(_joined(join, parts[:middle]), _joined(join, parts[middle:]))


def stepwise(value: ir.Value, edges: ValueArray | Sequence[float], leaves: Sequence[Any]) -> Any:
    """Return ``leaves[searchsorted(edges, value)]`` as a balanced tree of comparisons.

    There is one leaf more than there are edges. Neighbours that are the same object share a leaf.
    """
    kept: list[Any] = [leaves[0]]
    between: list[float] = []
    numbers = edges.tolist() if isinstance(edges, np.ndarray) else list(edges)
    for edge, leaf in zip(numbers, leaves[1:], strict=True):
        if leaf is not kept[-1]:
            between.append(edge)
            kept.append(leaf)
    return _tree(value, between, kept)


def _tree(value: ir.Value, edges: list[float], leaves: list[Any]) -> Any:
    if not edges:
        return leaves[0]
    middle = len(edges) // 2
    return ibis.ifelse(
        value <= bound(value, edges[middle]),
        _tree(value, edges[:middle], leaves[: middle + 1]),
        _tree(value, edges[middle + 1 :], leaves[middle + 1 :]),
    )
