"""Ray Tune's spaces: nested dicts with domains, which are recognised by the names of their classes.

Nested names are joined by "/", as Ray does. Entries without a domain are constants, not
parameters, unless they differ between the branches of a choice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from condped.errors import SpaceError
from condped.read.tools.nested_spaces import (
    BranchPath,
    Constant,
    Entries,
    OpenEnded,
    Turn,
    distinct_choices,
    plain_value,
)
from condped.space.domain import Domain, Float, Int
from condped.space.space import Space


def space_of(source: Any) -> Space:
    """Return the space that a param_space describes.

    ``tune.sample_from`` and ``tune.randn`` have no domain: such parameters are named in
    ``to_infer``. A choice among dicts gives a parameter for each of their entries, with conditions
    where a constant entry identifies the dict (``{"kind": "svm", ...}``, ``{"kind": "net", ...}``).
    """
    if not isinstance(source, Mapping):
        raise SpaceError(
            "A space of Ray Tune must be a dict of names and domains, such as the param_space of "
            f"a Tuner (got {type(source).__name__}). Pass that dict."
        )
    entries = Entries()
    for name, value in source.items():
        _walk(value, str(name), (), entries)
    return entries.space()


def _walk(value: Any, name: str, path: BranchPath, entries: Entries) -> None:
    """Add a value and everything nested in it to the entries."""
    kinds = _kinds(value)
    if isinstance(value, Mapping):
        if len(value) == 1 and "grid_search" in value:
            _choose(list(value["grid_search"]), name, path, entries)
        elif len(value) == 1 and "eval" in value:
            entries.add(name, path, OpenEnded("is computed by an expression"))
        else:
            for key, inner in value.items():
                _walk(inner, f"{name}/{key}", path, entries)
    elif isinstance(value, (list, tuple)) and _drawn_inside(value):
        for place, inner in enumerate(value):
            _walk(inner, f"{name}/{place}", path, entries)
    elif "Categorical" in kinds:
        _choose(list(value.categories), name, path, entries)
    elif "Function" in kinds:
        entries.add(name, path, OpenEnded("is drawn by a function (tune.sample_from)"))
    elif "Float" in kinds or "Integer" in kinds:
        entries.add(name, path, _numbers(value, name, entries.notes))
    elif "Domain" in kinds:
        entries.add(name, path, OpenEnded(f"is drawn from {type(value).__name__}"))
    else:
        entries.add(name, path, Constant(plain_value(value)))


def _choose(options: list[Any], name: str, path: BranchPath, entries: Entries) -> None:
    """Add a choice of plain values, or of branches."""
    if not any(isinstance(option, Mapping) or _drawn_inside(option) for option in options):
        entries.add(name, path, distinct_choices(plain_value(option) for option in options))
        return
    for place, option in enumerate(options):
        _walk(option, name, (*path, Turn(name, place, len(options))), entries)


def _drawn_inside(value: Any) -> bool:
    """Return whether a value contains something to be sampled."""
    if isinstance(value, Mapping):
        grid = len(value) == 1 and not {"grid_search", "eval"}.isdisjoint(value)
        return grid or any(map(_drawn_inside, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(_drawn_inside, value))
    return "Domain" in _kinds(value)


def _kinds(value: Any) -> set[str]:
    """Return the names of those of a value's classes that are Ray's."""
    return {base.__name__ for base in type(value).__mro__ if base.__module__.split(".")[0] == "ray"}


def _numbers(value: Any, name: str, notes: list[str]) -> Domain | OpenEnded:
    """Return the domain of tune.uniform, randint and the like."""
    sampler, step = value.sampler, None
    if "Quantized" in _kinds(sampler):
        sampler, step = sampler.sampler, sampler.q
    kinds = _kinds(sampler)
    if "Normal" in kinds or not np.isfinite([value.lower, value.upper]).all():
        return OpenEnded(
            "is drawn from a normal distribution" if "Normal" in kinds else "is a number"
        )
    log, whole = "LogUniform" in kinds, "Integer" in _kinds(value)
    low, high = value.lower, value.upper
    if step is not None:
        low, high = _on_steps(low, step, np.ceil), _on_steps(high, step, np.floor)
    if whole:
        # Ray excludes the upper bound, except where steps are wider than 1.
        high -= 1 if step in (None, 1) else 0
    if log and step not in (None, 1):
        notes.append(f"{name}: its steps of {step} are left out, as it is on a log scale.")
        step = None
    try:
        return Int(low, high, log, step or 1) if whole else Float(low, high, log, step)
    except SpaceError as error:
        raise SpaceError(f"Parameter {name!r}: {error}") from None


def _on_steps(bound: float, step: float, rounded: Any) -> float:
    """Return the multiple of the step at or inside a bound."""
    place = bound / step
    nearest = round(place)
    return float((nearest if np.isclose(place, nearest, rtol=1e-9) else rounded(place)) * step)
