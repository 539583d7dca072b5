"""The course of a study: best so far, improvements, the front of several objectives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from condped.analyse.effects.trials import STATES, thinned, trial_numbers, trial_states
from condped.analyse.summary.result import Front, HistoryEntry, Improvement, Progress
from condped.arrays import BoolArray, FloatArray, IntArray
from condped.trials.pareto import on_front
from condped.trials.table import Objective, TrialTable

_MOST_ENTRIES = 5_000
_MOST_ON_FRONT = 1_000
_LAST_IMPROVEMENTS = 5


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """The trials of a study in order.

    Attributes
    ----------
    numbers, states
        (trials,): the position of each in the study, and how it ended.
    usable
        (trials,): which are complete and feasible, so that they can be best.
    elapsed, durations
        (trials,): seconds from the study's start to a trial's end, and its duration; NaN where not
        recorded.
    """

    table: TrialTable
    numbers: IntArray
    states: IntArray
    usable: BoolArray
    elapsed: FloatArray
    durations: FloatArray

    @classmethod
    def of(cls, table: TrialTable) -> Course:
        """Return the course of a table's trials."""
        states, times = trial_states(table), table.times
        unknown = np.full(len(table), np.nan)
        elapsed, durations = unknown, unknown
        if times is not None:
            durations = times.durations
            if np.isfinite(times.started).any():
                elapsed = times.ended - np.nanmin(times.started)
        usable = states == STATES.index("complete")
        return cls(table, trial_numbers(table), states, usable, elapsed, durations)

    @property
    def sorted_by_objective(self) -> bool:
        """Whether the rows are sorted by the objective, so that they are not in order of time."""
        values = self.table.objectives[0].values[self.usable]
        steps = np.diff(values)
        in_order = bool((steps >= 0).all() or (steps <= 0).all())
        return len(values) >= 20 and in_order and bool(steps.any())

    def best_so_far(self, objective: Objective) -> FloatArray:
        """Return (trials,): the lowest loss up to each trial; +inf before the first."""
        losses = np.where(self.usable, objective.losses, np.inf)
        return np.minimum.accumulate(losses)

    def improved(self, objective: Objective) -> IntArray:
        """Return the rows of trials that were better than all before them."""
        best = self.best_so_far(objective)
        before = np.append(np.inf, best[:-1]) if len(best) else best
        return np.flatnonzero(best < before)

    def progress(self, objective: Objective) -> Progress:
        """Return how an objective improved; there must be a usable trial."""
        rows = self.improved(objective)
        values = objective.values[rows]
        gains = [None, *np.abs(np.diff(values)).tolist()]
        found = [
            Improvement(number, value, gain, known(elapsed))
            for number, value, gain, elapsed in zip(
                self.numbers[rows].tolist(),
                values.tolist(),
                gains,
                self.elapsed[rows].tolist(),
                strict=True,
            )
        ]
        return Progress(
            objective.name,
            tuple(found[-_LAST_IMPROVEMENTS:]),
            improved=len(rows) - 1,
            trials=int(np.count_nonzero(self.usable)),
            since=int(np.count_nonzero(self.usable[rows[-1] + 1 :])),
            ago=int(np.count_nonzero(self.states[rows[-1] + 1 :] != STATES.index("running"))),
        )

    def front(self) -> Front:
        """Return the trials that no other one beats; there must be a usable trial."""
        rows = np.flatnonzero(self.usable)
        losses = np.column_stack([entry.losses[rows] for entry in self.table.objectives])
        unique, inverse = np.unique(losses, axis=0, return_inverse=True)
        members = rows[on_front(unique)[inverse.ravel()]]
        last = int(rows[_last_to_join(losses)])
        return Front(
            numbers=tuple(self.numbers[thinned(members, _MOST_ON_FRONT)].tolist()),
            size=len(members),
            last=int(self.numbers[last]),
            since=int(np.count_nonzero(self.usable[last + 1 :])),
        )

    def entries(self) -> tuple[tuple[HistoryEntry, ...], int]:
        """Return the history, and how many trials are not in it."""
        objectives = self.table.objectives
        kept = np.zeros(len(self.table), dtype=bool)
        improved = [self.improved(objective) for objective in objectives]
        for rows in improved:
            kept[rows] = True
        kept[thinned(np.flatnonzero(~kept), _MOST_ENTRIES)] = True
        rows = np.flatnonzero(kept)
        names = STATES
        columns = []
        for objective, better in zip(objectives, improved, strict=True):
            best = self.best_so_far(objective)[rows]
            # What some tools record for failed trials is not a value.
            failed = self.states == STATES.index("failed")
            values = np.where(failed, np.nan, objective.values)[rows]
            sign = -1.0 if objective.direction == "maximize" else 1.0
            columns.append(
                [
                    HistoryEntry(
                        number, names[state], objective.name, known(value), known(sign * lowest),
                        new, known(elapsed), known(duration),
                    )
                    for number, state, value, lowest, new, elapsed, duration in zip(
                        self.numbers[rows].tolist(), self.states[rows].tolist(),
                        values.tolist(), best.tolist(),
                        np.isin(rows, better).tolist(), self.elapsed[rows].tolist(),
                        self.durations[rows].tolist(), strict=True,
                    )
                ]
            )  # fmt: skip
        entries = tuple(entry for trial in zip(*columns, strict=True) for entry in trial)
        return entries, len(self.table) - len(rows)


def known(value: float) -> float | None:
    """Return a number, or None if it is not finite; -0.0 becomes 0.0."""
    return value + 0.0 if np.isfinite(value) else None


def _last_to_join(losses: FloatArray) -> int:
    """Return the last trial that no earlier one beat or equalled in all losses."""
    front, last = losses[:0], 0
    for place, own in enumerate(losses):
        if not (front <= own).all(axis=1).any():
            front = np.vstack([front[~(own <= front).all(axis=1)], own])
            last = place
    return last
