"""Trials that meet conditions: ``where="learner == 'svm'"``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from condped.arrays import BoolArray, FloatArray
from condped.errors import ConditionError, NoTrialsError, not_found
from condped.safe_text import brief
from condped.space.condition import Condition
from condped.space.domain import Categorical
from condped.space.nodes import Comparison, Membership
from condped.trials.batch import Batch
from condped.trials.table import Parameter, TrialTable


@dataclass(frozen=True, slots=True, eq=False)
class ParameterColumn:
    """A parameter as conditions see it: choices in place of their positions."""

    parameter: Parameter

    def where(self, predicate: Callable[[Any], Any]) -> BoolArray:
        """Return where the parameter is present and the predicate holds."""
        ids, values = self.parameter.domain_ids, self.parameter.values
        # One more entry than domains, which id -1 (absent) selects.
        choices = [isinstance(domain, Categorical) for domain in self.parameter.domains]
        held = np.zeros(len(ids), dtype=bool)
        numeric = ~np.array([*choices, True])[ids]
        if numeric.any():
            found = predicate(values if numeric.all() else values[numeric])
            held[numeric] = found  # comparing numbers with text gives one value for all rows
        for place, domain in enumerate(self.parameter.domains):
            if isinstance(domain, Categorical):
                rows = np.flatnonzero(ids == place)
                meets = np.array([bool(predicate(choice)) for choice in domain.choices])
                held[rows] = meets[values[rows].astype(np.intp)]
        return held

    def absent(self) -> BoolArray:
        """Return where the parameter is absent."""
        return np.asarray(self.parameter.domain_ids < 0)

    def numbers(self) -> FloatArray | None:
        """Return the values as numbers (NaN: absent), or None if some are not numbers."""
        ids, values = self.parameter.domain_ids, self.parameter.values
        numbers = np.where(ids < 0, np.nan, values.astype(np.float64))
        for place, domain in enumerate(self.parameter.domains):
            if isinstance(domain, Categorical):
                if not all(isinstance(choice, (int, float)) for choice in domain.choices):
                    return None
                rows = np.flatnonzero(ids == place)
                numbers[rows] = np.array(domain.choices, float)[values[rows].astype(np.intp)]
        return numbers


def columns_of(table: TrialTable) -> dict[str, ParameterColumn]:
    """Return the parameters as columns for conditions."""
    return {parameter.name: ParameterColumn(parameter) for parameter in table.parameters}


def with_gates(names: Iterable[str], conditions: Iterable[Condition]) -> tuple[str, ...]:
    """Return parameters together with those that conditions name."""
    gates = (name for condition in conditions for name in condition.names)
    return tuple(dict.fromkeys((*names, *gates)))


def condition_mask(
    batch: Batch, conditions: Sequence[Condition], met: list[int] | None = None
) -> BoolArray | None:
    """Return which trials meet all conditions; None: all.

    The number of trials, and of those that meet the first, the first two … are added to ``met``.
    """
    if met is not None:
        met[0] += len(batch.table)
    if not conditions:
        return None
    columns = columns_of(batch.table)
    rows = np.ones(len(batch.table), dtype=bool)
    for place, condition in enumerate(conditions, 1):
        rows &= condition.holds(columns)
        if met is not None:
            met[place] += int(np.count_nonzero(rows))
    return rows


def intersection(first: BoolArray | None, second: BoolArray | None) -> BoolArray | None:
    """Return where both masks hold; None means everywhere."""
    if first is None or second is None:
        return second if first is None else first
    return first & second


def only_where(table: TrialTable, condition: Condition) -> TrialTable:
    """Return the trials that meet a condition; the table records how many do not."""
    columns = columns_of(table)
    for name in condition.names:
        if name not in columns:
            raise not_found("parameter", name, columns)
    holds = condition.holds(columns)
    met = int(np.count_nonzero(holds))
    if not met:
        raise NoTrialsError(
            f"None of the {len(table)} trials meets the condition {condition.text!r}."
            f"{_unknown_value_hint(table, condition)} Correct where, or leave it out."
        )
    note = f"All trials meet {condition.text}."
    if met < len(table):
        left_out = len(table) - met
        note = f"Only trials with {condition.text}: {left_out} of {len(table)} left out."
    return table.with_selection(condition.text, holds).with_notes([note])


def _unknown_value_hint(table: TrialTable, condition: Condition) -> str:
    """Return a hint at a value in the condition that its parameter never has; empty if none."""
    domains = {parameter.name: parameter.domains for parameter in table.parameters}
    for leaf in condition.leaves():
        if not isinstance(leaf, Comparison | Membership):
            continue
        choices = dict.fromkeys(
            c for d in domains[leaf.name] if isinstance(d, Categorical) for c in d.choices
        )
        only_choices = all(isinstance(domain, Categorical) for domain in domains[leaf.name])
        values = leaf.values if isinstance(leaf, Membership) else (leaf.value,)
        for value in values:
            if only_choices and choices and value not in choices:
                return f" {not_found(f'choice of {leaf.name!r}', value, choices)}"
    return ""


def parse_where(where: object) -> Condition:
    """Return ``where`` as a condition, parsed if it is a text."""
    if isinstance(where, Condition):
        return where
    if not isinstance(where, str):
        raise ConditionError(
            f"where must be a condition such as \"learner == 'svm'\" (got {brief(where)})."
        )
    return Condition.parse(where)
