"""Values outside their domains: refused, counted in the nearest cell, or their trials dropped."""

from __future__ import annotations

from typing import Literal

import numpy as np

from condped.arrays import BoolArray, IdArray, ValueArray
from condped.errors import DataError
from condped.read.table.refusal import refuse, row_number
from condped.space.domain import Categorical, Domain, bounds_of
from condped.trials.notes import RowsNote
from condped.trials.table import Parameter, TrialTable

Outside = Literal["error", "nearest", "drop"]
# Up to this many domains it is faster to look at all values for each of them.
_FEW_DOMAINS = 8


def refuse_outside(
    name: str, values: ValueArray, ids: IdArray, domains: tuple[Domain, ...]
) -> None:
    """Raise an error if a parameter has numbers outside their domains."""
    outside = _outside(values, ids, domains)
    if outside is not None:
        first = int(np.argmax(outside))
        refuse(
            name,
            outside,
            f"has the value {values[first]} outside its domain {domains[ids[first]].label}",
            "Widen the domain or correct the value; or set the option outside to 'nearest' to "
            "count it in the nearest cell, or to 'drop' to leave such trials out",
        )


def settle(table: TrialTable, way: Outside) -> TrialTable:
    """Return a table in whose analysis values outside their domains are no trouble.

    Counting puts such values into the nearest cell by itself.
    """
    if way == "error":
        for parameter in table.parameters:
            refuse_outside(
                parameter.name, parameter.values, parameter.domain_ids, parameter.domains
            )
        return table
    notes, gone = look_outside(table, way)
    if gone is not None and gone.all():
        raise all_outside()
    return (table if gone is None else table.only(~gone)).with_notes(notes)


def look_outside(table: TrialTable, way: str) -> tuple[list[RowsNote], BoolArray | None]:
    """Return what is to be said of values outside, and which trials must go (None: none)."""
    found = [(parameter, _outside_of(parameter)) for parameter in table.parameters]
    notes = [_note(parameter, where, way) for parameter, where in found if where is not None]
    if not notes or way == "nearest":
        return notes, None
    return notes, np.logical_or.reduce([where for _, where in found if where is not None])


def all_outside() -> DataError:
    """Return the error for trials of which none is left."""
    return DataError("All trials have a value outside its domain. Correct the space.")


def _note(parameter: Parameter, where: BoolArray, way: str) -> RowsNote:
    first, count = int(np.argmax(where)), int(np.count_nonzero(where))
    row = row_number(first)
    place = "" if row is None else f" in row {row}"
    label = parameter.domains[parameter.domain_ids[first]].label
    how = "counted in the nearest cell" if way == "nearest" else "these trials were left out"
    if isinstance(parameter.domains[parameter.domain_ids[first]], Categorical):
        told = f" choices not in {label}; {how}."
    else:
        value = f"{parameter.values[first]}{place}"
        told = (
            f" values outside the domain ({'first' if place else 'such as'}: {value}, outside "
            f"{label}); {how}."
        )
    begin = f"{' '.join(parameter.name.split())}: "
    return RowsNote("outside", parameter.name, begin, count, told, first_row=row or 0)


def _outside_of(parameter: Parameter) -> BoolArray | None:
    return _outside(parameter.values, parameter.domain_ids, parameter.domains)


def _outside(values: ValueArray, ids: IdArray, domains: tuple[Domain, ...]) -> BoolArray | None:
    """Return where a value is outside its domain; None if nowhere."""
    if len(domains) == 1 and ids.strides == (0,):
        low, high = bounds_of(domains[0])
        if not values.size or (values.min() >= low and values.max() <= high):
            return None
        outside = (values < low) | (values > high)
        return outside if outside.any() else None
    if len(domains) == 1 and values.dtype.kind == "f" and values.size:
        # NaN, which stands for an absent value, is left out of account.
        low, high = bounds_of(domains[0])
        if not (np.fmin.reduce(values) < low or np.fmax.reduce(values) > high):
            return None
    if len(domains) <= _FEW_DOMAINS:
        outside = np.zeros(len(values), dtype=bool)
        for place, domain in enumerate(domains):
            low, high = bounds_of(domain)
            beyond = (values < low) | (values > high)
            outside |= beyond & (ids == place)
        return outside if outside.any() else None
    bounds = [*map(bounds_of, domains), (-np.inf, np.inf)]  # the last is for absent values
    lows, highs = np.array([low for low, _ in bounds]), np.array([high for _, high in bounds])
    places = ids.astype(np.intp)
    outside = values < lows.take(places, mode="wrap")
    outside |= values > highs.take(places, mode="wrap")
    return np.asarray(outside) if outside.any() else None
