"""Converting a column to numbers or levels, as its domains require."""

from __future__ import annotations

import numpy as np

from condped.errors import DataError
from condped.read.table.row_errors import describe_row, raise_for_rows
from condped.space.domain import Categorical, Domain
from condped.space.space import Alternative
from condped.trials.columns import Column, LevelColumn, NumberColumn, UnusableColumn, number_of


def convert_column(
    name: str, column: Column, alternatives: tuple[Alternative, ...]
) -> NumberColumn | LevelColumn:
    """Return the column as numbers or levels, as these alternatives require."""
    if isinstance(column, UnusableColumn):
        raise DataError(
            f"Parameter {name!r} cannot be read: its column holds {column.kind}. "
            "Allowed: numbers, texts, booleans.",
            column=name,
        )
    categorical = [isinstance(alternative.domain, Categorical) for alternative in alternatives]
    if all(categorical):
        levels = _levels(column) if isinstance(column, NumberColumn) else column
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
            f"{column.levels[column.codes[first]]!r}",
            "Correct the value or the domain's type",
        )
    numbers = np.array([*found, np.nan], dtype=np.float64)[column.codes]
    return NumberColumn(numbers, column.absent() if column.absent().any() else None)
