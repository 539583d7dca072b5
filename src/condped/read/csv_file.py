"""CSV files: texts that the space turns into numbers and choices."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from condped.errors import CondpedError, DataError
from condped.read.build import RawTable, build_table
from condped.read.columns import Column, level_column, number_column
from condped.read.options import ReadOptions
from condped.space.domain import Categorical
from condped.space.spec import Space, load_space
from condped.trials import TrialTable

# Texts that tables use for "no value". A choice of the same spelling comes first.
MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "<na>"})


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return a CSV file's rows as trials.

    The first line names the columns; commas, semicolons or tabs separate. Cells are texts until
    the space says otherwise: a choice '01' stays '01'.
    """
    names, columns = _cells(source)
    space = None if options.space is None else load_space(options.space)
    by_name = dict(zip(names, columns, strict=True))
    rows = len(columns[0]) if columns else 0
    return build_table(
        RawTable(tuple(names), rows, lambda name: _column(by_name[name], _choices(space, name))),
        options,
    )


def _cells(path: str) -> tuple[list[str], list[Sequence[str]]]:
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:  # noqa: PTH123
            first = re.sub(r'"[^"]*("|$)', "", file.readline())
            file.seek(0)
            separator = max(",;\t", key=first.count)
            lines = csv.reader(file, delimiter=separator, strict=True)
            names = next(lines, [])
            rows = []
            for row in lines:
                if len(row) == len(names):
                    rows.append(row)
                elif not names:
                    raise DataError(
                        f"The first line of {path!r} is blank. It must name the columns."
                    )
                elif row:
                    raise DataError(
                        f"Line {lines.line_num} of {path!r} has {len(row)} cells, the header has "
                        f"{len(names)}. Quote cells that hold a separator."
                    )
    except OSError as error:
        raise DataError(f"The file {path!r} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise DataError(f"The file {path!r} is not UTF-8 text: {error.reason}.") from error
    except csv.Error as error:
        raise DataError(f"The file {path!r} is not valid CSV: {error}.") from error
    except ValueError as error:  # a null byte in the path
        if isinstance(error, CondpedError):
            raise
        raise DataError(f"The file {path!r} cannot be read: {error}.") from error
    if not names:
        raise DataError(f"The file {path!r} is empty. Its first line must name the columns.")
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    return names, list(columns)


def _choices(space: Space | None, name: str) -> tuple[Any, ...] | None:
    """Return the choices of a categorical parameter, None for anything else."""
    if space is None or name not in space:
        return None
    domains = [alternative.domain for alternative in space[name]]
    choices = [c for d in domains if isinstance(d, Categorical) for c in d.choices]
    return tuple(choices) or None


def _column(cells: Sequence[str], choices: tuple[Any, ...] | None) -> Column:
    if choices is not None:
        return _chosen(cells, choices)
    missing = np.fromiter((cell.strip().lower() in MISSING for cell in cells), bool, len(cells))
    present = [cell for cell, gone in zip(cells, missing, strict=True) if not gone]
    if any("_" in cell for cell in present):  # Python would read 64_32 as a number
        return level_column(cells, missing)
    try:
        numbers = np.array([int(cell) for cell in present])
        if numbers.dtype != np.int64:
            raise ValueError
    except ValueError:
        try:
            numbers = np.array(present, dtype=np.float64)
        except ValueError:
            return level_column(cells, missing)
    values = np.full(len(cells), 0 if numbers.dtype == np.int64 else np.nan, numbers.dtype)
    values[~missing] = numbers
    return number_column(values, missing if missing.any() else None)


def _chosen(cells: Sequence[str], choices: tuple[Any, ...]) -> Column:
    """Return the choices that the cells spell; what spells none stays a text, to be refused."""
    texts = {choice for choice in choices if isinstance(choice, str)}
    spelled: dict[str, Any] = {}
    for cell in dict.fromkeys(cells):
        exact = cell in texts
        spelled[cell] = cell if exact else next((c for c in choices if _spells(cell, c)), cell)
    missing = np.fromiter(
        (cell not in texts and cell.strip().lower() in MISSING for cell in cells),
        bool,
        len(cells),
    )
    return level_column([spelled[cell] for cell in cells], missing)


def _spells(cell: str, choice: Any) -> bool:
    if isinstance(choice, str):
        return cell == choice
    if isinstance(choice, bool) or choice is None:
        return cell.strip().lower() == str(choice).lower()
    try:
        return bool(float(cell) == choice)
    except ValueError:
        return cell.strip() == str(choice)
