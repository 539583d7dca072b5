"""Summary: the study at a glance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self

from condped.analyse.effects.trials import TrialState
from condped.analyse.result import Result
from condped.errors import DataError
from condped.trials.batch import Goal


@dataclass(frozen=True, slots=True)
class StateCounts:
    """How many trials ended how; each is counted once.

    Attributes
    ----------
    complete
        With a finite objective and no violated constraint.
    """

    total: int
    complete: int
    infeasible: int
    pruned: int
    failed: int
    nonfinite: int
    running: int


@dataclass(frozen=True, slots=True)
class BestTrial:
    """The best complete and feasible trial by one objective; the first of several.

    Attributes
    ----------
    number
        Its position in the study, from 0.
    value, values
        What it reached in this objective, and in all of them.
    parameters
        Those active in it, in the order of the space.
    shared
        How many trials reached the same value, including itself.
    elapsed
        Seconds from the study's start to its end; None if not recorded.
    """

    objective: str
    number: int
    value: float
    values: tuple[float, ...]
    parameters: dict[str, Any]
    shared: int
    elapsed: float | None


@dataclass(frozen=True, slots=True)
class Improvement:
    """A trial that was better than all before it.

    Attributes
    ----------
    gain
        By how much, above 0; None for the first trial.
    elapsed
        Seconds from the study's start to its end; None if not recorded.
    """

    number: int
    value: float
    gain: float | None
    elapsed: float | None


@dataclass(frozen=True, slots=True)
class Progress:
    """The course of one objective.

    Attributes
    ----------
    improvements
        The last five, the latest last.
    improved
        How often it improved, not counting the first trial.
    trials
        How many complete and feasible trials there are.
    since
        How many of these came after the last improvement.
    ago
        How many trials that have ended, in any way, came after it.
    """

    objective: str
    improvements: tuple[Improvement, ...]
    improved: int
    trials: int
    since: int
    ago: int


@dataclass(frozen=True, slots=True)
class Front:
    """Trials that no other one beats in all of several objectives.

    Attributes
    ----------
    numbers
        At most 1,000 of them, in order.
    size
        How many there are, including those with the same objectives.
    last
        The last trial that no earlier one had beaten or equalled.
    since
        How many complete and feasible trials came after it.
    """

    numbers: tuple[int, ...]
    size: int
    last: int
    since: int


@dataclass(frozen=True, slots=True)
class Durations:
    """How long trials took, in seconds, among those whose duration is recorded.

    Attributes
    ----------
    recorded
        How many these are.
    total, median, longest, longest_number
        The total, the median and the longest of their durations, and the longest one's trial.
    failed, pruned
        The totals of failed and pruned trials.
    span
        From the first start to the last end; None if not recorded. Less than the total if trials
        ran in parallel.
    """

    recorded: int
    total: float
    median: float
    longest: float
    longest_number: int
    failed: float
    pruned: float
    span: float | None


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One trial and one objective.

    Attributes
    ----------
    value
        None if it is not finite; for a pruned trial, the last one that it reported.
    best
        The best so far, this trial included; None before the first complete and feasible one.
    improved
        Whether this trial was better than all before it.
    elapsed
        Seconds from the study's start to its end; None if not recorded.
    duration
        Seconds that it took; None if not recorded.
    """

    number: int
    state: TrialState
    objective: str
    value: float | None
    best: float | None
    improved: bool
    elapsed: float | None
    duration: float | None


@dataclass(frozen=True)
class Summary(Result):
    """The study at a glance.

    Attributes
    ----------
    objectives
        Their names and directions.
    states
        How the trials ended.
    best
        The best trial by each objective; empty without a complete and feasible one.
    progress
        The course of each objective; empty likewise.
    front
        The Pareto front of several objectives; None for one.
    durations
        How long trials took; None if not recorded.
    history
        One entry per trial and objective, in order: all improvements, and at most 5,000 of the
        other trials, evenly spaced.
    history_left_out
        How many trials are not in it.
    adaptive
        Whether trials seem to follow earlier results; None if unknown.
    plateau
        How long nothing has improved, in sentences.
    outlook
        What to expect from more trials.
    notes
        Notes from reading the source.

    Examples
    --------
    >>> import condped
    >>> found = condped.summary(condped.problems.get("nested").sample(300, seed=0))
    >>> found.best[0].number, round(found.best[0].value, 3), found.states.complete
    (51, -6.959, 300)
    """

    schema: ClassVar[str] = "condped.summary/1"
    _columns: ClassVar[tuple[str, ...]] = tuple(one.name for one in fields(HistoryEntry))

    objectives: tuple[Goal, ...]
    states: StateCounts
    best: tuple[BestTrial, ...]
    progress: tuple[Progress, ...]
    front: Front | None
    durations: Durations | None
    history: tuple[HistoryEntry, ...] = field(repr=False)
    history_left_out: int
    adaptive: bool | None
    plateau: tuple[str, ...]
    outlook: str | None
    notes: tuple[str, ...] = ()

    @classmethod
    def _loaded(cls, data: Mapping[str, Any]) -> Self:
        made = super(Summary, cls)._loaded(data)  # noqa: UP008  (slots made the class anew)
        names = {goal.name for goal in made.objectives}
        if not {best.objective for best in made.best} <= names:
            raise DataError("its best trials are by other objectives than its own.")
        return made

    def rows(self) -> list[dict[str, Any]]:
        """Return the history: one flat record per trial and objective."""
        return [self._row(entry) for entry in self.history]

    def _readable(self) -> dict[str, Any]:
        return {
            "objectives": self.objectives,
            "states": self.states,
            "best": self.best,
            "progress": self.progress,
            "front": self.front,
            "durations": self.durations,
            "adaptive": self.adaptive,
            "plateau": self.plateau,
            "outlook": self.outlook,
            "notes": self.notes,
            "history_left_out": self.history_left_out,
            "history": self.history,
        }
