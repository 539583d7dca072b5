"""Tables of tools that record their objectives and domains themselves."""

from __future__ import annotations

from condped.read.options import ReadOptions, chosen_objective
from condped.read.table.outside_domain import apply_outside_policy
from condped.trials.table import TrialTable


def recorded_table(table: TrialTable, options: ReadOptions, source: str) -> TrialTable:
    """Return the table with what the caller wants explained, its values inside their domains."""
    table = chosen_objective(table, options, source)
    return apply_outside_policy(table, "error") if options.outside == "error" else table
