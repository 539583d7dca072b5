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


# Truth values as text files write them.
TRUTH_VALUES = {"True": True, "False": False, "true": True, "false": False}


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
    seconds: FloatArray | None = None  # dates or durations, NaN where missing


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
    kinds = set(map(type, values))
    if any(issubclass(kind, np.generic) for kind in kinds):
        # Scalars of numpy and Arrow would be different choices from Python's.
        values = [value.item() if isinstance(value, np.generic) else value for value in values]
        kinds = set(map(type, values))
    missing: BoolArray | None = None
    if not kinds <= {str, int, bool} and kinds != {float}:  # number_column() handles NaN
        missing = np.fromiter(map(_is_missing, values), bool, len(values))
        present = (value for value, gone in zip(values, missing, strict=True) if not gone)
        kinds, missing = set(map(type, present)), missing if missing.any() else None
    if kinds == {bool}:
        return LevelColumn(np.array(_filled(values, missing, -1), dtype=np.int64), (False, True))
    if kinds and all(issubclass(kind, (int, float)) and kind is not bool for kind in kinds):
        if all(issubclass(kind, int) for kind in kinds):
            whole = np.array(list(map(int, _filled(values, missing, 0))))
            if whole.dtype == np.int64:
                return number_column(whole, missing)
        try:
            return number_column(np.array(_filled(values, missing, np.nan), dtype=np.float64))
        except OverflowError:
            return UnusableColumn("integers too large for a float")
    # A missing value may be represented by something unhashable.
    return level_column(_filled(values, missing, None), missing)


def _filled(
    values: Sequence[Any], missing: BoolArray | None, filler: float | None
) -> Sequence[Any]:
    if missing is None:
        return values
    return [filler if gone else value for value, gone in zip(values, missing, strict=True)]


def level_column(values: Sequence[Any], missing: BoolArray | None = None) -> Column:
    """Return a column of levels in order of first appearance."""
    # True, 1 and 1.0 are one key to a dict; as levels they are three.
    several_types = len(set(map(type, values)) - {type(None)}) > 1
    keys = [(value.__class__, value) for value in values] if several_types else values
    try:
        places = {key: place for place, key in enumerate(dict.fromkeys(keys))}
        codes = np.fromiter(map(places.__getitem__, keys), np.int64, len(keys))
    except TypeError:
        odd = next((v for v in values if type(v).__hash__ is None), values[0])
        return UnusableColumn(f"values of type {type(odd).__name__}")
    levels = tuple(value for _, value in places) if several_types else tuple(places)
    if missing is None or not missing.any():
        return LevelColumn(codes, levels)
    codes[missing] = -1
    return _without_unused_levels(codes, levels)


def absent_column(rows: int) -> LevelColumn:
    """Return a column without any value."""
    return LevelColumn(np.full(rows, -1, dtype=np.int64), ())


def array_column(values: Any) -> Column:
    """Return an array or list as a column."""
    if hasattr(values, "to_pylist"):  # Arrow, whose scalars are not Python values
        values = values.to_pylist()
    if isinstance(values, np.ma.MaskedArray):
        return _masked_column(values)
    if not isinstance(values, np.ndarray):
        return object_column(list(values))
    if values.ndim != 1:
        return UnusableColumn(f"{values.ndim}-dimensional values")
    if values.dtype.kind in "iuf":
        return number_column(values)
    if values.dtype.kind in "bOUST":
        return object_column(values.tolist())
    return UnusableColumn(str(values.dtype), seconds_of_array(values))


def _masked_column(values: np.ma.MaskedArray[Any, Any]) -> Column:
    masked = np.ma.getmaskarray(values)
    held = values.data.astype(object)
    if any(value is None for value in held[~masked].tolist()):
        return level_column(held.tolist(), masked)  # None is a choice where it is not masked
    held[masked] = None
    return object_column(held.tolist())


def seconds_of_array(values: Any) -> FloatArray | None:
    """Return an array of dates or durations as seconds; None if it holds neither.

    Examples
    --------
    >>> seconds_of_array(np.array([1500, "NaT"], dtype="timedelta64[ms]"))
    array([1.5, nan])
    """
    if values.dtype.kind not in "mM":
        return None
    fine = values.astype(f"{values.dtype.kind}8[us]")
    return np.where(np.isnat(fine), np.nan, fine.astype(np.int64) / 1e6)


def select_rows(column: Column, rows: BoolArray) -> Column:
    """Return the column with these rows only, without unused levels."""
    if isinstance(column, UnusableColumn):
        return UnusableColumn(column.kind, None if column.seconds is None else column.seconds[rows])
    if isinstance(column, NumberColumn):
        missing = None if column.missing is None else column.missing[rows]
        return NumberColumn(column.values[rows], missing)
    return _without_unused_levels(column.codes[rows], column.levels)


def _without_unused_levels(codes: IntArray, levels: tuple[Any, ...]) -> LevelColumn:
    used = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=len(levels)))
    renumber = np.full(len(levels) + 1, -1)
    renumber[used] = np.arange(len(used))
    return LevelColumn(renumber[codes], tuple(levels[place] for place in used))


def number_of(level: Any) -> float | None:
    """Return a value, or a text that spells a number, as float; None if it is neither."""
    if isinstance(level, bool) or (isinstance(level, str) and "_" in level):
        return None  # Python would read 64_32 as a number
    try:
        return float(level)
    except (TypeError, ValueError, OverflowError):
        return None


def _is_missing(value: Any) -> bool:
    # NaN and pandas' NaT do not equal themselves; comparing pandas' NA or a signalling NaN raises.
    if value is None or value is np.ma.masked:
        return True
    try:
        return bool(value != value)  # noqa: PLR0124
    except ArithmeticError:
        return True
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"
