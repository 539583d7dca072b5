"""From a column and its alternatives to a parameter: which domain holds where, checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np

from condped.arrays import BoolArray, FloatArray, IdArray, ValueArray
from condped.errors import DataError
from condped.read.columns import Column, LevelColumn, NumberColumn, UnusableColumn, number_of
from condped.space.domain import Categorical, Domain, Float, Int
from condped.space.spec import Alternative
from condped.trials import ABSENT, Parameter, id_dtype

# Values that a tool computed (exp of a log, low plus steps) may miss a bound by rounding.
_TOLERANCE = 1e-9
# ... and so may bounds that were stored in single precision.
_SINGLE = 2.0**-24


def convert(
    name: str, column: Column, alternatives: tuple[Alternative, ...]
) -> NumberColumn | LevelColumn:
    """Return the column as numbers or as levels, whichever its domains ask for."""
    if isinstance(column, UnusableColumn):
        raise DataError(
            f"Parameter {name!r} cannot be read: its column holds {column.kind}. "
            "Allowed: numbers, texts, booleans.",
            column=name,
        )
    categorical = [isinstance(alternative.domain, Categorical) for alternative in alternatives]
    if all(categorical):
        levels = _levels(column) if isinstance(column, NumberColumn) else column
        if alternatives[0].when is None and _none_place(alternatives[0].domain) is not None:
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
    if isinstance(column, NumberColumn):
        return column
    if not column.levels:
        return NumberColumn(np.full(len(column.codes), np.nan), column.codes < 0)
    # In a file one bad cell makes texts of all: only those that spell no number are at fault.
    bad = [level for level in column.levels if isinstance(level, str) and number_of(level) is None]
    wrong = column.where(
        lambda level: (
            level in bad if bad and isinstance(level, str) else not isinstance(level, (int, float))
        )
    )
    if wrong.any():
        first = int(np.argmax(wrong))
        _refuse(
            name,
            wrong,
            f"must be numeric, but row {first} holds {column.levels[column.codes[first]]!r}",
            "Correct the value or the domain's type",
        )
    numbers = column.numbers()
    assert numbers is not None
    return NumberColumn(numbers, np.isnan(numbers) if (column.codes < 0).any() else None)


def _levels(column: NumberColumn) -> LevelColumn:
    present = column.values if column.missing is None else column.values[~column.missing]
    levels, codes = np.unique(present, return_inverse=True)
    if column.missing is None:
        return LevelColumn(codes, tuple(levels.tolist()))
    spread = np.full(len(column.values), -1, dtype=np.int64)
    spread[~column.missing] = codes
    return LevelColumn(spread, tuple(levels.tolist()))


def assign(
    name: str,
    alternatives: tuple[Alternative, ...],
    columns: Mapping[str, NumberColumn | LevelColumn],
    *,
    finished: BoolArray | None,
    notes: list[str],
) -> Parameter:
    """Decide each trial's domain and check that the value fits it.

    ``finished`` tells which trials ended (None: all); ``notes`` takes what is worth saying.
    """
    column = columns[name]
    domains = tuple(dict.fromkeys(alternative.domain for alternative in alternatives))
    missing = _missing(column)
    if alternatives[0].when is None:  # the only one, then
        ids: IdArray = np.broadcast_to(np.int8(0), len(column))
    else:
        ids, covered = _conditional_ids(name, alternatives, domains, columns)
        _check_presence(name, alternatives, covered, missing)
    if missing is not None:
        # To a domain with the choice None a missing value is that choice, not an absence.
        takes_none = np.array([*(_none_place(domain) is not None for domain in domains), False])
        absent = missing & ~takes_none[ids]
        if alternatives[0].when is not None:
            expected = ids >= 0 if finished is None else (ids >= 0) & finished
            _note_missing(name, absent & expected, notes)
        if absent.any():
            ids = np.where(absent, ids.dtype.type(ABSENT), ids)
    if isinstance(column, LevelColumn):
        return Parameter(name, _choices(name, column, ids, domains), ids, domains)
    return Parameter(name, _numbers(name, column, ids, domains), ids, domains)


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
    """Return each trial's domain by the conditions alone, and where one of them holds."""
    dtype = id_dtype(len(domains))
    # Ids are summed up from exclusive conditions: much faster than assigning under masks.
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
                _refuse(
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
        _refuse(
            name,
            against,
            f"has a value where no condition of its holds ({texts})",
            "Correct the conditions, or leave the value empty where the parameter is inactive",
        )


def _note_missing(name: str, unexpected: BoolArray, notes: list[str]) -> None:
    lacking = int(np.count_nonzero(unexpected))
    if lacking:
        notes.append(
            f"{' '.join(name.split())}: missing in {lacking} finished trials whose conditions say "
            f"that it is active (first: row {int(np.argmax(unexpected))}, counted from 0); taken "
            "as inactive there."
        )


def _none_place(domain: Domain) -> int | None:
    """Return the position of the choice None, which a table shows as a missing value."""
    if isinstance(domain, Categorical) and None in domain.choices:
        return domain.choices.index(None)
    return None


def _choices(
    name: str, column: LevelColumn, ids: IdArray, domains: tuple[Domain, ...]
) -> ValueArray:
    """Return the position of each value among its domain's choices."""
    # One row per domain: where each level stands among its choices, -1 if nowhere, and in the
    # last column where None stands. The last row is for absent values, never looked at.
    places = np.zeros((len(domains) + 1, len(column.levels) + 1), dtype=np.int32)
    for row, domain in enumerate(domains):
        assert isinstance(domain, Categorical)
        exact = {(choice.__class__, choice): place for place, choice in enumerate(domain.choices)}
        loose = {choice: place for place, choice in reversed(list(enumerate(domain.choices)))}
        for place, level in enumerate(column.levels):
            places[row, place] = exact.get((level.__class__, level), loose.get(level, -1))
        places[row, -1] = _none_place(domain) or 0
    codes = places[ids, column.codes]
    unknown = codes < 0
    if unknown.any():
        first = int(np.argmax(unknown))
        level, domain = column.levels[column.codes[first]], domains[ids[first]]
        assert isinstance(domain, Categorical)
        alike = [choice for choice in domain.choices if str(choice) == str(level)]
        hint = f"; the choice {alike[0]!r} is of another type" if alike else ""
        _refuse(
            name,
            unknown,
            f"has the unknown choice {level!r} (allowed: {_shown(domain.choices)}{hint})",
            "Add it to the choices or correct the value",
        )
    return codes


def _numbers(
    name: str, column: NumberColumn, ids: IdArray, domains: tuple[Domain, ...]
) -> ValueArray:
    values = column.values
    whole = [isinstance(domain, Int) for domain in domains]
    if values.dtype.kind == "f" and any(whole):
        _refuse_fractions(name, values, np.array([*whole, False])[ids])
    elif values.dtype.kind == "i" and not all(whole):
        values = values.astype(np.float64)
    if len(domains) == 1 and ids.strides == (0,):
        domain = domains[0]
        assert not isinstance(domain, Categorical)
        low, high = _bounds(domain)
        if values.size and (values.min() < low or values.max() > high):
            outside = (values < low) | (values > high)
            _refuse_outside(name, values, outside, domains, ids)
    else:
        bounds = [_bounds(domain) for domain in domains if not isinstance(domain, Categorical)]
        lows = np.array([low for low, _ in bounds] + [-np.inf])
        highs = np.array([high for _, high in bounds] + [np.inf])
        places = ids.astype(np.intp)
        outside = values < lows.take(places, mode="wrap")
        outside |= values > highs.take(places, mode="wrap")
        if outside.any():
            _refuse_outside(name, values, outside, domains, ids)
    for place, domain in enumerate(domains):
        _check_steps(name, values, ids, place, domain)
    if all(whole) and values.dtype.kind == "f":
        # Tools with missing values store whole numbers as floats.
        present = np.where(ids >= 0, values, 0.0)
        if present.size and np.abs(present).max() >= 2.0**63:
            _refuse(
                name, np.abs(present) >= 2.0**63, "has whole numbers beyond 64 bits", "Scale them"
            )
        values = present.astype(np.int64)
    return values


def _bounds(domain: Float | Int) -> tuple[float, float]:
    if isinstance(domain, Int):
        return domain.low, domain.high
    slack = 0.0 if domain.log else _TOLERANCE * (domain.high - domain.low)
    return (
        domain.low - max(slack, _SINGLE * abs(domain.low)),
        domain.high + max(slack, _SINGLE * abs(domain.high)),
    )


def _refuse_fractions(name: str, values: FloatArray, whole: BoolArray) -> None:
    fractions = whole & (values != np.rint(values))
    if fractions.any():
        first = int(np.argmax(fractions))
        _refuse(
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
    here = ids == place
    with np.errstate(invalid="ignore"):
        steps = (values - domain.low) / domain.step
        off = here & (np.abs(steps - np.rint(steps)) > 1e-6)
    if off.any():
        first = int(np.argmax(off))
        _refuse(
            name,
            off,
            f"has the value {values[first]} between the steps of {domain.label}",
            "Correct the value or the step",
        )


def _refuse_outside(
    name: str, values: ValueArray, outside: BoolArray, domains: tuple[Domain, ...], ids: IdArray
) -> NoReturn:
    first = int(np.argmax(outside))
    _refuse(
        name,
        outside,
        f"has the value {values[first]} outside its domain {domains[ids[first]].label}",
        "Widen the domain or correct the value",
    )


def _refuse(name: str, where: BoolArray, what: str, remedy: str) -> NoReturn:
    first, count = int(np.argmax(where)), int(np.count_nonzero(where))
    rows = f"row {first}" if count == 1 else f"row {first} and {count - 1} more"
    raise DataError(
        f"Parameter {name!r} {what} ({rows}; rows count from 0). {remedy}.",
        column=name,
        first_row=first,
        count=count,
    )


def _shown(choices: tuple[Any, ...]) -> str:
    shown = ", ".join(repr(choice) for choice in choices[:8])
    return shown if len(choices) <= 8 else f"{shown} and {len(choices) - 8} more"
