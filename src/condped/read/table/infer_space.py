"""Inferring domains from values, for tables without a space."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from condped.arrays import ValueArray
from condped.errors import DataError
from condped.safe_text import text_of
from condped.space.domain import Categorical, Domain, Float, Int
from condped.space.space import Space
from condped.trials.columns import Column, LevelColumn, NumberColumn

_TRUTHS = ({"True", "False"}, {"true", "false"})
# Fewer rows than this may all differ by chance.
_FEWEST_IDS = 20


def infer_space(columns: Mapping[str, Column], notes: list[str]) -> Space:
    """Return one domain per usable column; columns of other types or without values are left out.

    Integers give an int domain, other numbers a float, everything else a categorical.
    The bounds are the lowest and the highest value seen. The scale is logarithmic where the
    values are positive, span a factor of 50 or more, and lie more evenly that way. Texts that
    differ in every row are trial names; they are left out, with a note.
    """
    found: dict[str, Domain] = {}
    for name, column in columns.items():
        if isinstance(column, LevelColumn) and _FEWEST_IDS <= len(column) == len(column.levels):
            notes.append(f"{name}: left out, since its text differs in every row.")
            continue
        domain = domain_of(name, column)
        if domain is not None:
            found[name] = domain
    return Space(found, inferred=True)


def domain_of(name: str, column: Column) -> Domain | None:
    """Return the domain of a column's values; None if it has no usable ones."""
    if isinstance(column, LevelColumn):
        levels = column.levels
        if set(levels) in _TRUTHS:  # as text files have them
            levels = (False, True)
        known = (column.codes >= 0).any()
        return Categorical(sorted(levels, key=_sort_key)) if known else None
    if not isinstance(column, NumberColumn):
        return None
    values = column.values if column.missing is None else column.values[~column.missing]
    if not values.size:
        return None
    low, high = values.min(), values.max()
    if np.isinf(low) or np.isinf(high):
        raise _infinite(name, column.values)
    log = _is_more_even_in_logs(values, float(low), float(high))
    whole = values.dtype.kind == "i" or bool((values == np.rint(values)).all())
    if whole and abs(low) < 2.0**63 and abs(high) < 2.0**63:
        return Int(int(low), int(high), log=log)
    return Float(float(low), float(high), log=log)


def _infinite(name: str, values: ValueArray) -> DataError:
    infinite = np.isinf(values)
    first, count = int(np.argmax(infinite)), int(np.count_nonzero(infinite))
    return DataError(
        f"Parameter {name!r} has the value {values[first]} in row {first} (rows count from 0; "
        f"{count} such rows): no domain can contain it. Correct it or leave the column out.",
        column=name,
        first_row=first,
        count=count,
    )


def _sort_key(level: object) -> tuple[str, str]:
    return type(level).__name__, text_of(level)


def _is_more_even_in_logs(values: ValueArray, low: float, high: float) -> bool:
    if low <= 0 or high < 50 * low:
        return False
    # Evenly spread values have their median in the middle of the scale.
    middle = float(np.median(values))
    linear = (middle - low) / (high - low)
    logarithmic = np.log(middle / low) / np.log(high / low)
    return bool(abs(logarithmic - 0.5) < abs(linear - 0.5))
