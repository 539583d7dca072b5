"""TrialTable: what every reader returns and every analysis starts from.

Columns, not objects: values and domain ids are arrays, so that counting takes a few passes over
memory. From here on nothing depends on the tool that the trials came from.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from condped.arrays import BoolArray, FloatArray, IdArray, IntArray, Rows, ValueArray
from condped.duplicates import first_duplicate
from condped.errors import DataError, SettingsError, not_found
from condped.objective_choice import objective_place
from condped.safe_text import brief
from condped.space.condition import Condition
from condped.space.domain import Domain
from condped.space.space import Space
from condped.trials.course.drawing import Drawing
from condped.trials.course.prefix import only_drawn, rows_of_first
from condped.trials.course.reports import Reports
from condped.trials.course.times import Times, recorded_durations
from condped.trials.notes import RowsNote
from condped.trials.studies import StudyLabels

Direction = Literal["minimize", "maximize"]
ABSENT = -1
DURATION = "duration"  # names how long trials took, as an objective


class State(enum.IntEnum):
    """How a trial ended."""

    COMPLETE = 0
    PRUNED = 1
    FAILED = 2
    RUNNING = 3  # or waiting: not ended


@dataclass(frozen=True, slots=True, eq=False)
class Objective:
    """One measured quantity, as recorded, with the direction in which it is better."""

    name: str
    values: FloatArray  # (trials,), NaN where nothing was recorded
    direction: Direction = "minimize"

    @property
    def losses(self) -> FloatArray:
        """The values, negated if maximised, so that lower is better."""
        return -self.values if self.direction == "maximize" else self.values


@dataclass(frozen=True, slots=True, eq=False)
class Parameter:
    """One parameter: a value and a domain for each trial.

    Attributes
    ----------
    values
        (trials,): the value; for a categorical domain the position of the choice.
        Meaningless where the parameter is absent.
    domain_ids
        (trials,): position in ``domains``, or -1 where the parameter is absent. May be a
        broadcast scalar when all trials share one domain.
    domains
        The distinct domains, in order of first appearance.
    """

    name: str
    values: ValueArray
    domain_ids: IdArray
    domains: tuple[Domain, ...]

    @property
    def everywhere(self) -> bool:
        """Whether all trials are known, without a scan, to share the one domain."""
        return len(self.domains) == 1 and self.domain_ids.strides == (0,)

    def only(self, rows: Rows) -> Parameter:
        """Return the parameter in these trials only; positions also give their order."""
        values, ids = self.values[rows], self.domain_ids
        if self.everywhere and len(ids):  # and stays known to be
            shorter = len(values) <= len(ids)  # a slice is faster
            ids = ids[: len(values)] if shorter else np.broadcast_to(ids[:1], values.shape)
            return Parameter(self.name, values, ids, self.domains)
        return Parameter(self.name, values, ids[rows], self.domains)


@dataclass(frozen=True, slots=True)
class Selection:
    """A condition by which the trials of a table were selected."""

    condition: str
    total: int  # trials before
    left_out: int  # trials that do not meet it


@dataclass(frozen=True, eq=False)
class TrialTable:
    """Trials as columns.

    Attributes
    ----------
    parameters
        In the order of the space.
    objectives
        One or more; several mean a multi-objective study.
    states
        (trials,): how each ended, as ``condped.trials.table.State``; may be a broadcast scalar.
    violations
        (trials, constraints): above 0 means violated, NaN not recorded. None without constraints.
    space_inferred
        Whether the domains were inferred from the values.
    ignored_columns
        Columns of the source that are neither parameters nor objectives.
    notes
        Remarks of the reader for the user, one sentence each.
    space
        The space that the trials were drawn from, with its conditions, if given or recorded.
    some_parameters
        Whether the source may have more parameters than were requested.
    selections
        The conditions by which the trials were selected, in order.
    order_given
        Whether the caller named the column with the order in time.
    drawing
        How the trials were drawn, if the source records it.
    times
        When each trial ran and how long it took, if the source records it.
    reports
        What they measured at lower budgets, if requested and recorded.
    groups
        The members of those parameters that are groups of several, in the same trials.
    whole
        The table that these trials were selected from, with those that came between them; None if
        this is all.
    rows
        Their positions there.
    studies
        The study of each trial, if the table holds those of several; None: one study.

    Examples
    --------
    >>> import condped
    >>> table = condped.read({"x": [0.1, 0.7, 0.4], "loss": [3.0, 1.0, 2.0]}, objective="loss")
    >>> len(table), table.names, len(table.first(2))
    (3, ('x',), 2)
    """

    parameters: tuple[Parameter, ...]
    objectives: tuple[Objective, ...]
    states: npt.NDArray[np.int8]
    violations: FloatArray | None = None
    space_inferred: bool = False
    ignored_columns: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())
    space: Space | None = None
    some_parameters: bool = False
    selections: tuple[Selection, ...] = ()
    order_given: bool = False
    drawing: Drawing | None = field(default=None, repr=False)
    times: Times | None = field(default=None, repr=False)
    reports: Reports | None = field(default=None, repr=False)
    groups: Mapping[str, tuple[Parameter, ...]] = field(default_factory=dict, repr=False)
    whole: TrialTable | None = field(default=None, repr=False)
    rows: IntArray | None = field(default=None, repr=False)
    studies: StudyLabels | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        duplicate = first_duplicate(self.names)
        if duplicate is not None:
            raise DataError(f"The table has two parameters named {duplicate!r}.", column=duplicate)

    def __len__(self) -> int:
        return len(self.states)

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters' names."""
        return tuple(parameter.name for parameter in self.parameters)

    @property
    def recorded(self) -> tuple[Parameter, ...]:
        """The parameters as they were drawn: groups replaced by their members."""
        return tuple(
            one for entry in self.parameters for one in self.groups.get(entry.name, (entry,))
        )

    @property
    def where(self) -> Condition | None:
        """The condition by which the trials were selected, all selections combined; None if all."""
        texts = [selection.condition for selection in self.selections]
        if len(texts) > 1:
            texts = [" and ".join(f"({text})" for text in texts)]
        return Condition.parse(texts[0]) if texts else None

    @property
    def infeasible(self) -> BoolArray | None:
        """Where a constraint is violated; None without constraints."""
        if self.violations is None:
            return None
        return np.asarray((self.violations > 0).any(axis=1))

    @property
    def finite(self) -> BoolArray:
        """Where all objectives are recorded and finite."""
        finite = np.isfinite(self.objectives[0].values)
        for objective in self.objectives[1:]:
            finite &= np.isfinite(objective.values)
        return finite

    def with_objective(self, objective: str | int) -> TrialTable:
        """Return the table with one of its objectives only."""
        return replace(self, objectives=(self._objective(objective),))

    def with_loss(self, losses: npt.ArrayLike) -> TrialTable:
        """Return the table with the given losses in place of its objectives."""
        try:
            values = np.asarray(losses, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise DataError(f"loss must hold one number per trial ({error}).") from error
        if values.shape != (len(self),):
            raise DataError(
                f"loss must hold one number per trial: {len(self)} "
                f"(got an array of shape {values.shape})."
            )
        return replace(self, objectives=(Objective("loss", values),))

    def with_parameters(self, names: Sequence[str]) -> TrialTable:
        """Return the table with these parameters only, in this order."""
        if isinstance(names, str):
            raise SettingsError(
                f"parameters must be a list of names (got the text {brief(names)})."
            )
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in names:
            if name not in known:
                raise not_found("parameter", name, known)
        kept = {name: known[name] for name in names}
        fewer = replace(self, parameters=tuple(kept.values()), space=self._space_of(kept))
        if self.whole is not None or len(kept) == len(known):
            return fewer
        return replace(fewer, whole=self, rows=np.arange(len(self)))

    def without_parameters(self, names: Sequence[str]) -> TrialTable:
        """Return the table without nuisance parameters, such as a seed."""
        left_out = dict.fromkeys(names)
        known = dict.fromkeys(self.names)
        for name in left_out:
            if name not in known:
                raise not_found("parameter", name, known)
        kept = [name for name in known if name not in left_out]
        if not kept:
            raise SettingsError(f"ignore leaves no parameter (got {brief(list(names))}).")
        note = f"Ignored, as requested: {', '.join(left_out)}."
        gates = set() if self.space is None else self.space.gates(kept) & set(names)
        if gates:
            note += (
                f" {', '.join(sorted(gates))} decides which of the others are present; choosing "
                "it counts as theirs."
            )
        return self.with_parameters(kept).with_notes([note])

    def _space_of(self, names: Iterable[str]) -> Space | None:
        """Return the space of these parameters, if its conditions name no others."""
        if self.space is None:
            return None
        kept = {name: self.space[name] for name in names if name in self.space}
        return Space(kept) if self.space.gates(kept) <= set(kept) else None

    def with_notes(self, notes: Sequence[str]) -> TrialTable:
        """Return the table with more notes."""
        return replace(self, notes=(*self.notes, *notes))

    def with_selection(self, condition: str, rows: BoolArray) -> TrialTable:
        """Return the table with the trials that meet a condition, which it records."""
        total, met = len(self), int(np.count_nonzero(rows))
        selected = self if met == total else self.selected(rows)
        selection = Selection(condition, total, total - met)
        return replace(selected, selections=(*self.selections, selection))

    def selected(self, rows: BoolArray) -> TrialTable:
        """Return the table with these trials only; it remembers the others."""
        found = np.flatnonzero(rows)
        whole, own = self, found
        if self.whole is not None and self.rows is not None:
            whole, own = self.whole, self.rows[found]
        return replace(self.only(found), whole=whole, rows=own)

    def with_failures(self, values: Sequence[float]) -> TrialTable:
        """Return the table with trials marked as failed where an objective has one of the values.

        Some tools record a number such as 2147483647 for failed trials.
        """
        measured = np.column_stack([objective.values for objective in self.objectives])
        failed = np.isin(measured, np.asarray(values, dtype=np.float64)).any(axis=1)
        failed &= self.states == State.COMPLETE
        if not failed.any():
            return self
        states = np.where(failed, np.int8(State.FAILED), self.states)
        listed = " or ".join(f"{value:g}" for value in values)
        end = f" trials with the objective {listed} count as failed."
        note = RowsNote("failed", "", "", int(np.count_nonzero(failed)), end)
        return replace(self.with_notes([note]), states=states)

    def only(self, rows: Rows) -> TrialTable:
        """Return the table with these trials only; positions also give their order."""
        return replace(
            self,
            parameters=tuple(entry.only(rows) for entry in self.parameters),
            groups={
                name: tuple(member.only(rows) for member in members)
                for name, members in self.groups.items()
            },
            objectives=tuple(
                replace(objective, values=objective.values[rows]) for objective in self.objectives
            ),
            states=self.states[rows],
            violations=None if self.violations is None else self.violations[rows],
            drawing=None if self.drawing is None else self.drawing.only(rows),
            times=None if self.times is None else self.times.only(rows),
            reports=None if self.reports is None else self.reports.only(rows),
            whole=None,
            rows=None,
            studies=None if self.studies is None else self.studies.only(rows),
        )

    def first(self, finished: int) -> TrialTable:
        """Return the table as it was when this many trials had finished.

        By end times if they are recorded, in the order of the rows otherwise. Trials that had not
        finished are left out, and so are parameters and domains not drawn from by then. A selection
        keeps those of its trials that are among them.

        Examples
        --------
        >>> import condped
        >>> len(condped.problems.get("nested").sample(100, seed=0).first(40))
        40
        """
        kept = self.study.finished_first(finished)
        if self.rows is None:
            return self.only(kept)._as_drawn()
        own = np.isin(self.rows, kept)
        rows = np.searchsorted(kept, self.rows[own])
        return replace(
            self.only(own)._as_drawn(), whole=self.study.only(kept)._as_drawn(), rows=rows
        )

    def finished_first(self, finished: int) -> IntArray:
        """Return the positions, ascending, of the trials of a whole study that finished first."""
        times = None if self.times is None else self.times.ended
        return rows_of_first(np.asarray(self.states != State.RUNNING), times, finished)

    @property
    def study(self) -> TrialTable:
        """All trials that these were selected from; the table itself if these are all."""
        return self if self.whole is None else self.whole

    @property
    def finished(self) -> int:
        """How many trials of the study have ended, including those outside a selection."""
        return int(np.count_nonzero(self.study.states != State.RUNNING))

    def _as_drawn(self) -> TrialTable:
        """Return the table without domains and parameters that none of its trials drew from."""
        kept = []
        for entry in self.parameters:
            ids, domains = only_drawn(entry.domain_ids, entry.domains)
            known = self.space is not None and entry.name in self.space
            if domains and entry.name not in self.groups:
                kept.append(replace(entry, domain_ids=ids, domains=domains))
            elif domains or known:
                kept.append(entry)
        return replace(self, parameters=tuple(kept) or self.parameters)

    def _objective(self, objective: str | int) -> Objective:
        names = [entry.name for entry in self.objectives]
        timed = [] if self.times is None or DURATION in names else [DURATION]
        if self.times is not None and isinstance(objective, str) and objective in timed:
            return Objective(DURATION, recorded_durations(self.times))
        return self.objectives[objective_place(names, objective, timed)]


def all_complete(trials: int) -> npt.NDArray[np.int8]:
    """Return states for that many finished trials, in one byte of memory."""
    return np.broadcast_to(np.int8(State.COMPLETE), trials)


def id_dtype(domains: int) -> type[np.signedinteger[Any]]:
    """Return the narrowest integer type that holds ids of that many domains and -1."""
    return np.int8 if domains < 128 else np.int16 if domains < 32768 else np.int32
