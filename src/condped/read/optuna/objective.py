"""What of an Optuna study is to be explained: its values, or something else that trials recorded.

Columns are called what ``study.trials_dataframe()`` calls them: ``user_attrs_accuracy`` is the
user attribute "accuracy", ``intermediate_values_10`` the value reported at step 10.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from condped.errors import DataError, not_found
from condped.read.options import ReadOptions, checked_direction
from condped.read.optuna.recorded import recorded_table
from condped.trials.columns import number_of
from condped.trials.table import Objective, TrialTable

STUDY = "an Optuna study"
_USER, _REPORTED = "user_attrs_", "intermediate_values_"


@dataclass(frozen=True, slots=True)
class Attribute:
    """Something that trials recorded beside their values."""

    column: str  # what the caller calls it
    key: str | int  # the name of a user attribute, or a step

    @property
    def reported(self) -> bool:
        """Whether it is the value reported at a step."""
        return isinstance(self.key, int)


class Attributes(Protocol):
    """Where a study keeps them."""

    def recorded(self, attribute: Attribute) -> Mapping[int, Any]:
        """Return the values of those trials that have one, by the trial's position."""
        ...

    def known(self, attribute: Attribute) -> Iterable[Any]:
        """Return the keys of all attributes of this kind."""
        ...


def attribute_of(options: ReadOptions) -> Attribute | None:
    """Return the attribute that the caller names as objective, if it is one."""
    column = options.objective
    if not isinstance(column, str):
        return None
    if column.startswith(_USER):
        return Attribute(column, column.removeprefix(_USER))
    step = column.removeprefix(_REPORTED)
    if column.startswith(_REPORTED) and step.lstrip("-").isdecimal():
        return Attribute(column, int(step))
    return None


def explained_table(table: TrialTable, options: ReadOptions, attributes: Attributes) -> TrialTable:
    """Return a study's table with the objective that the caller wants explained."""
    options.refuse(STUDY, "space", "state", "constraints", "budget", "order")
    attribute = attribute_of(options)
    if attribute is None or attribute.column in [o.name for o in table.objectives]:
        options.refuse(STUDY, "direction")
        return recorded_table(table, options, STUDY)
    values = attributes.recorded(attribute)
    if not values:
        kind = "reported step" if attribute.reported else "user attribute"
        raise not_found(kind, attribute.key, attributes.known(attribute))
    numbers = np.full(len(table), np.nan)
    for row, value in values.items():
        number = number_of(value)
        if number is None and value is not None:
            raise DataError(
                f"The user attribute {attribute.key!r} must be a number (got {value!r} in trial "
                f"{row}). Choose an attribute that is one in all trials.",
                column=attribute.column,
                first_row=row,
            )
        numbers[row] = np.nan if number is None else number
    # Reported values are better in the direction of what they lead to.
    own = table.objectives[0].direction if attribute.reported else "minimize"
    given = options.direction
    if isinstance(given, Sequence) and not isinstance(given, str) and len(given) == 1:
        (given,) = given
    direction = own if given is None else checked_direction(given)
    chosen = replace(table, objectives=(Objective(attribute.column, numbers, direction),))
    return recorded_table(chosen, replace(options, objective=None), STUDY)


@dataclass(frozen=True, slots=True)
class HeldAttributes:
    """What trials in memory recorded beside their values."""

    trials: Sequence[Any]

    def recorded(self, attribute: Attribute) -> dict[int, Any]:
        """Return the values of those trials that have one, by the trial's position."""
        held = enumerate(self._held(attribute))
        return {row: entry[attribute.key] for row, entry in held if attribute.key in entry}

    def known(self, attribute: Attribute) -> list[Any]:
        """Return the keys of all attributes of this kind."""
        return sorted({key for entry in self._held(attribute) for key in entry})

    def _held(self, attribute: Attribute) -> Iterator[dict[Any, Any]]:
        name = "intermediate_values" if attribute.reported else "user_attrs"
        return (getattr(trial, name) for trial in self.trials)
