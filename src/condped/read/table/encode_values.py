"""Encoding values by their domains: choices as positions, numbers as integers or on steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from condped.arrays import BoolArray, FloatArray, IdArray, ValueArray
from condped.read.table.column_types import none_position
from condped.read.table.row_errors import raise_for_rows
from condped.space.domain import Categorical, Domain, Int, is_whole
from condped.trials.columns import LevelColumn, NumberColumn


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
        hint = f"; the choice {alike[0]!r} is of another type" if alike else ""
        raise_for_rows(
            name,
            unknown,
            f"has the unknown choice {level!r} (allowed: {_list_choices(domain.choices)}{hint})",
            "Add it to the choices or correct the value; or set the option outside to 'drop' to "
            "leave such trials out",
        )
    return codes


def _list_choices(choices: tuple[Any, ...]) -> str:
    listed = ", ".join(repr(choice) for choice in choices[:8])
    return listed if len(choices) <= 8 else f"{listed} and {len(choices) - 8} more"


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
        # Tools with missing values store integers as floats. Those that int64 cannot hold are
        # outside the domain, and so is the nearest one that it can.
        present = np.where(ids >= 0, values, 0.0)
        values = np.clip(present, -(2.0**63), 2.0**63 - 1024.0).astype(np.int64)
    return values


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
    in_domain = ids == place
    with np.errstate(invalid="ignore"):
        steps = (values - domain.low) / domain.step
        off = in_domain & (np.abs(steps - np.rint(steps)) > 1e-6)
    if off.any():
        first = int(np.argmax(off))
        raise_for_rows(
            name,
            off,
            f"has the value {values[first]} between the steps of {domain.label}",
            "Correct the value or the step",
        )
