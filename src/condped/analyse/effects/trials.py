"""Some of the trials themselves, for figures: what each tried, and what it reached."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from condped.arrays import BoolArray, FloatArray, IntArray
from condped.space.domain import Categorical, Domain, Int
from condped.trials.table import Direction, Objective, Parameter, State, TrialTable

# ``complete``: with an objective. ``infeasible``: complete, with a violated constraint.
# ``nonfinite``: complete, with an objective that is NaN, infinite or not recorded.
TrialState = Literal["complete", "infeasible", "pruned", "failed", "nonfinite", "running"]
STATES: tuple[TrialState, ...] = (
    "complete",
    "infeasible",
    "pruned",
    "failed",
    "nonfinite",
    "running",
)
MOST_SHOWN = 2_000


@dataclass(frozen=True, slots=True)
class ShownParameter:
    """One parameter of the shown trials.

    Attributes
    ----------
    domains
        The distinct domains that it has.
    domain_ids
        (shown,): the position of a trial's domain; None where the parameter is absent.
    values
        (shown,): the number, or the position of the choice; None where the parameter is absent.
    """

    name: str
    domains: tuple[Domain, ...]
    domain_ids: tuple[int | None, ...]
    values: tuple[float | None, ...]

    def value(self, place: int) -> Any:
        """Return a trial's value as it was tried: a number or a choice; None if absent."""
        number, domain_id = self.values[place], self.domain_ids[place]
        if number is None or domain_id is None:
            return None
        return tried_value(self.domains[domain_id], number)


@dataclass(frozen=True, slots=True)
class ShownObjective:
    """One objective of the shown trials; ``values`` are None where there is no finite number."""

    name: str
    direction: Direction
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class ShownTrials:
    """At most 2,000 trials: up to 1,000 of the target set, and the others evenly thinned.

    Trials that are still running or waiting are left out. All sequences are in the study's order.

    Attributes
    ----------
    numbers
        (shown,): the position of each in the study, from 0.
    states
        (shown,): how each ended.
    target
        (shown,): whether it is in the target set.
    parameters, objectives
        What each tried and what it reached. A pruned trial has the last value that it reported, if
        the source records it, and a failed one has none.
    total, total_target
        How many trials and target trials there are, shown or not.
    running
        How many of them are still running or waiting.
    """

    numbers: tuple[int, ...]
    states: tuple[TrialState, ...]
    target: tuple[bool, ...]
    parameters: tuple[ShownParameter, ...]
    objectives: tuple[ShownObjective, ...]
    total: int
    total_target: int
    running: int

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def left_out(self) -> int:
        """How many trials that have ended are not shown."""
        return self.total - self.running - len(self)

    @property
    def message(self) -> str | None:
        """A note on what is not shown; None if all is."""
        notes = []
        if self.left_out:
            best = sum(self.target)
            all_of_it = best == self.total_target
            kept = f"all {best:,}" if all_of_it else f"{best:,} of the {self.total_target:,}"
            ended = self.total - self.running
            notes.append(
                f"{len(self):,} of {ended:,} trials shown: {kept} of the target set, the others "
                "evenly thinned."
            )
        if self.running:
            notes.append(f"{self.running:,} still running, not shown.")
        return " ".join(notes) or None


def shown_trials(table: TrialTable, target: BoolArray) -> ShownTrials:
    """Return some of a table's trials; ``target`` are those in the target set."""
    states = trial_states(table)
    ended = states != STATES.index("running")
    rows = chosen_rows(ended, target & ended)
    return ShownTrials(
        numbers=tuple(trial_numbers(table)[rows].tolist()),
        states=tuple(STATES[state] for state in states[rows].tolist()),
        target=tuple(target[rows].tolist()),
        parameters=tuple(_parameter(parameter, rows) for parameter in table.parameters),
        objectives=tuple(
            _objective(objective, rows, states != STATES.index("failed"))
            for objective in table.objectives
        ),
        total=len(table),
        total_target=int(np.count_nonzero(target)),
        running=int(np.count_nonzero(~ended)),
    )


def trial_states(table: TrialTable) -> IntArray:
    """Return (trials,): how each ended, as positions among the states of :data:`TrialState`."""
    recorded = np.asarray(table.states)
    found = np.zeros(len(table), dtype=np.int64)
    if table.infeasible is not None:
        found[table.infeasible] = STATES.index("infeasible")
    found[~table.finite] = STATES.index("nonfinite")
    for state, name in (
        (State.PRUNED, "pruned"),
        (State.FAILED, "failed"),
        (State.RUNNING, "running"),
    ):
        found[recorded == state] = STATES.index(name)
    return found


def trial_numbers(table: TrialTable) -> IntArray:
    """Return (trials,): the position of each in the study that they may have been selected from."""
    return np.arange(len(table)) if table.rows is None else np.asarray(table.rows)


def value_of(parameter: Parameter, row: int) -> Any:
    """Return a trial's value as it was tried: a number or a choice; it must have the parameter."""
    return tried_value(parameter.domains[parameter.domain_ids[row]], parameter.values[row].item())


def tried_value(domain: Domain, number: float) -> Any:
    """Return a value of a table as it was tried: a choice instead of its position."""
    if isinstance(domain, Categorical):
        return domain.choices[int(number)]
    return int(number) if isinstance(domain, Int) else float(number)


def chosen_rows(ended: BoolArray, target: BoolArray, most: int = MOST_SHOWN) -> IntArray:
    """Return the rows to show, in order: up to half of them of the target set."""
    best = thinned(np.flatnonzero(target), most // 2)
    others = thinned(np.flatnonzero(ended & ~target), most - len(best))
    return np.sort(np.concatenate([best, others]))


def thinned(rows: IntArray, most: int) -> IntArray:
    """Return at most ``most`` of the rows, evenly spaced."""
    if len(rows) <= most:
        return rows
    return rows[np.arange(most) * len(rows) // most]


def _parameter(parameter: Parameter, rows: IntArray) -> ShownParameter:
    ids = np.asarray(parameter.domain_ids)[rows].tolist()
    values = np.asarray(parameter.values)[rows].tolist()
    return ShownParameter(
        parameter.name,
        parameter.domains,
        tuple(None if place < 0 else place for place in ids),
        tuple(
            None if place < 0 else float(value) for place, value in zip(ids, values, strict=True)
        ),
    )


def _objective(objective: Objective, rows: IntArray, valued: BoolArray) -> ShownObjective:
    values: FloatArray = objective.values[rows]
    known = (np.isfinite(values) & valued[rows]).tolist()
    return ShownObjective(
        objective.name,
        objective.direction,
        tuple(v if finite else None for v, finite in zip(values.tolist(), known, strict=True)),
    )
