"""The objective of an Optuna study: its values, or an attribute that trials recorded.

Columns are named as in ``study.trials_dataframe()``: ``user_attrs_accuracy`` is the
user attribute "accuracy", ``intermediate_values_10`` the value reported at step 10, ``duration``
the seconds that a trial took. An attribute is known by its own name, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from condped.errors import DataError, not_found
from condped.read.direction import assumed_direction_notes, recorded_direction_notes
from condped.read.options import ReadOptions, checked_direction, chosen_objective
from condped.read.table.outside_domain import apply_outside_policy
from condped.safe_text import brief
from condped.trials.columns import number_of
from condped.trials.course.reports import Reports
from condped.trials.table import DURATION, Direction, Objective, TrialTable

STUDY = "an Optuna study"
_USER, _REPORTED = "user_attrs_", "intermediate_values_"


@dataclass(frozen=True, slots=True)
class Attribute:
    """Something that trials recorded besides their values."""

    column: str  # its name as a column
    key: str | int  # the name of a user attribute, or a step

    @property
    def reported(self) -> bool:
        """Whether it is the value reported at a step."""
        return isinstance(self.key, int)


class Attributes(Protocol):
    """The attributes of a study's trials."""

    def recorded(self, attribute: Attribute) -> Mapping[int, Any]:
        """Return the values of those trials that have one, by the trial's position."""
        ...

    def known(self, attribute: Attribute) -> Iterable[Any]:
        """Return the keys of all attributes of this kind."""
        ...

    def reported(self) -> Iterable[tuple[int, float, float]]:
        """Return all reports: the trial's position, the step and the value."""
        ...


def attribute_of(options: ReadOptions) -> Attribute | None:
    """Return the attribute that may be named as the objective; None if no name is given."""
    column = options.objective
    if not isinstance(column, str):
        return None
    if column.startswith(_USER):
        return Attribute(column, column.removeprefix(_USER))
    step = column.removeprefix(_REPORTED)
    if column.startswith(_REPORTED) and re.fullmatch(r"-?\d{1,18}", step):
        return Attribute(column, int(step))
    return Attribute(column, column)


def explained_table(table: TrialTable, options: ReadOptions, attributes: Attributes) -> TrialTable:
    """Return a study's table with the requested objective, after checking its values."""
    options.refuse(STUDY, "space", "state", "constraints", "budget", "order")
    if options.reports:
        table = replace(table, reports=Reports.of(len(table), attributes.reported()))
    attribute, names = attribute_of(options), [o.name for o in table.objectives]
    if attribute is None or attribute.column in names:
        options.refuse(STUDY, "direction")
        table = _check_table(table, options)
        noted = options.loss is None
        return table.with_notes(recorded_direction_notes(table.objectives) if noted else ())
    values = attributes.recorded(attribute)
    if not values and attribute.column == DURATION:
        (duration,) = table.with_objective(DURATION).objectives
        direction = _direction(options, duration.direction)
        return _with_objective(table, options, replace(duration, direction=direction))
    if not values and attribute.key == attribute.column:
        known = [*names, *attributes.known(attribute), DURATION]
        raise not_found("objective or user attribute", attribute.key, known)
    if not values:
        kind = "reported step" if attribute.reported else "user attribute"
        raise not_found(kind, attribute.key, attributes.known(attribute))
    numbers = np.full(len(table), np.nan)
    for row, value in values.items():
        number = number_of(value)
        if number is None and value is not None:
            raise DataError(
                f"The user attribute {attribute.key!r} must be a number (got {brief(value)} in "
                f"trial {row}). Choose an attribute that is one in all trials.",
                column=attribute.column,
                first_row=row,
            )
        numbers[row] = np.nan if number is None else number
    # Reported values have the direction of the objective.
    default = table.objectives[0].direction if attribute.reported else "minimize"
    explained = Objective(attribute.column, numbers, _direction(options, default))
    assumed = options.direction is None and not attribute.reported
    return _with_objective(table, options, explained).with_notes(
        assumed_direction_notes([explained]) if assumed else ()
    )


def _direction(options: ReadOptions, default: Direction) -> Direction:
    given = options.direction
    if isinstance(given, Sequence) and not isinstance(given, str) and len(given) == 1:
        (given,) = given
    return default if given is None else checked_direction(given)


def _with_objective(table: TrialTable, options: ReadOptions, objective: Objective) -> TrialTable:
    return _check_table(replace(table, objectives=(objective,)), replace(options, objective=None))


def _check_table(table: TrialTable, options: ReadOptions) -> TrialTable:
    table = chosen_objective(table, options, STUDY)
    return apply_outside_policy(table, "error") if options.outside == "error" else table


@dataclass(frozen=True, slots=True)
class MemoryAttributes:
    """The attributes of trials in memory."""

    trials: Sequence[Any]

    def recorded(self, attribute: Attribute) -> dict[int, Any]:
        """Return the values of those trials that have one, by the trial's position."""
        held = enumerate(self._dicts_of(attribute))
        return {row: entry[attribute.key] for row, entry in held if attribute.key in entry}

    def known(self, attribute: Attribute) -> list[Any]:
        """Return the keys of all attributes of this kind."""
        return sorted({key for entry in self._dicts_of(attribute) for key in entry})

    def reported(self) -> Iterator[tuple[int, float, float]]:
        """Return all reports: the trial's position, the step and the value."""
        for row, trial in enumerate(self.trials):
            for step, value in trial.intermediate_values.items():
                yield row, step, value

    def _dicts_of(self, attribute: Attribute) -> Iterator[dict[Any, Any]]:
        name = "intermediate_values" if attribute.reported else "user_attrs"
        return (getattr(trial, name) for trial in self.trials)
