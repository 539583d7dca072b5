"""Columns of plain tables whose names say that they are results or records, not parameters."""

from __future__ import annotations

import re

import numpy as np

from condped.trials.columns import Column, NumberColumn

# Names of columns by which tools identify, date and time trials.
_RECORDS = re.compile(
    r"(trial|run|job|task|experiment|config|worker|node|process)_?(id|uuid|number|name|index|hash)"
    r"|id|uuid|pid|hostname|node_ip|index|unnamed:?_?\d+"
    r"|(.*_)?(timestamp|datetime|date|date_time)|created_at|started_at|ended_at|finished_at"
    r"|(.*_)?(start|started|end|ended|finish|finished|complete|completed)_time"
    r"|(.*_)?(fit|score|train|training|eval|evaluation|wall|wallclock|cpu|run|elapsed|total|test"
    r"|inference)_?time(_s|_sec|_seconds|_ms|_total_s|_this_iter_s)?"
    r"|time_(total|this_iter|since_restore)_s|duration(_s|_seconds)?|runtime|elapsed"
    r"|training_iteration|iterations_since_restore|rank_test_.*|split\d+_(test|train)_.*"
    r"|(mean|std)_(test|train|fit|score)_.*"
)
_METRIC = (
    "loss losses acc accuracy auc auroc f1 r2 rmse mse mae mape logloss perplexity precision "
    "recall score error err objective reward bleu rouge iou map regret"
)
_MOSTLY = 0.5  # of the values differ: measured, not set


def is_record(name: str) -> bool:
    """Return whether a column of this name identifies or times trials.

    Examples
    --------
    >>> [is_record(name) for name in ("trial_id", "fit_time", "time_steps", "n_runs")]
    [True, True, False, False]
    """
    return _RECORDS.fullmatch(re.sub(r"[\s.\-/]+", "_", name.lower())) is not None


def is_result(name: str, column: Column) -> bool:
    """Return whether a column has the name of a metric, and numbers that were measured."""
    *_, last = re.split(r"[^a-z0-9]+", name.lower().strip("_@"))
    if last not in _METRIC.split() or not isinstance(column, NumberColumn):
        return False
    values = column.values if column.missing is None else column.values[~column.missing]
    fractions = values.dtype.kind == "f" and bool((values != np.rint(values)).any())
    return fractions and len(np.unique(values)) > _MOSTLY * len(values)
