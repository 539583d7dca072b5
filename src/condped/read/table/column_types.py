"""From a column as it comes to numbers or levels, whichever its domains ask for."""

from __future__ import annotations

import numpy as np

from condped.errors import DataError
from condped.read.table.row_errors import refuse, row_number
from condped.space.domain import Categorical, Domain
from condped.space.space import Alternative
from condped.trials.columns import Column, LevelColumn, NumberColumn, UnusableColumn, number_of


def convert(
    name: str, column: Column, alternatives: tuple[Alternative, ...]
) -> NumberColumn | LevelColumn:
    """Return the column as what a parameter with these alternatives can be."""
    if isinstance(column, UnusableColumn):
        raise DataError(
            f"Parameter {name!r} cannot be read: its column holds {column.kind}. "
            "Allowed: numbers, texts, booleans.",
            column=name,
        )
    categorical = [isinstance(alternative.domain, Categorical) for alternative in alternatives]
    if all(categorical):
        levels = _levels(column) if isinstance(column, NumberColumn) else column
        if alternatives[0].when is None and none_place(alternatives[0].domain) is not None:
            # Always active, so a missing value is the choice None, to conditions as well.
            codes = np.where(levels.codes < 0, len(levels.levels), levels.codes)
            return LevelColumn(codes, (*levels.levels, None))
        return levels
    if any(categorical):
        raise DataError(
            f"Parameter {name!r} has numeric and categorical domains, which one column cannot "
            "hold apart. Split it into two parameters.",
            column=name,
        )
    return column if isinstance(column, NumberColumn) else _numbers(name, column)


def none_place(domain: Domain) -> int | None:
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
    """Return the numbers that the levels are or spell."""
    found = [float(lv) if isinstance(lv, bool) else number_of(lv) for lv in column.levels]
    wrong = np.array([*(number is None for number in found), False])[column.codes]
    if wrong.any():
        first = int(np.argmax(wrong))
        refuse(
            name,
            wrong,
            f"must be numeric, but row {row_number(first)} holds "
            f"{column.levels[column.codes[first]]!r}",
            "Correct the value or the domain's type",
        )
    numbers = np.array([*found, np.nan], dtype=np.float64)[column.codes]
    return NumberColumn(numbers, column.absent() if column.absent().any() else None)
