"""The door of the package: every source comes in through :func:`read`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy.typing as npt

from condped.errors import SettingsError
from condped.read.options import ReadOptions, chosen_objective
from condped.read.registry import reader_for
from condped.trials import TrialTable


def read(
    source: Any,
    *,
    objective: str | int | Sequence[str] | None = None,
    direction: str | Sequence[str] | None = None,
    space: Any = None,
    loss: npt.ArrayLike | Callable[[Any], float] | None = None,
    state: str | None = None,
    constraints: Sequence[str] | None = None,
    parameters: Sequence[str] | None = None,
    study: str | None = None,
) -> TrialTable:
    """Read trials from a source.

    Parameters
    ----------
    source
        An Optuna study, the URL or path of its SQLite file, a dataframe (pandas, Polars,
        pyarrow), a mapping of arrays, the path of a CSV or Parquet file, or a TrialTable. Tables
        have one row per trial; a missing value means that the parameter was inactive.
    objective
        The objective's column, or a list of several. Where the source knows its objectives
        (a study, a TrialTable): the name or position of the one to use.
    direction
        ``minimize`` (default) or ``maximize``; a list for several objectives.
    space
        The domains: a Space, plain data, or the path of a JSON file. Inferred if not given.
    loss
        Numbers to minimise in place of the objective, one per trial. For a study also a function
        of a trial.
    state
        Column with the trials' states (complete, pruned, failed, running).
    constraints
        Columns of constraint values; a trial is infeasible where one is above 0.
    parameters
        Use these parameters only.
    study
        The name of the study, for a storage that holds several.

    Examples
    --------
    >>> trials = {"loss": [0.3, 0.1, 0.2], "lr": [0.1, 0.01, 0.02], "momentum": [0.9, None, 0.8]}
    >>> space = {"lr": {"type": "float", "low": 0.001, "high": 1, "log": True},
    ...          "momentum": {"type": "float", "low": 0, "high": 1}}
    >>> table = read(trials, objective="loss", space=space)
    >>> table.names, len(table)
    (('lr', 'momentum'), 3)
    """
    if parameters is not None and (
        isinstance(parameters, str)
        or not isinstance(parameters, Sequence)
        or not all(isinstance(name, str) for name in parameters)
    ):
        raise SettingsError(f"parameters must be a list of names (got {parameters!r}).")
    options = ReadOptions(objective, direction, space, loss, state, constraints, parameters, study)
    if isinstance(source, TrialTable):
        options.refuse("a TrialTable", "direction", "space", "state", "constraints", "study")
        table = chosen_objective(source, options, "a TrialTable")
    else:
        source = str(source) if isinstance(source, Path) else source
        table = reader_for(source).load()(source, options)
    return table if parameters is None else table.with_parameters(parameters)
