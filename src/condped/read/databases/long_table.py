"""Long tables: one row per trial and active parameter, as experiment databases keep them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class LongTable:
    """A table with one row for each parameter that is active in a trial.

    Attributes
    ----------
    rows
        An Ibis table with the columns named below. A parameter without a row in a trial is absent
        from it.
    trials
        An Ibis table with one row per trial: objective, state, constraints, order. None: these are
        columns of ``rows``, the same in all rows of a trial.
    trial, parameter, value
        Names of the columns. A numeric value of a categorical is the position of the choice, a
        text the choice itself; a text may spell a number.
    domain
        Name of the column that records the domain of each value, as JSON: that of a space file, or
        Optuna's. Not needed where a space is given.

    Examples
    --------
    >>> import condped, ibis, pyarrow
    >>> columns = {"trial": [0, 1], "parameter": ["x", "x"], "value": [0.2, 0.7], "loss": [2, 1]}
    >>> space = {"x": {"type": "float", "low": 0, "high": 1}}
    >>> rows = ibis.duckdb.connect().create_table("rows", pyarrow.table(columns))
    >>> long = LongTable(rows)
    >>> condped.importance(long, objective="loss", space=space).account.trials.used
    2
    """

    rows: Any
    trials: Any = None
    trial: str = "trial"
    parameter: str = "parameter"
    value: str = "value"
    domain: str = "domain"
