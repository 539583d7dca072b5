"""Values outside their domains: an error, counted in the nearest cell, or their trials dropped."""

from __future__ import annotations

from typing import Literal

import numpy as np

from condped.arrays import BoolArray, IdArray, ValueArray
from condped.errors import DataError
from condped.read.table.row_errors import raise_for_rows, row_number
from condped.space.domain import Categorical, Domain, bounds_of
from condped.trials.notes import RowsNote
from condped.trials.table import Parameter, TrialTable

Outside = Literal["error", "nearest", "drop"]
# Up to this many domains it is faster to check all values against each of them.
_FEW_DOMAINS = 8


def raise_if_outside(
    name: str, values: ValueArray, ids: IdArray, domains: tuple[Domain, ...]
) -> None:
    """Raise if a parameter has numbers outside their domains."""
    outside = _is_outside(values, ids, domains)
    if outside is not None:
        first = int(np.argmax(outside))
        raise_for_rows(
            name,
            outside,
            f"has the value {values[first]} outside its domain {domains[ids[first]].label}",
            "Widen the domain or correct the value; or set the option outside to 'nearest' to "
            "count it in the nearest cell, or to 'drop' to leave such trials out",
        )


def apply_outside_policy(table: TrialTable, policy: Outside) -> TrialTable:
    """Apply a policy to values outside their domains: raise, note, or drop the trials.

    Counting puts such values into the nearest cell itself.
    """
    if policy == "error":
        for parameter in table.parameters:
            raise_if_outside(
                parameter.name, parameter.values, parameter.domain_ids, parameter.domains
            )
        return table
    notes, dropped = find_outside(table, policy)
    if dropped is not None and dropped.all():
        raise DataError("All trials have a value outside its domain. Correct the space.")
    return (table if dropped is None else table.only(~dropped)).with_notes(notes)


def find_outside(table: TrialTable, policy: str) -> tuple[list[RowsNote], BoolArray | None]:
    """Return notes on values outside their domains, and which trials to drop (None: none)."""
    found = [(parameter, _outside_mask(parameter)) for parameter in table.parameters]
    notes = [_note(parameter, where, policy) for parameter, where in found if where is not None]
    if not notes or policy == "nearest":
        return notes, None
    return notes, np.logical_or.reduce([where for _, where in found if where is not None])


def _note(parameter: Parameter, where: BoolArray, policy: str) -> RowsNote:
    first, count = int(np.argmax(where)), int(np.count_nonzero(where))
    row = row_number(first)
    place = "" if row is None else f" in row {row}"
    label = parameter.domains[parameter.domain_ids[first]].label
    how = "counted in the nearest cell" if policy == "nearest" else "these trials were left out"
    if isinstance(parameter.domains[parameter.domain_ids[first]], Categorical):
        end = f" choices not in {label}; {how}."
    else:
        value = f"{parameter.values[first]}{place}"
        end = (
            f" values outside the domain ({'first' if place else 'such as'}: {value}, outside "
            f"{label}); {how}."
        )
    begin = f"{' '.join(parameter.name.split())}: "
    return RowsNote("outside", parameter.name, begin, count, end, first_row=row or 0)


def _outside_mask(parameter: Parameter) -> BoolArray | None:
    return _is_outside(parameter.values, parameter.domain_ids, parameter.domains)


def _is_outside(values: ValueArray, ids: IdArray, domains: tuple[Domain, ...]) -> BoolArray | None:
    """Return where a value is outside its domain; None if nowhere."""
    if len(domains) == 1 and ids.strides == (0,):
        low, high = bounds_of(domains[0])
        if not values.size or (values.min() >= low and values.max() <= high):
            return None
        outside = (values < low) | (values > high)
        return outside if outside.any() else None
    if len(domains) == 1 and values.dtype.kind == "f" and values.size:
        # NaN, an absent value, is ignored.
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
