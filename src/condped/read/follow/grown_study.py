"""An Optuna study that grows: new and changed trials are merged into its columns.

Nothing is changed in place, so that a table stays as it was when it was made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from condped.arrays import BoolArray, FloatArray, IdArray, IntArray
from condped.read.optuna.drawing import DrawingRecords
from condped.read.optuna.records import StudyRecords, Violations, parameter_of
from condped.space.domain import Domain
from condped.trials.course.times import Times
from condped.trials.table import ABSENT, Parameter, TrialTable, all_complete, id_dtype

_FEW_DOMAINS = 16  # up to which looking for each is faster than sorting
Name = TypeVar("Name")


@dataclass(frozen=True, slots=True)
class GrownStudy:
    """All trials of a study so far."""

    records: StudyRecords
    parameters: tuple[Parameter, ...]

    def table(self, drawing: Callable[[], DrawingRecords] | None) -> TrialTable:
        """Return the trials; ``drawing`` returns how they were drawn."""
        return replace(self.records, recorded=drawing).table(self.parameters)

    def with_trials(self, part: StudyRecords, parameters: tuple[Parameter, ...]) -> GrownStudy:
        """Return the study updated with everything recorded about some trials, old or new.

        ``part`` has the directions and the metrics of the study.
        """
        base = self.records
        known = len(base.trial_ids)
        is_new = part.trial_ids > (base.trial_ids[-1] if known else -1)
        trial_ids = np.concatenate([base.trial_ids, part.trial_ids[is_new]])
        rows = np.searchsorted(trial_ids, part.trial_ids)
        put = _RowUpdate(known, len(trial_ids), rows)
        states = put.into(base.states, part.states, 0)
        return GrownStudy(
            StudyRecords(
                trial_ids=trial_ids,
                states=states if states.any() else all_complete(len(states)),
                directions=part.directions,
                metrics=part.metrics,
                values=put.into(base.values, part.values, np.nan),
                violations=_violations(put, base.violations, part.violations),
                times=Times.between(
                    put.into(base.times.started, part.times.started, np.nan),
                    put.into(base.times.ended, part.times.ended, np.nan),
                ),
            ),
            _parameters(put, self.parameters, parameters),
        )


@dataclass(frozen=True, slots=True)
class _RowUpdate:
    """Puts the values of some trials into the columns of all."""

    known: int  # trials before
    trials: int  # and now
    rows: IntArray

    def into(self, base: npt.NDArray[Any], part: npt.NDArray[Any], fill: float) -> npt.NDArray[Any]:
        """Return a column with the values of some trials replaced."""
        column = np.full((self.trials, *base.shape[1:]), fill, dtype=base.dtype)
        column[: self.known] = base
        column[self.rows] = part
        return column

    def in_order(
        self,
        base: Sequence[Name],
        part: Sequence[Name],
        first: Callable[[Name], int],
    ) -> list[Name]:
        """Return names by the first trial that has them; within a trial, in its own order."""
        ours = set(self.rows.tolist())
        old = {name: place for place, name in enumerate(base)}
        new = {name: place for place, name in enumerate(part)}

        def key(name: Name) -> tuple[int, int]:
            row = first(name)
            return row, (new if row in ours else old)[name]

        return sorted({**old, **new}, key=key)


def _violations(put: _RowUpdate, base: Violations, part: Violations) -> Violations:
    if base.values is None and part.values is None:
        return Violations()
    columns = {}
    for name in dict.fromkeys((*base.names, *part.names)):
        columns[name] = put.into(
            _column(base, name, put.known), _column(part, name, len(put.rows)), np.nan
        )
    names = put.in_order(base.names, part.names, lambda name: _first_row(~np.isnan(columns[name])))
    return Violations(tuple(names), np.column_stack([columns[name] for name in names]))


def _column(violations: Violations, name: str | int, trials: int) -> FloatArray:
    if violations.values is None or name not in violations.names:
        return np.full(trials, np.nan)
    return violations.values[:, violations.names.index(name)]


def _first_row(present: BoolArray) -> int:
    return int(np.argmax(present))


def _parameters(
    put: _RowUpdate, base: tuple[Parameter, ...], part: tuple[Parameter, ...]
) -> tuple[Parameter, ...]:
    old = {entry.name: entry for entry in base}
    new = {entry.name: entry for entry in part}
    made: dict[str, Parameter] = {}
    first: dict[str, int] = {}
    for name in {**old, **new}:
        made[name], first[name] = _parameter(put, name, old.get(name), new.get(name))
    return tuple(made[name] for name in put.in_order(list(old), list(new), first.__getitem__))


def _parameter(
    put: _RowUpdate, name: str, base: Parameter | None, part: Parameter | None
) -> tuple[Parameter, int]:
    """Return a parameter in all trials, and the first trial that has it."""
    numbers = np.zeros(put.trials)
    ids: IdArray = np.full(put.trials, ABSENT, dtype=np.int32)
    domains: dict[Domain, int] = {}
    if base is not None:
        domains = {domain: place for place, domain in enumerate(base.domains)}
        numbers[: put.known], ids[: put.known] = base.values, base.domain_ids
    numbers[put.rows], ids[put.rows] = 0.0, ABSENT
    if part is not None:
        places = [domains.setdefault(domain, len(domains)) for domain in part.domains]
        numbers[put.rows] = part.values
        ids[put.rows] = np.append(places, ABSENT)[part.domain_ids]
    present = ids != ABSENT
    firsts = _first_rows(ids, len(domains))
    order = np.argsort(firsts)
    if (order[1:] < order[:-1]).any():  # a domain appeared in an earlier trial
        ids = np.append(np.argsort(order), ABSENT)[ids]
    known = tuple(domains)
    found = parameter_of(
        name,
        numbers,
        ids.astype(id_dtype(len(known))),
        tuple(known[place] for place in order),
        int(np.count_nonzero(present)),
    )
    return found, int(firsts[order[0]])


def _first_rows(ids: IdArray, domains: int) -> IntArray:
    """Return the first trial with each domain."""
    if domains <= _FEW_DOMAINS:
        return np.array([_first_row(ids == place) for place in range(domains)], dtype=np.int64)
    found, first = np.unique(ids, return_index=True)
    return np.asarray(first[found != ABSENT], dtype=np.int64)
