"""Values as their domains require: numbers or levels; integers, steps, positions of choices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from condped.arrays import BoolArray, FloatArray, IdArray, IntArray, ValueArray
from condped.errors import DataError
from condped.read.table.row_errors import describe_row, raise_for_rows
from condped.safe_text import brief
from condped.space.domain import Categorical, Domain, Int, is_whole
from condped.space.space import Alternative
from condped.trials.columns import (
    TRUTH_VALUES,
    Column,
    LevelColumn,
    NumberColumn,
    UnusableColumn,
    number_of,
)


def unusable(name: str, column: UnusableColumn) -> DataError:
    """Return the error for a parameter whose values can be none."""
    return DataError(
        f"Parameter {name!r} cannot be read: its column holds {column.kind}. "
        "Allowed: numbers, texts, booleans.",
        column=name,
    )


def convert_column(
    name: str, column: Column, alternatives: tuple[Alternative, ...]
) -> NumberColumn | LevelColumn:
    """Return the column as numbers or levels, as these alternatives require."""
    if isinstance(column, UnusableColumn):
        raise unusable(name, column)
    categorical = [isinstance(alternative.domain, Categorical) for alternative in alternatives]
    if all(categorical):
        levels = _levels(column) if isinstance(column, NumberColumn) else column
        levels = _with_truth_values(levels, alternatives)
        if alternatives[0].when is None and none_position(alternatives[0].domain) is not None:
            # Always active, so a missing value is the choice None, for conditions too.
            codes = np.where(levels.codes < 0, len(levels.levels), levels.codes)
            return LevelColumn(codes, (*levels.levels, None))
        return levels
    if any(categorical):
        raise DataError(
            f"Parameter {name!r} has numeric and categorical domains, which one column cannot "
            "distinguish. Split it into two parameters.",
            column=name,
        )
    return column if isinstance(column, NumberColumn) else _numbers(name, column)


def _with_truth_values(column: LevelColumn, alternatives: Sequence[Alternative]) -> LevelColumn:
    """Return a column with texts such as True as truth values, if these are the choices."""
    choices = {choice for one in alternatives for choice in getattr(one.domain, "choices", ())}
    texts = TRUTH_VALUES.keys() & {level for level in column.levels if isinstance(level, str)}
    truths = any(isinstance(choice, bool) for choice in choices)
    if not texts or not truths or any(isinstance(c, str) and c in TRUTH_VALUES for c in choices):
        return column
    return replace(column, levels=tuple(_truth_value(level) for level in column.levels))


def _truth_value(level: Any) -> Any:
    return TRUTH_VALUES.get(level, level) if isinstance(level, str) else level


def encode_choices(
    name: str,
    column: LevelColumn,
    ids: IdArray,
    domains: tuple[Domain, ...],
    *,
    unknown_allowed: bool = False,
) -> ValueArray:
    """Return the position of each value among its domain's choices; -1 if unknown."""
    # One row per domain: the position of each level among its choices, -1 if unknown, and in the
    # last column that of None. The last row is for absent values and never used.
    places = np.zeros((len(domains) + 1, len(column.levels) + 1), dtype=np.int32)
    for row, domain in enumerate(domains):
        assert isinstance(domain, Categorical)
        exact = {(choice.__class__, choice): place for place, choice in enumerate(domain.choices)}
        loose = {choice: place for place, choice in reversed(list(enumerate(domain.choices)))}
        for place, level in enumerate(column.levels):
            places[row, place] = exact.get((level.__class__, level), loose.get(level, -1))
        places[row, -1] = none_position(domain) or 0
    everywhere = len(domains) == 1 and ids.strides == (0,)
    codes = places[0].take(column.codes, mode="wrap") if everywhere else places[ids, column.codes]
    if unknown_allowed or places.min() >= 0:  # no level is unknown to any domain
        return codes
    unknown = (codes < 0) & (ids >= 0)
    if unknown.any():
        first = int(np.argmax(unknown))
        level, domain = column.levels[column.codes[first]], domains[ids[first]]
        assert isinstance(domain, Categorical)
        alike = [choice for choice in domain.choices if str(choice) == str(level)]
        hint = f"; the choice {brief(alike[0])} is of another type" if alike else ""
        raise_for_rows(
            name,
            unknown,
            f"has the unknown choice {brief(level)} (allowed: "
            f"{_list_choices(domain.choices)}{hint})",
            "Add it to the choices or correct the value; or set the option outside to 'drop' to "
            "leave such trials out",
        )
    return codes


def encode_numbers(
    name: str, column: NumberColumn, ids: IdArray, domains: tuple[Domain, ...]
) -> ValueArray:
    """Return the numbers, as integers if all domains are, after checking the steps."""
    values = column.values
    ints = [isinstance(domain, Int) for domain in domains]
    whole = is_whole(domains)
    if values.dtype.kind == "f" and any(ints):
        _check_integers(name, values, np.array([*ints, False])[ids])
    elif values.dtype.kind == "i" and not whole:
        values = values.astype(np.float64)
    for place, domain in enumerate(domains):
        _check_steps(name, values, ids, place, domain)
    if whole and values.dtype.kind == "f":
        # Tools with missing values store integers as floats.
        values = nearest_integers(np.where(ids >= 0, values, 0.0))
    return values


def nearest_integers(values: FloatArray) -> IntArray:
    """Return whole numbers as int64, clipped to its range.

    Storages hold floats, so the highest int64 is read back as 2^63, which is out of range.
    """
    held = np.clip(values, -(2.0**63), 2.0**63 - 1024.0).astype(np.int64)
    held[values >= 2.0**63] = np.iinfo(np.int64).max
    return held


def none_position(domain: Domain) -> int | None:
    """Return the position of the choice None, which a table shows as a missing value."""
    if isinstance(domain, Categorical) and None in domain.choices:
        return domain.choices.index(None)
    return None


def _levels(column: NumberColumn) -> LevelColumn:
    present = column.values if column.missing is None else column.values[~column.missing]
    levels, codes = np.unique(present, return_inverse=True)
    if column.missing is None:
        return LevelColumn(codes, tuple(levels.tolist()))
    spread = np.full(len(column.values), -1, dtype=np.int64)
    spread[~column.missing] = codes
    return LevelColumn(spread, tuple(levels.tolist()))


def _numbers(name: str, column: LevelColumn) -> NumberColumn:
    """Return the levels as numbers; raises if one is neither a number nor the text of one."""
    found = [float(lv) if isinstance(lv, bool) else number_of(lv) for lv in column.levels]
    wrong = np.array([*(number is None for number in found), False])[column.codes]
    if wrong.any():
        first = int(np.argmax(wrong))
        raise_for_rows(
            name,
            wrong,
            f"must be numeric, but {describe_row(first)} holds "
            f"{brief(column.levels[column.codes[first]])}",
            "Correct the value or the domain's type",
        )
    numbers = np.array([*found, np.nan], dtype=np.float64)[column.codes]
    return NumberColumn(numbers, column.absent() if column.absent().any() else None)


def _list_choices(choices: tuple[Any, ...]) -> str:
    listed = ", ".join(map(brief, choices[:8]))
    return listed if len(choices) <= 8 else f"{listed} and {len(choices) - 8} more"


def _check_integers(name: str, values: FloatArray, whole: BoolArray) -> None:
    fractions = whole & (values != np.rint(values))
    if fractions.any():
        first = int(np.argmax(fractions))
        raise_for_rows(
            name,
            fractions,
            f"is an int but has the value {values[first]!r}".replace("np.float64", ""),
            "Correct the value or make the domain a float",
        )


def _check_steps(name: str, values: ValueArray, ids: IdArray, place: int, domain: Domain) -> None:
    if isinstance(domain, Categorical) or domain.step is None:
        return
    if isinstance(domain, Int) and domain.step == 1:
        return
    if values.dtype.kind == "i" and domain.step <= np.iinfo(np.int64).max:
        # Remainders do not overflow, as differences may.
        between = values % int(domain.step) != domain.low % int(domain.step)
    else:
        with np.errstate(invalid="ignore"):
            steps = (values - domain.low) / domain.step
            between = np.abs(steps - np.rint(steps)) > 1e-6
    off = (ids == place) & between
    if off.any():
        first = int(np.argmax(off))
        raise_for_rows(
            name,
            off,
            f"has the value {values[first]} between the steps of {domain.label}",
            "Correct the value or the step",
        )
