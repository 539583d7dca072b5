"""Columns as read, before the space gives them a meaning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from condped.arrays import BoolArray, FloatArray, IntArray, ValueArray


@dataclass(frozen=True, slots=True, eq=False)
class NumberColumn:
    """Numbers: float64 with NaN for missing, or int64 with a mask."""

    values: ValueArray
    missing: BoolArray | None  # None: nothing is missing

    def __len__(self) -> int:
        return len(self.values)

    def where(self, predicate: Callable[[Any], Any]) -> BoolArray:
        """Return where the value is present and the predicate holds."""
        held = predicate(self.values)
        if not isinstance(held, np.ndarray):
            # Comparing numbers with text or None gives one value for all rows.
            held = np.full(len(self.values), bool(held))
        return held if self.missing is None else np.asarray(held & ~self.missing)

    def numbers(self) -> FloatArray:
        """Return the values as floats, NaN where missing."""
        values = self.values.astype(np.float64)
        if self.missing is not None:
            values[self.missing] = np.nan
        return values

    def absent(self) -> BoolArray:
        """Return where the value is missing."""
        return np.zeros(len(self.values), bool) if self.missing is None else self.missing


@dataclass(frozen=True, slots=True, eq=False)
class LevelColumn:
    """Anything else: distinct levels and the position of each row's level (-1: missing)."""

    codes: IntArray
    levels: tuple[Any, ...]

    def __len__(self) -> int:
        return len(self.codes)

    def where(self, predicate: Callable[[Any], Any]) -> BoolArray:
        """Return where the value is present and the predicate holds."""
        held = np.array([*(bool(predicate(level)) for level in self.levels), False])
        return held.take(self.codes, mode="wrap")

    def numbers(self) -> FloatArray | None:
        """Return the levels as floats if all are numbers, NaN where missing."""
        if not all(isinstance(level, (int, float)) for level in self.levels):
            return None
        return np.array([*map(float, self.levels), np.nan])[self.codes]

    def absent(self) -> BoolArray:
        """Return where the value is missing."""
        return self.codes < 0


@dataclass(frozen=True, slots=True, eq=False)
class UnusableColumn:
    """A column of a type that can be neither objective nor parameter."""

    kind: str


Column: TypeAlias = NumberColumn | LevelColumn | UnusableColumn


def number_column(values: ValueArray, missing: BoolArray | None = None) -> NumberColumn:
    """Return numbers as a column; NaN counts as missing."""
    if values.dtype.kind in "iu":
        if values.dtype == np.uint64 and values.size and values.max() > np.iinfo(np.int64).max:
            return number_column(values.astype(np.float64), missing)
        return NumberColumn(values.astype(np.int64, copy=False), missing)
    values = values.astype(np.float64, copy=False)
    # The minimum is NaN exactly where one of the values is: one pass, no mask.
    if values.size and np.isnan(values.min()):
        missing = np.isnan(values)
    return NumberColumn(values, missing)


def object_column(values: Sequence[Any]) -> Column:
    """Return a column of Python objects: numbers if all are, levels otherwise."""
    # Scalars of numpy and Arrow would be other choices than Python's.
    values = [value.item() if isinstance(value, np.generic) else value for value in values]
    missing = np.fromiter((_is_missing(value) for value in values), bool, len(values))
    kinds = {type(value) for value, gone in zip(values, missing, strict=True) if not gone}
    if kinds == {bool}:
        codes = np.array([-1 if gone else v for v, gone in zip(values, missing, strict=True)])
        return LevelColumn(codes.astype(np.int64), (False, True))
    if kinds and all(issubclass(kind, (int, float)) and kind is not bool for kind in kinds):
        if all(issubclass(kind, int) for kind in kinds):
            whole = np.array(
                [0 if gone else int(v) for v, gone in zip(values, missing, strict=True)]
            )
            if whole.dtype == np.int64:
                return number_column(whole, missing if missing.any() else None)
        filled = [np.nan if gone else v for v, gone in zip(values, missing, strict=True)]
        try:
            return number_column(np.array(filled, dtype=np.float64))
        except OverflowError:
            return UnusableColumn("integers beyond all floats")
    return level_column(values, missing)


def level_column(values: Sequence[Any], missing: BoolArray | None = None) -> Column:
    """Return a column of levels in order of first appearance."""
    places: dict[Any, int] = {}
    # True, 1 and 1.0 are one key to a dict; as levels they are three.
    keys = [(value.__class__, value) for value in values]
    try:
        codes = np.fromiter((places.setdefault(k, len(places)) for k in keys), np.int64, len(keys))
    except TypeError:
        odd = next((v for v in values if type(v).__hash__ is None), values[0])
        return UnusableColumn(f"values of type {type(odd).__name__}")
    levels = [value for _, value in places]
    if missing is None or not missing.any():
        return LevelColumn(codes, tuple(levels))
    codes[missing] = -1
    left = np.unique(codes[~missing])
    renumber = np.full(len(levels) + 1, -1)
    renumber[left] = np.arange(len(left))
    return LevelColumn(renumber[codes], tuple(levels[place] for place in left))


def array_column(values: Any) -> Column:
    """Return an array or list as a column."""
    if hasattr(values, "to_pylist"):  # Arrow, whose scalars are not Python values
        values = values.to_pylist()
    if isinstance(values, np.ma.MaskedArray):
        masked = np.ma.getmaskarray(values)
        values = values.data.astype(object)
        values[masked] = None
    array = values if isinstance(values, np.ndarray) else _as_array(values)
    if array.ndim != 1:
        return UnusableColumn(f"{array.ndim}-dimensional values")
    if array.dtype.kind in "iuf":
        return number_column(array)
    if array.dtype.kind == "b":
        return LevelColumn(array.astype(np.int64), (False, True))
    if array.dtype.kind in "OUST":
        return object_column(array.tolist())
    return UnusableColumn(str(array.dtype))


def _as_array(values: Any) -> ValueArray:
    listed = list(values)
    # Without a dtype numpy would turn [1, "a"] into texts.
    plain = all(type(value) in (int, float) for value in listed)
    if plain:
        try:
            return np.asarray(listed)
        except OverflowError:
            pass
    return np.fromiter(listed, dtype=object, count=len(listed))


def select_rows(column: Column, rows: BoolArray) -> Column:
    """Return the column with these rows only, without unused levels."""
    if isinstance(column, UnusableColumn):
        return column
    if isinstance(column, NumberColumn):
        missing = None if column.missing is None else column.missing[rows]
        return NumberColumn(column.values[rows], missing)
    codes = column.codes[rows]
    left = np.unique(codes[codes >= 0])
    renumber = np.full(len(column.levels) + 1, -1)
    renumber[left] = np.arange(len(left))
    return LevelColumn(renumber[codes], tuple(column.levels[place] for place in left))


def number_of(level: Any) -> float | None:
    """Return a value, or a text that spells a number, as float; None if it is neither."""
    if isinstance(level, bool) or (isinstance(level, str) and "_" in level):
        return None  # Python would read 64_32 as a number
    try:
        return float(level)
    except (TypeError, ValueError, OverflowError):
        return None


def _is_missing(value: Any) -> bool:
    # NaN and pandas' NaT do not equal themselves; comparing pandas' NA raises.
    if value is None:
        return True
    try:
        return bool(value != value)  # noqa: PLR0124
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"
