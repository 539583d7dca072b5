"""From a column and its alternatives to a parameter: which domain applies to each trial."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from condped.arrays import BoolArray, IdArray
from condped.read.table.convert_values import encode_choices, encode_numbers, none_position
from condped.read.table.outside_domain import raise_if_outside
from condped.read.table.row_errors import raise_for_rows, row_number
from condped.space.domain import Domain
from condped.space.space import Alternative
from condped.trials.columns import LevelColumn, NumberColumn
from condped.trials.notes import RowsNote
from condped.trials.table import ABSENT, Parameter, id_dtype


def assign_domains(
    name: str,
    alternatives: tuple[Alternative, ...],
    columns: Mapping[str, NumberColumn | LevelColumn],
    *,
    finished: BoolArray | None,
    outside: str,
    notes: list[str],
) -> Parameter:
    """Return a parameter with the domain of each trial, after checking its values.

    ``finished`` are the trials that ended (None: all). Numbers outside their domains raise only if
    ``outside`` is "error". Notes are appended to ``notes``.
    """
    column = columns[name]
    domains = tuple(dict.fromkeys(alternative.domain for alternative in alternatives))
    missing = _missing(column)
    if alternatives[0].when is None:  # then it is the only one
        ids: IdArray = np.broadcast_to(np.int8(0), len(column))
    else:
        ids, covered = _conditional_ids(name, alternatives, domains, columns)
        _check_presence(name, alternatives, covered, missing)
    if missing is not None:
        # In a domain with the choice None a missing value is that choice, not absence.
        takes_none = np.array([*(none_position(domain) is not None for domain in domains), False])
        absent = missing & ~takes_none[ids] if takes_none.any() else missing
        lacking = absent & (ids >= 0)
        if lacking.any():
            if alternatives[0].when is not None:
                _note_missing(name, lacking if finished is None else lacking & finished, notes)
            ids = np.where(lacking, ids.dtype.type(ABSENT), ids)
    if isinstance(column, LevelColumn):
        codes = encode_choices(name, column, ids, domains, unknown_allowed=outside == "drop")
        return Parameter(name, codes, ids, domains)
    if outside == "error":
        raise_if_outside(name, column.values, ids, domains)
    return Parameter(name, encode_numbers(name, column, ids, domains), ids, domains)


def _missing(column: NumberColumn | LevelColumn) -> BoolArray | None:
    if isinstance(column, NumberColumn):
        return column.missing
    missing = column.absent()
    return missing if missing.any() else None


def _conditional_ids(
    name: str,
    alternatives: tuple[Alternative, ...],
    domains: tuple[Domain, ...],
    columns: Mapping[str, NumberColumn | LevelColumn],
) -> tuple[IdArray, BoolArray]:
    """Return each trial's domain by the conditions only, and where any of them holds."""
    dtype = id_dtype(len(domains))
    # Conditions are exclusive, so ids can be summed: much faster than assignment under masks.
    ids = np.full(len(columns[name]), ABSENT, dtype=dtype)
    covered: BoolArray | None = None
    for alternative in alternatives:
        assert alternative.when is not None
        holds = alternative.when.holds(columns)
        place = domains.index(alternative.domain)
        both = None if covered is None else covered & holds
        if both is not None and both.any():
            clash = both & (ids != place)
            if clash.any():
                raise_for_rows(
                    name,
                    clash,
                    f"has two domains at once: {alternative.when.text!r} holds where an earlier "
                    "condition does too",
                    "Make the conditions exclude each other",
                )
            holds = holds & ~both
        ids += holds * dtype(place - ABSENT)
        covered = holds if covered is None else covered | holds
    assert covered is not None
    return ids, covered


def _check_presence(
    name: str,
    alternatives: tuple[Alternative, ...],
    covered: BoolArray,
    missing: BoolArray | None,
) -> None:
    against = ~covered if missing is None else ~(covered | missing)
    if against.any():
        texts = ", ".join(repr(a.when.text) for a in alternatives if a.when is not None)
        raise_for_rows(
            name,
            against,
            f"has a value where none of its conditions holds ({texts})",
            "Correct the conditions, or leave the value empty where the parameter is inactive",
        )


def _note_missing(name: str, unexpected: BoolArray, notes: list[str]) -> None:
    lacking = int(np.count_nonzero(unexpected))
    if lacking:
        first = row_number(int(np.argmax(unexpected)))
        place = "" if first is None else f" (first: row {first}, counted from 0)"
        notes.append(
            RowsNote(
                "missing",
                name,
                f"{' '.join(name.split())}: missing in ",
                lacking,
                " finished trials whose conditions say that it is active"
                f"{place}; taken as inactive there.",
                first_row=first or 0,
            )
        )
