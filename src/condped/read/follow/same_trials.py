"""Whether two tables hold the same trials."""

from __future__ import annotations

import numpy as np

from condped.arrays import FloatArray
from condped.trials.table import ABSENT, Parameter, TrialTable


def same_trials(one: TrialTable, other: TrialTable) -> bool:
    """Return whether two tables of one source hold the same trials, column by column."""
    if one is other:
        return True
    return (
        len(one) == len(other)
        and one.names == other.names
        and [(o.name, o.direction) for o in one.objectives]
        == [(o.name, o.direction) for o in other.objectives]
        and bool(np.array_equal(one.states, other.states))
        and all(
            _equal(mine.values, theirs.values)
            for mine, theirs in zip(one.objectives, other.objectives, strict=True)
        )
        and all(map(_same_parameter, one.parameters, other.parameters))
        and _equal(one.violations, other.violations)
        and [str(note) for note in one.notes] == [str(note) for note in other.notes]
        and _same_times(one, other)
    )


def _same_parameter(one: Parameter, other: Parameter) -> bool:
    there = one.domain_ids != ABSENT
    return (
        one.domains == other.domains
        and bool(np.array_equal(one.domain_ids, other.domain_ids))
        and bool(np.array_equal(one.values[there], other.values[there]))
    )


def _same_times(one: TrialTable, other: TrialTable) -> bool:
    if one.times is None or other.times is None:
        return one.times is other.times
    return _equal(one.times.ended, other.times.ended) and _equal(
        one.times.started, other.times.started
    )


def _equal(one: FloatArray | None, other: FloatArray | None) -> bool:
    if one is None or other is None:
        return one is other
    return bool(np.array_equal(one, other, equal_nan=True))
