"""Checks that every reader must pass, against the runs as recorded by their tool."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from condped.errors import NameNotFoundError
from condped.read import read
from condped.read.registry import reader_for
from condped.read.table.state_words import checked_state
from condped.space.domain import Categorical, Domain, Int
from condped.trials.table import State, TrialTable


@dataclass(frozen=True, slots=True)
class Run:
    """One trial as its tool reports it, independent of the reader.

    Attributes
    ----------
    values
        One number per objective; None where nothing was recorded.
    parameters
        The values of the parameters that were active, and of no others.
    domains
        The domain of each of them. May be empty where the tool does not record domains.
    state
        How the trial ended: ``"complete"``, ``"pruned"``, ``"failed"``, ``"running"``, or a
        ``condped.trials.table.State``.

    Examples
    --------
    >>> Run(values=[0.3], parameters={"lr": 0.1}).state.name
    'COMPLETE'
    """

    values: Sequence[float | None]
    parameters: Mapping[str, Any]
    domains: Mapping[str, Domain] = field(default_factory=dict)
    state: State | str = State.COMPLETE


def check_reader(
    name: str,
    source: Any,
    runs: Sequence[Run],
    *,
    directions: Sequence[str] = ("minimize",),
    **options: Any,
) -> TrialTable:
    """Run a source through all checks; AssertionError says which one failed, and where.

    Parameters
    ----------
    name
        Of the reader that must recognise the source.
    source
        What a user would pass to :func:`condped.read`, of at least two trials.
    runs
        The same trials in the same order, read by the tool itself.
    directions
        Of the objectives.
    options
        What a user would pass besides the source, such as ``objective``, ``space`` or ``study``.

    Returns
    -------
    TrialTable
        What was read, for further checks.

    Examples
    --------
    >>> runs = [Run([0.3], {"lr": 0.1}), Run([0.1], {"lr": 0.2, "momentum": 0.9})]
    >>> trials = {"loss": [0.3, 0.1], "lr": [0.1, 0.2], "momentum": [None, 0.9]}
    >>> len(check_reader("mapping", trials, runs, objective="loss"))
    2
    """
    source = str(source) if isinstance(source, Path) else source
    chosen = reader_for(source).name
    _agree(chosen, name, "The reader that recognises the source")
    before = _fingerprint(source)
    table = read(source, **options)
    _check_form(table)
    _check_trials(table, runs, directions)
    _check_same(read(source, **options), table)
    _check_selection(source, table, options)
    _agree(_fingerprint(source), before, "The source's bytes, after reading it,")
    return table


def _agree(found: Any, expected: Any, what: str) -> None:
    same = found == expected or (
        isinstance(found, float)
        and isinstance(expected, float)
        and math.isnan(found)
        and math.isnan(expected)
    )
    if not same:
        raise AssertionError(f"{what} should be {expected!r}, not {found!r}.")


def _fingerprint(source: Any) -> dict[str, str]:
    """Return a hash of each file of a source and beside it; none if it is not on disk."""
    if not isinstance(source, str) or ("://" in source and not source.startswith("sqlite:///")):
        return {}
    path = Path(source.removeprefix("sqlite:///"))
    folder = path if path.is_dir() else path.parent
    found = folder.rglob("*") if path.is_dir() else folder.glob("*")
    files = sorted(entry for entry in found if entry.is_file())
    return {str(file): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def _check_form(table: TrialTable) -> None:
    """Check what every analysis relies on."""
    trials = len(table)
    for objective in table.objectives:
        _agree(objective.values.shape, (trials,), f"The shape of objective {objective.name!r}")
        _agree(objective.values.dtype, np.dtype(np.float64), f"The type of {objective.name!r}")
    for parameter in table.parameters:
        what = f"parameter {parameter.name!r}"
        _agree(parameter.values.shape, (trials,), f"The shape of {what}")
        _agree(parameter.domain_ids.shape, (trials,), f"The shape of the domain ids of {what}")
        _agree(len(set(parameter.domains)), len(parameter.domains), f"Distinct domains of {what}")
        low, high = int(parameter.domain_ids.min()), int(parameter.domain_ids.max())
        if low < -1 or high >= len(parameter.domains):
            raise AssertionError(
                f"The domain ids of {what} run from {low} to {high}, but must lie between -1 and "
                f"{len(parameter.domains) - 1}."
            )


def _check_trials(table: TrialTable, runs: Sequence[Run], directions: Sequence[str]) -> None:
    _agree(len(table), len(runs), "The number of trials")
    _agree(tuple(o.direction for o in table.objectives), tuple(directions), "The directions")
    missing = sorted({name for run in runs for name in run.parameters} - set(table.names))
    if missing:
        raise AssertionError(f"The parameters {missing} of the runs are not in the table.")
    for row, run in enumerate(runs):
        where = f"in trial {row}"
        _agree(State(int(table.states[row])), checked_state(run.state), f"The state {where}")
        recorded = [math.nan if value is None else float(value) for value in run.values]
        for objective, value in zip(table.objectives, recorded, strict=True):
            _agree(float(objective.values[row]), value, f"{objective.name!r} {where}")
        found = dict(_parameters(table, row))
        _agree(found, dict(run.parameters), f"The parameters {where}")
        for name, value in run.parameters.items():  # True == 1
            kinds = (isinstance(found[name], bool), isinstance(value, (bool, np.bool_)))
            _agree(kinds[0], kinds[1], f"Whether {name!r} {where} is True or False")
        for name, domain in run.domains.items():
            parameter = table.parameters[table.names.index(name)]
            found = parameter.domains[parameter.domain_ids[row]]
            _agree(found, domain, f"The domain of {name!r} {where}")


def _parameters(table: TrialTable, row: int) -> Iterator[tuple[str, Any]]:
    """Iterate over the active parameters of a trial, as the user's values."""
    for parameter in table.parameters:
        place = int(parameter.domain_ids[row])
        if place >= 0:
            domain, value = parameter.domains[place], parameter.values[row].item()
            if isinstance(domain, Categorical):
                value = domain.choices[int(value)]
            elif isinstance(domain, Int):
                value = int(value)
            yield parameter.name, value


def _check_same(second: TrialTable, table: TrialTable) -> None:
    """Check that reading twice gives the same."""
    _agree(second.names, table.names, "The parameters at the second reading")
    _agree(second.notes, table.notes, "The notes at the second reading")
    _agree(second.states.tolist(), table.states.tolist(), "The states at the second reading")
    for one, other in zip(second.parameters, table.parameters, strict=True):
        _agree(one.domains, other.domains, f"The domains of {one.name!r} at the second reading")
        same = np.array_equal(one.domain_ids, other.domain_ids) and np.array_equal(
            one.values, other.values, equal_nan=one.values.dtype.kind == "f"
        )
        _agree(same, True, f"Whether a second reading gives the same values of {one.name!r}")


def _check_selection(source: Any, table: TrialTable, options: Mapping[str, Any]) -> None:
    """Check that parameters can be selected, and that an unknown one raises."""
    if "parameters" in options or not table.names:
        return
    last = table.names[-1]
    _agree(read(source, parameters=[last], **options).names, (last,), "The selected parameters")
    try:
        read(source, parameters=["no such parameter"], **options)
    except NameNotFoundError:
        return
    raise AssertionError("An unknown parameter did not raise NameNotFoundError.")
