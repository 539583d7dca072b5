"""Configurations that were measured at several budgets: which of them can be compared."""

from __future__ import annotations

import math

import numpy as np

from condped.arrays import BoolArray, FloatArray, IntArray
from condped.errors import SettingsError
from condped.read.options import ReadOptions
from condped.trials.notes import Caution


def at_one_budget(
    budgets: FloatArray, configurations: IntArray, options: ReadOptions, unit: str
) -> tuple[BoolArray, tuple[str, ...]]:
    """Return which measurements to compare, one per configuration, and notes for the user.

    Parameters
    ----------
    budgets, configurations
        (measurements,): the budget of each, and the number of its configuration; NaN where no
        budget is recorded. Of several measurements at one budget the first counts.
    options
        With the requested budget. The default is the one at which most configurations were
        measured, the highest of these: results at different budgets cannot be ranked together,
        and fewer configurations reach high ones. If budgets are compared with each other, all
        configurations count.
    unit
        What a budget is, such as ``epochs``.

    Examples
    --------
    >>> rows, (note,) = at_one_budget(
    ...     np.array([1.0, 1.0, 3.0]), np.array([0, 1, 1]), ReadOptions(), "epochs"
    ... )
    >>> rows
    array([ True,  True, False])
    """
    if options.reports:
        return _first_of_each(configurations, np.ones(len(budgets), bool)), ()
    given = options.budget
    pairs = np.unique(np.column_stack([budgets, configurations])[~np.isnan(budgets)], axis=0)
    known, counts = np.unique(pairs[:, 0], return_counts=True)
    if not known.size:
        if given is None:
            return np.ones(len(budgets), bool), ()
        raise SettingsError(f"There are no measurements at budget {given:g}: none are recorded.")
    listed = ", ".join(f"{n} at {b:.10g}" for b, n in zip(known, counts, strict=True))
    if given is None:
        chosen = float(known[counts == counts.max()][-1])
    else:
        near = [float(b) for b in known if math.isclose(b, given, rel_tol=1e-6)]
        if not near:
            raise SettingsError(
                f"There are no measurements at budget {given:g}. Available (configurations at "
                f"each): {listed}."
            )
        chosen = near[0]
    rows = _first_of_each(configurations, budgets == chosen)
    if len(known) == 1:
        return rows, ()
    left_out = len(rows) - int(np.count_nonzero(rows))
    others = len(np.unique(configurations)) - int(np.count_nonzero(rows))
    missing = f"; {others} configurations have none there and are left out" if others else ""
    other = float(known[-1] if chosen != known[-1] else known[0])
    note = (
        f"Configurations were measured at several budgets ({unit}: {listed}). Only measurements "
        f"at {chosen:.10g} are compared{missing}; {left_out} of {len(rows)} measurements do not "
        f"count. To compare at another budget, set budget (--budget {other:.10g})."
    )
    return rows, (Caution(note) if given is None else note,)


def _first_of_each(configurations: IntArray, among: BoolArray) -> BoolArray:
    """Return the first measurement of each configuration among these."""
    there = np.flatnonzero(among)
    rows = np.zeros(len(configurations), bool)
    rows[there[np.unique(configurations[there], return_index=True)[1]]] = True
    return rows
