"""Trials that repeat a configuration: seeds, folds, budgets, or a sampler that repeats itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from condped.arrays import BoolArray, IntArray
from condped.space.domain import Float
from condped.trials.table import State, TrialTable

# Any odd multipliers do: they mix the bits so that different configurations get different numbers.
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SHIFT = np.uint64(29)
_MANY = 0.1  # of all trials
_MOST = 0.9  # of all configurations


def configurations(table: TrialTable, extra: npt.NDArray[np.generic] | None = None) -> IntArray:
    """Return (trials,): the same number for trials with the same values, absence included.

    ``extra``, (trials,), is compared as well.
    """
    mixed = np.zeros(len(table), dtype=np.uint64)
    columns: list[npt.NDArray[np.generic]] = [] if extra is None else [extra]
    for parameter in table.recorded:
        absent = np.asarray(parameter.domain_ids) < 0
        columns += [np.where(absent, 0, parameter.values), parameter.domain_ids]
    for column in columns:
        bits = np.ascontiguousarray(column, dtype=np.float64) + 0.0  # one zero, not two
        mixed = (mixed ^ bits.view(np.uint64)) * _FIRST
        mixed = (mixed ^ (mixed >> _SHIFT)) * _SECOND
        mixed ^= mixed >> _SHIFT
    return np.asarray(np.unique(mixed, return_inverse=True)[1])


def _all_differ(table: TrialTable) -> bool:
    """Return whether one parameter alone shows that no trial repeats a configuration."""
    for parameter in table.recorded:
        if parameter.everywhere:
            ascending = np.sort(parameter.values)
            if not (ascending[1:] == ascending[:-1]).any():
                return True
    return False


def repeating(table: TrialTable) -> int:
    """Return how many finished trials repeat the configuration of an earlier one."""
    if _all_differ(table):
        return 0
    ids = configurations(table)[_measured(table)]
    return len(ids) - len(np.unique(ids))


def repeats_by_design(table: TrialTable) -> bool:
    """Return whether many trials repeat a configuration that no sampler would draw twice.

    Two draws of a continuous number are never the same. Those of choices and integers may be: they
    count as design if nearly every configuration is repeated, and equally often.
    """
    if table.some_parameters or not table.parameters or _all_differ(table):
        return False
    measured = np.flatnonzero(_measured(table))
    ids, times = np.unique(
        configurations(table)[measured], return_inverse=True, return_counts=True
    )[1:]
    again = times[ids] > 1
    if len(measured) - len(times) <= _MANY * len(table):
        return False
    continuous = np.zeros(len(measured), dtype=bool)
    for parameter in table.recorded:
        kinds = [
            isinstance(d, Float) and d.step is None and not d.single for d in parameter.domains
        ]
        own = np.asarray(parameter.domain_ids)[measured]
        continuous |= np.append(kinds, False)[own]
    # Draws that coincide by chance do so unequally often.
    evenly = (times > 1).mean() > _MOST and times.var() < times.mean() / 2
    return bool(2 * continuous[again].mean() > 1 or evenly)


def remark_on_repeats(table: TrialTable) -> str:
    """Return a remark on trials that repeat a configuration; empty if few do, or if unknown."""
    if table.some_parameters or not table.parameters:
        return ""
    repeats = repeating(table)
    if repeats <= _MANY * len(table):
        return ""
    return f"{repeats} of {len(table)} trials repeat a configuration; the test " + (
        "merges them." if repeats_by_design(table) else "counts them as independent."
    )


def merged(table: TrialTable) -> TrialTable:
    """Return the table with one trial per configuration, at its first position in time.

    Its objectives are means over the finished trials; trials that did not finish with a number
    stay as they are, and feasible and infeasible ones are kept apart.
    """
    measured = np.flatnonzero(_measured(table))
    ids = configurations(table, table.infeasible)[measured]
    _, first, group = np.unique(ids, return_index=True, return_inverse=True)
    if len(first) == len(measured):
        return table
    times = np.bincount(group)
    kept = np.ones(len(table), dtype=bool)
    kept[measured] = False
    kept[measured[first]] = True
    objectives = []
    for objective in table.objectives:
        values = objective.values.copy()
        values[measured[first]] = np.bincount(group, objective.values[measured]) / times
        objectives.append(replace(objective, values=values))
    return replace(table, objectives=tuple(objectives)).only(kept)


def _measured(table: TrialTable) -> BoolArray:
    return np.asarray((table.states == State.COMPLETE) & table.finite)
