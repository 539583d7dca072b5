"""From named columns to a TrialTable: objectives, states, constraints, parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from condped.arrays import FloatArray, IntArray
from condped.duplicates import first_duplicate
from condped.errors import DataError, NoTrialsError, SettingsError, not_found
from condped.read.direction import assumed_direction_notes
from condped.read.options import ReadOptions, checked_direction
from condped.read.table.assign_domains import assign_domains
from condped.read.table.convert_values import convert_column, unusable
from condped.read.table.export_layouts import Layout, layout_of
from condped.read.table.infer_space import infer_space
from condped.read.table.other_columns import is_record, is_result
from condped.read.table.raw import RawRuns, RawTable
from condped.read.table.state_words import state_array
from condped.read.table.states import states_of
from condped.safe_text import brief
from condped.space.space import Space
from condped.trials.columns import NumberColumn, UnusableColumn
from condped.trials.course.times import recorded_durations
from condped.trials.studies import StudyLabels
from condped.trials.table import (
    DURATION,
    Objective,
    State,
    TrialTable,
    all_complete,
)


def build_table(raw: RawTable, options: ReadOptions) -> TrialTable:
    """Build a table from columns and the caller's options."""
    options.refuse("a table", "study")
    layout = select_layout(raw.names, options.space)
    if layout is None or not layout.budgets:
        options.refuse("a table", "budget")
    _check_names(raw)
    if raw.rows == 0:
        raise no_rows()
    table = build_as(layout, raw, options)
    if table.times is not None:
        table.times.load()  # the columns can be forgotten then
    return table


def select_layout(names: Sequence[str], space: Space | None) -> Layout | None:
    """Return the export layout of columns with these names; None: plain columns."""
    # A space that names a tool's columns in full means plain columns.
    return None if space and set(space) <= set(names) else layout_of(names)


def no_rows(notes: Sequence[str] = ()) -> DataError:
    """Return the error for a source without any trial; notes say what was left out of it."""
    return NoTrialsError(" ".join(("The source has no rows.", *notes, "Give at least one trial.")))


def build_as(layout: Layout | None, raw: RawTable, options: ReadOptions) -> TrialTable:
    """Build a table from columns in a tool's layout, or from plain columns."""
    if layout is not None:
        runs = layout.split(raw, options)
        return _labelled(build_runs(runs, layout.renamed(options), layout.source), raw, options)
    states = states_of(raw, options.state)
    # Columns that are not parameters.
    own = (options.state, options.order, options.study_column)
    taken = {name for name in own if name is not None}
    if options.loss is None and options.objective is not None:
        taken.update(_listed("objective", options.objective))
    if options.constraints is not None:
        taken.update(_listed("constraints", options.constraints))
    for name in options.space or ():
        if name in taken:
            raise DataError(
                f"Column {name!r} is both a parameter of the space and an objective, state, "
                "constraint, order or study. Take it out of one of them.",
                column=name,
            )
    table = _labelled(
        _build(RawRuns(raw.without(taken), raw, states, mixed=True), options), raw, options
    )
    if options.order is None:
        return table
    return replace(table.only(_rows_in_time(raw, options.order)), order_given=True)


def _labelled(table: TrialTable, raw: RawTable, options: ReadOptions) -> TrialTable:
    """Return the trials with the studies that a column names."""
    name = options.study_column
    if name is None:
        return table
    labels = StudyLabels.of(raw.require("study column", name), name)
    if len(table) != raw.rows:
        raise SettingsError(
            f"study_column cannot be set here (got {brief(name)}): several rows make one trial. "
            "Give each study as a table of its own."
        )
    return replace(table, studies=labels)


def _rows_in_time(raw: RawTable, name: str) -> IntArray:
    """Return the rows in the order that a column gives."""
    column = raw.require("order column", name)
    if not isinstance(column, NumberColumn) or column.absent().any():
        raise DataError(
            f"The order column {name!r} must hold a number in every row, such as the trial's.",
            column=name,
        )
    return np.argsort(column.values, kind="stable")


def build_runs(runs: RawRuns, options: ReadOptions, source: str) -> TrialTable:
    """Build a table from the runs that a tool recorded and the caller's options.

    Parameters
    ----------
    runs
        What the tool recorded.
    options
        The options that the reader was called with.
    source
        What was read, for messages, such as "a log of mytool".

    Examples
    --------
    >>> runs = RawRuns(
    ...     parameters=RawTable.of_records([{"lr": 0.1}, {"lr": 0.2}]),
    ...     metrics=RawTable.of_records([{"loss": 0.3}, {"loss": 0.1}]),
    ...     states=["complete", "complete"],
    ...     objectives=("loss",),
    ... )
    >>> build_runs(runs, ReadOptions(), "a log of mytool").names
    ('lr',)
    """
    options.refuse(source, "state", "order")
    if runs.metrics.rows == 0:
        raise NoTrialsError(f"There are no trials in {source}. Give a source with at least one.")
    return _build(runs, options)


def _build(runs: RawRuns, options: ReadOptions) -> TrialTable:
    objectives = _objectives(runs, options)
    violations = _violations(runs.metrics, options.constraints)
    raw, notes = runs.parameters, [*_direction_notes(objectives, runs, options), *runs.notes]
    space = runs.space if options.space is None else options.space
    if space is None:
        space = _infer_space(raw, options.parameters, notes, mixed=runs.mixed)
    notes.extend(space.notes)
    if space.to_infer:
        space = _complete_space(space, raw, notes)
    known = set(raw.names)
    lacking = [name for name in space if name not in known]
    # A conditional parameter may never have been active, and a tool need not record the condition.
    for name in lacking:
        recorded = options.space is None or space[name][0].when is not None
        if not (raw.sparse and recorded):
            raise not_found("column for the parameter", name, raw.names)
    if lacking:
        raw = raw.with_absent(lacking)
        notes.append(f"No trial has {', '.join(lacking)}.")
    columns = {name: convert_column(name, raw[name], space[name]) for name in space}
    states = state_array(runs.states, raw.rows)
    finished = None if states.strides == (0,) else states == State.COMPLETE
    parameters = tuple(
        assign_domains(
            name, space[name], columns, finished=finished, outside=options.outside, notes=notes
        )
        for name in space
    )
    return TrialTable(
        parameters,
        objectives,
        states,
        violations,
        space_inferred=space.inferred,
        ignored_columns=tuple(str(name) for name in raw.names if name not in space),
        notes=tuple(notes),
        space=None if space.inferred else space,
        drawing=runs.drawing,
        times=runs.times,
        reports=runs.reports,
    )


def _infer_space(
    raw: RawTable, requested: Sequence[str] | None, notes: list[str], *, mixed: bool
) -> Space:
    """Infer the domains of all columns that can be parameters, or of the requested ones."""
    odd = [name for name in raw.names if not isinstance(name, str)]
    if odd:
        raise DataError(
            f"Column names must be texts (got {brief(odd[0])}). Rename the columns, or give a "
            "space."
        )
    # A column without a name is the index of a dataframe.
    free = [name for name in raw.names if name]
    for name in requested or ():
        if name not in free:
            raise not_found("parameter", name, free)
        column = raw[name]
        if isinstance(column, UnusableColumn):
            raise unusable(name, column)
    if requested is not None:
        return infer_space({name: raw[name] for name in free if name in requested}, notes)
    others = [n for n in free if mixed and (is_record(n) or is_result(n, raw[n]))]
    if others:
        notes.append(
            f"Not taken for parameters, by their names: {', '.join(others)}. Name all parameters "
            "with the option parameters, or give a space, to use them."
        )
    return infer_space({name: raw[name] for name in free if name not in others}, notes)


def _complete_space(space: Space, raw: RawTable, notes: list[str]) -> Space:
    """Return a space with inferred domains for the parameters that it names without any."""
    open_ended = {
        name: raw[name]
        for name in raw.names
        if name not in space
        and any(name == above or name.startswith(f"{above}/") for above in space.to_infer)
    }
    found = infer_space(open_ended, notes)
    for name in space.to_infer:
        if not any(other == name or other.startswith(f"{name}/") for other in found):
            notes.append(f"{name}: left out, since no trial has a usable value of it.")
    added = {}
    for name, (alternative,) in found.items():
        label = alternative.domain.label
        if alternative.domain.single:
            notes.append(f"{name}: left out, since it has a single value: {label}.")
        else:
            added[name] = alternative
            notes.append(f"{name}: its domain was taken from the values seen, {label}.")
    return Space({**space, **added}, inferred=space.inferred)


def _check_names(raw: RawTable) -> None:
    duplicate = first_duplicate(raw.names)
    if duplicate is not None:
        raise DataError(
            f"There are two columns named {duplicate!r}. Rename or drop one of them.",
            column=str(duplicate),
        )


def _objectives(runs: RawRuns, options: ReadOptions) -> tuple[Objective, ...]:
    """Return the objectives: those that the caller names, or those that the source recorded."""
    raw, recorded = runs.metrics, runs.objectives
    if options.loss is not None:
        if options.objective is not None or options.direction is not None:
            raise SettingsError("Give either loss or objective and direction, not both.")
        if callable(options.loss):
            raise SettingsError(
                "loss must be one number per row for a table (got a function). "
                "Compute the numbers and pass them."
            )
        empty = TrialTable((), (), all_complete(raw.rows))
        return empty.with_loss(options.loss).objectives
    if options.objective is None and not recorded:
        listed_names = ", ".join(map(repr, raw.names[:12])) or "none"
        raise SettingsError(
            f"objective is needed for a table: name one of its columns ({listed_names})."
        )
    names = list(recorded) if options.objective is None else _listed("objective", options.objective)
    given, known = options.direction, dict(zip(recorded, runs.directions, strict=False))
    directions = (
        [known.get(name, "minimize") for name in names]
        if given is None
        else _listed("direction", given)
    )
    if len(directions) != len(names):
        raise SettingsError(
            f"direction must have one entry per objective: {len(names)} (got {len(directions)})."
        )
    return tuple(
        Objective(name, _metric_values(runs, name), checked_direction(direction))
        for name, direction in zip(names, directions, strict=True)
    )


def _metric_values(runs: RawRuns, name: str) -> FloatArray:
    """Return the numbers of a metric, or how long the runs took."""
    if name == DURATION and name not in runs.metrics.names and runs.times is not None:
        return recorded_durations(runs.times)
    if name not in runs.metrics.names and runs.times is not None:
        raise not_found("objective", name, [*runs.metrics.names, DURATION])
    return runs.metrics.numbers("objective", name)


def _direction_notes(
    objectives: Sequence[Objective], runs: RawRuns, options: ReadOptions
) -> list[str]:
    if options.direction is not None or options.loss is not None:
        return []
    recorded = runs.objectives[: len(runs.directions)]
    return assumed_direction_notes(entry for entry in objectives if entry.name not in recorded)


def _listed(what: str, given: object) -> list[str]:
    entries = [given] if isinstance(given, str) else given
    if not isinstance(entries, Sequence) or not all(isinstance(entry, str) for entry in entries):
        raise SettingsError(f"{what} must be a name or a list of names (got {brief(given)}).")
    if not entries or (len(set(entries)) < len(entries) and what == "objective"):
        raise SettingsError(
            f"{what} must name at least one column, each once (got {brief(given)})."
        )
    return list(entries)


def _violations(raw: RawTable, names: Sequence[str] | None) -> FloatArray | None:
    if names is None:
        return None
    listed = _listed("constraints", names)
    return np.column_stack([raw.numbers("constraint", name) for name in listed])
