"""Optuna studies in memory, through Optuna's public API.

Every trial holds distribution objects of its own, so domains are told apart by their values,
column by column, without an object per trial.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from condped.arrays import FloatArray, ValueArray
from condped.errors import DataError, SettingsError
from condped.read.options import ReadOptions
from condped.space.domain import Categorical, Domain, Float, Int
from condped.trials import (
    ABSENT,
    Direction,
    Objective,
    Parameter,
    State,
    TrialTable,
    all_complete,
    id_dtype,
)

_STATES = {
    "COMPLETE": State.COMPLETE,
    "PRUNED": State.PRUNED,
    "FAIL": State.FAILED,
    "RUNNING": State.RUNNING,
    "WAITING": State.RUNNING,
}
_NUMERIC_KEY = attrgetter("__class__", "low", "high", "log", "step")


def read(study: Any, options: ReadOptions) -> TrialTable:
    """Return a study's trials."""
    options.refuse("an Optuna study", "direction", "space", "state", "constraints")
    trials = study.get_trials(deepcopy=False)
    objectives = _objectives(study, trials, options)
    table = TrialTable(
        parameters=_parameters(trials),
        objectives=objectives,
        states=_states(trials),
        violations=_violations(trials),
    )
    if options.loss is not None and not callable(options.loss):
        return table.with_loss(options.loss)
    if options.objective is None or options.loss is not None:
        return table
    if not isinstance(options.objective, (str, int)):
        raise SettingsError(
            f"objective must be one name or position for an Optuna study "
            f"(got {options.objective!r}). Leave it out to use all objectives."
        )
    return table.with_objective(options.objective)


def _states(trials: Sequence[Any]) -> ValueArray:
    found = [trial.state for trial in trials]
    if all(state.name == "COMPLETE" for state in set(found)):
        return all_complete(len(trials))
    ids = {state: _STATES[state.name] for state in set(found)}
    return np.fromiter((ids[state] for state in found), np.int8, len(found))


def _objectives(
    study: Any, trials: Sequence[Any], options: ReadOptions
) -> tuple[Objective, ...]:
    if callable(options.loss):
        if options.objective is not None:
            raise SettingsError("Give either loss or objective, not both.")
        return (Objective("loss", _losses(trials, options.loss)),)
    directions: list[Direction] = [
        "maximize" if direction.name == "MAXIMIZE" else "minimize"
        for direction in study.directions
    ]
    several = len(directions) > 1
    names = study.metric_names or (
        [f"values_{i}" for i in range(len(directions))] if several else ["value"]
    )
    nothing = [np.nan] * len(directions)
    recorded = [trial.values or nothing for trial in trials]
    values = np.array(recorded, dtype=np.float64).reshape(len(trials), len(directions))
    return tuple(
        Objective(name, np.ascontiguousarray(values[:, i]), direction)
        for i, (name, direction) in enumerate(zip(names, directions, strict=True))
    )


def _losses(trials: Sequence[Any], loss: Callable[[Any], float]) -> FloatArray:
    """Call the user's function on finished trials; others have nothing to compute it from."""
    values = np.full(len(trials), np.nan)
    for place, trial in enumerate(trials):
        if trial.state.name == "COMPLETE":
            value = loss(trial)
            try:
                values[place] = value
            except (TypeError, ValueError):
                raise DataError(
                    f"loss must return a number (got {value!r} for trial {trial.number}).",
                    first_row=place,
                ) from None
    return values


def _violations(trials: Sequence[Any]) -> FloatArray | None:
    recorded = [_constraints(trial) for trial in trials]
    names = tuple(dict.fromkeys(name for values in recorded for name in values))
    if not names:
        return None
    return np.array([[values.get(name, np.nan) for name in names] for values in recorded])


def _constraints(trial: Any) -> dict[Any, float]:
    if not trial.system_attrs:
        return {}
    recorded = getattr(trial, "constraints", None)
    if recorded is None:  # Optuna 4 has no public name for them
        recorded = dict(enumerate(trial.system_attrs.get("constraints") or ()))
    return dict(recorded)


def _parameters(trials: Sequence[Any]) -> tuple[Parameter, ...]:
    values = [trial.params for trial in trials]
    distributions = [trial.distributions for trial in trials]
    names: dict[str, None] = {}
    for mapping in distributions:
        names.update(dict.fromkeys(mapping))
    return tuple(_parameter(name, values, distributions) for name in names)


def _parameter(
    name: str, values: Sequence[dict[str, Any]], distributions: Sequence[dict[str, Any]]
) -> Parameter:
    present = [mapping.get(name) for mapping in distributions]
    active = [distribution for distribution in present if distribution is not None]
    # Equal domains share a place, in order of first appearance.
    domains: dict[Domain, int] = {}
    known: dict[Any, int] = {}
    places = []
    for distribution, key in zip(active, map(_key, active), strict=True):
        place = known.get(key)
        if place is None:
            place = known[key] = domains.setdefault(_domain(distribution), len(domains))
        places.append(place)
    dtype = id_dtype(len(domains))
    found = [mapping[name] for mapping in values if name in mapping]
    coded = _values(found, places, tuple(domains))
    if len(active) == len(present):
        if len(domains) == 1:
            ids = np.broadcast_to(dtype(0), len(present))
        else:
            ids = np.array(places, dtype=dtype)
        return Parameter(name, coded, ids, tuple(domains))
    here = np.fromiter((entry is not None for entry in present), bool, len(present))
    ids = np.full(len(present), ABSENT, dtype=dtype)
    ids[here] = places
    spread = np.zeros(len(present), dtype=coded.dtype)
    spread[here] = coded
    return Parameter(name, spread, ids, tuple(domains))


def _key(distribution: Any) -> Any:
    if hasattr(distribution, "choices"):
        choices = distribution.choices
        # True == 1 == 1.0 must not share a key unless the domains are told equal below.
        return (*choices, *map(type, choices))
    return _NUMERIC_KEY(distribution)


def _domain(distribution: Any) -> Domain:
    if hasattr(distribution, "choices"):
        return Categorical(distribution.choices)
    if isinstance(distribution.low, int) and type(distribution).__name__.startswith("Int"):
        return Int(distribution.low, distribution.high, distribution.log, distribution.step)
    return Float(distribution.low, distribution.high, distribution.log, distribution.step)


def _values(
    found: Sequence[Any], places: Sequence[int], domains: tuple[Domain, ...]
) -> ValueArray:
    if all(isinstance(domain, Int) for domain in domains):
        return np.array(found, dtype=np.int64)
    if not any(isinstance(domain, Categorical) for domain in domains):
        return np.array(found, dtype=np.float64)
    codes = [_code_table(domain) for domain in domains]
    coded = []
    for value, place in zip(found, places, strict=True):
        table = codes[place]
        coded.append(value if table is None else table(value))
    numeric = any(table is None for table in codes)
    return np.array(coded, dtype=np.float64 if numeric else np.int32)


def _code_table(domain: Domain) -> Callable[[Any], int] | None:
    """Return a function from a choice to its position; None for numeric domains."""
    if not isinstance(domain, Categorical):
        return None
    # The first of equal choices, as Optuna has it: it cannot tell True from 1 either.
    places = {c: place for place, c in reversed(list(enumerate(domain.choices)))}

    def code(value: Any) -> int:
        place = places.get(value)
        # NaN does not equal itself; the same spelling is the next best thing.
        return place if place is not None else [str(c) for c in domain.choices].index(str(value))

    return code
