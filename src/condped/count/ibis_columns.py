"""Columns of a table as expressions: what is missing, and which number or choice a cell is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import ibis.expr.types as ir

from condped.count.ibis_trees import EXACT, any_of, is_nan, real, whole
from condped.errors import DataError

_NUMBER = r"^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$"
_WHOLE = r"^\s*[+-]?[0-9]{1,19}\s*$"


@dataclass(frozen=True, slots=True)
class Cells:
    """One column.

    Attributes
    ----------
    value
        int64 (or narrower, or unsigned), float64, text or boolean.
    missing
        Where there is nothing: null or NaN.
    spelled
        Whether the texts spell numbers and other choices, as the values of a long table do.
    """

    name: str
    value: ir.Value
    missing: ir.BooleanValue
    spelled: bool = False


@dataclass(frozen=True, slots=True)
class Numbers:
    """A column as numbers.

    Attributes
    ----------
    value
        Integers or float64; meaningless where the column is missing or wrong.
    wrong
        Where a text is no number; None: nowhere.
    fraction
        Where a number that must be whole is not; None: nowhere.
    """

    value: ir.Value
    wrong: ir.BooleanValue | None = None
    fraction: ir.BooleanValue | None = None


def cells_of(name: str, column: ir.Value) -> Cells:
    """Return a column as what a parameter can be made of."""
    dtype = column.type()
    empty = column.isnull()
    if dtype.is_floating():
        value = column if dtype.is_float64() else column.cast("float64")
        return Cells(name, value, empty | is_nan(value))
    if dtype.is_decimal():
        # Through text: some engines divide by a power of ten and miss the nearest float.
        return Cells(name, column.cast("string").cast("float64"), empty)
    if dtype.is_null():
        return Cells(name, column.cast("float64"), empty)
    if dtype.is_string() or dtype.is_integer() or dtype.is_boolean():
        return Cells(name, column, empty)
    raise DataError(
        f"Parameter {name!r} cannot be read: its column holds {dtype}. "
        "Allowed: numbers, texts, booleans.",
        column=name,
    )


def numbers_of(cells: Cells, *, as_whole: bool) -> Numbers:
    """Return a column as the numbers of a parameter: int64 if all its domains are ints."""
    value = cells.value
    dtype = value.type()
    if dtype.is_string():
        return _spelled_numbers(value, as_whole=as_whole)
    if dtype.is_boolean():
        value = value.cast("int64")
    if as_whole:
        return Numbers(value, fraction=_fraction(value) if dtype.is_floating() else None)
    return Numbers(value if dtype.is_floating() else value.cast("float64"))


def _fraction(value: ir.Value) -> ir.BooleanValue:
    """Return where a float is not whole; rounding is asked for only where it cannot overflow."""
    inside = (value > real(-EXACT)) & (value < real(EXACT))
    return inside.ifelse(value != value.floor().cast("float64"), False)


def whole_check(value: ir.Value) -> ir.BooleanValue | None:
    """Return where a number is not whole; None if its type says that it always is."""
    return _fraction(value) if value.type().is_floating() else None


def _spelled_numbers(text: ir.Value, *, as_whole: bool) -> Numbers:
    spells = text.re_search(_NUMBER)
    # A cast stands only where it cannot fail: not every engine has one that may.
    number = spells.ifelse(text.strip(), "0").cast("float64")
    if not as_whole:
        return Numbers(number, wrong=~spells)
    fits = (number > real(-(2.0**63))) & (number < real(2.0**63))
    short = text.re_search(_WHOLE) & fits
    exact = short.ifelse(text.strip(), "0").cast("int64")
    value = short.ifelse(exact, fits.ifelse(number, real(0.0)).cast("int64"))
    fraction = (~short).ifelse(_fraction(number), False)
    return Numbers(value, wrong=any_of([~spells, ~fits]), fraction=fraction)


def choice_places(cells: Cells, choices: Sequence[Any]) -> list[tuple[Any, int]]:
    """Return (literal to compare with, position of the choice) for all that a column may hold.

    A text is a text and a number a number; True, 1 and 1.0 find one another where the column has
    no better match, as in memory.
    """
    dtype = cells.value.type()
    if dtype.is_string():
        if cells.spelled:
            return _spelled_places(choices)
        return [(choice, place) for place, choice in enumerate(choices) if isinstance(choice, str)]
    kind = bool if dtype.is_boolean() else int if dtype.is_integer() else float
    found: dict[Any, int] = {}
    for exact in (False, True):
        for place, choice in enumerate(choices):
            if not isinstance(choice, (int, float)) or (exact and type(choice) is not kind):
                continue
            value = _as_kind(choice, kind)
            if value is not None and (exact or value not in found):
                found[value] = place
    literals: dict[type, Callable[[Any], Any]] = {bool: bool, int: whole, float: real}
    literal = literals[kind]
    return [(literal(value), place) for value, place in found.items()]


def _as_kind(choice: float, kind: type) -> Any:
    """Return a number as the column's type has it; None if it has no such value."""
    if choice != choice or choice in (float("inf"), float("-inf")):  # noqa: PLR0124
        return None
    value = kind(choice)
    return value if value == choice else None


def _spelled_places(choices: Sequence[Any]) -> list[tuple[Any, int]]:
    """Return the texts that may spell a choice; the choice itself comes first."""
    found = {choice: place for place, choice in enumerate(choices) if isinstance(choice, str)}
    for place, choice in enumerate(choices):
        if not isinstance(choice, str) and choice is not None:
            word = str(choice)
            for spelling in dict.fromkeys((word, word.lower(), word.upper())):
                found.setdefault(spelling, place)
            if isinstance(choice, float) and choice.is_integer():
                found.setdefault(str(int(choice)), place)
            elif isinstance(choice, int) and not isinstance(choice, bool):
                found.setdefault(f"{choice}.0", place)
    return list(found.items())
