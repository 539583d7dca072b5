"""Search spaces as Ax saves them, as plain data."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from condped.errors import SpaceError
from condped.space.build_condition import condition_of
from condped.space.condition import Comparison, Condition, Either, Membership
from condped.space.domain import Categorical, Domain, Float, Int
from condped.space.space import Alternative, Space

# Parameters that are not searched: constants and derived ones.
_NOT_TUNED = ("FixedParameter", "DerivedParameter")


def space_of(plain: Mapping[str, Any]) -> Space:
    """Return the domains of a search space that Ax saved, dependent parameters with conditions."""
    domains: dict[str, Domain] = {}
    parents: dict[str, list[tuple[str, tuple[Any, ...]]]] = {}
    notes = []
    for entry in plain["parameters"]:
        name, kind = entry["name"], entry["__type"]
        if kind in _NOT_TUNED:
            continue
        try:
            domains[name] = _domain(entry)
        except (KeyError, TypeError, ValueError) as error:
            raise SpaceError(
                f"The domain of {name!r} in the Ax search space cannot be read ({error}). Give the "
                "domains as a space."
            ) from error
        if entry.get("logit_scale"):
            notes.append(f"{' '.join(name.split())}: its logit scale is taken as linear.")
        for dependent, values in _dependents(entry).items():
            parents.setdefault(dependent, []).append((name, values))
    if plain.get("parameter_constraints"):
        count = len(plain["parameter_constraints"])
        notes.append(f"Constraints between parameters are not taken into account: {count}.")
    return Space(
        {
            name: Alternative(domain, _condition(parents.get(name, ())))
            for name, domain in domains.items()
            if not domain.single
        },
        notes=notes,
    )


def _domain(entry: Mapping[str, Any]) -> Domain:
    whole = entry["parameter_type"]["name"] == "INT"
    if entry["__type"] == "RangeParameter":
        kind = Int if whole else Float
        return kind(entry["lower"], entry["upper"], log=bool(entry["log_scale"]))
    if entry["__type"] != "ChoiceParameter":
        raise ValueError(f"unknown kind {entry['__type']!r}")
    choices = entry["values"]
    # A range with steps is saved as its values.
    step = _step(choices) if entry["is_ordered"] and not entry.get("log_scale") else None
    if step is None:
        return Categorical(choices)
    if whole:
        return Int(choices[0], choices[-1], step=int(step))
    stepped = Float(choices[0], choices[-1], step=step)
    return stepped if stepped.high > choices[-1] - step / 2 else Categorical(choices)


def _step(choices: Sequence[Any]) -> float | None:
    """Return the step between evenly spaced numbers, None otherwise."""
    numbers = [c for c in choices if isinstance(c, (int, float)) and not isinstance(c, bool)]
    if len(numbers) < max(len(choices), 3):
        return None
    step = (numbers[-1] - numbers[0]) / (len(numbers) - 1)
    even = all(
        math.isclose(number, numbers[0] + place * step, abs_tol=1e-9 * abs(step))
        for place, number in enumerate(numbers)
    )
    # Sums of steps carry a rounding error that the step itself should not have.
    return float(f"{step:.12g}") if even and step > 0 else None


def _dependents(entry: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Return each dependent parameter with the choices that activate it."""
    by_text = {_as_key(choice): choice for choice in entry.get("values", ())}
    found: dict[str, tuple[Any, ...]] = {}
    for text, names in (entry.get("dependents") or {}).items():
        for name in names:
            found[name] = (*found.get(name, ()), by_text.get(text, text))
    return found


def _as_key(choice: Any) -> str:
    """Return a choice as a JSON key."""
    return choice if isinstance(choice, str) else json.dumps(choice)


def _condition(parents: Sequence[tuple[str, tuple[Any, ...]]]) -> Condition | None:
    if not parents:
        return None
    leaves = tuple(
        Comparison(name, "==", values[0])
        if len(values) == 1
        else Membership(name, values, negated=False)
        for name, values in parents
    )
    return condition_of(leaves[0] if len(leaves) == 1 else Either(leaves))
