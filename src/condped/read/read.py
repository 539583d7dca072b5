"""The door of the package: every source comes in through :func:`read`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from numbers import Real
from pathlib import Path
from typing import Any

import numpy.typing as npt

from condped.errors import CondpedError, DataError, SettingsError, SourceError
from condped.read.options import ReadOptions, checked_budget, chosen_objective
from condped.read.registry import reader_for, reader_named, shown_source
from condped.read.spaces import load_space
from condped.read.table.outside import check_way, settle
from condped.space.condition import Condition
from condped.trials.table import TrialTable
from condped.trials.where import only_where, parsed


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
    budget: float | str | None = None,
    failure_values: Sequence[float] | None = None,
    outside: str = "error",
    skip_corrupt: bool = False,
    reader: str | None = None,
    where: str | Condition | None = None,
    order: str | None = None,
) -> TrialTable:
    """Read trials from a source.

    Parameters
    ----------
    source
        A study, storage, experiment, dataframe, file or directory of any tool that
        ``condped sources`` lists, or a TrialTable. Tables have one row per trial; a missing
        value means that the parameter was inactive.
    objective
        The objective's column, or a list of several. Where the source knows its objectives
        (a study, a TrialTable): the name or position of the one to use.
    direction
        ``minimize`` (default) or ``maximize``; a list for several objectives.
    space
        The domains: a Space, plain data, the path of a JSON file, or the space of a tool
        (ConfigSpace, Ray Tune, Hyperopt). Where a source records its domains these are used,
        otherwise they are inferred if not given.
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
        The name of the study or experiment, for a source that holds several.
    budget
        For a source that evaluates one configuration with several budgets: the budget to use,
        or "highest" (default), each configuration's highest.
    failure_values
        Values of the objective that a tool writes for failed trials, such as 2147483647.
    outside
        What to do with numbers outside their domains: "error" (default), "nearest" to count
        them in the nearest cell, "drop" to leave their trials out.
    skip_corrupt
        Whether to pass over lines that cannot be read; they are counted in the notes.
    reader
        The name of the reader to use (``condped sources`` lists them). Found if not given.
    where
        Only trials that meet this condition on their parameters, such as
        ``"learner == 'svm' and depth > 3"``; a comparison with an absent parameter does not hold.
        The notes say how many others there were.
    order
        Column of a table with the place of each trial in time, such as its number. The rows are
        taken in their own order if not given.

    Examples
    --------
    >>> trials = {"loss": [0.3, 0.1, 0.2], "lr": [0.1, 0.01, 0.02], "momentum": [0.9, None, 0.8]}
    >>> space = {"lr": {"type": "float", "low": 0.001, "high": 1, "log": True},
    ...          "momentum": {"type": "float", "low": 0, "high": 1}}
    >>> table = read(trials, objective="loss", space=space)
    >>> table.names, len(table)
    (('lr', 'momentum'), 3)
    """
    check_parameters(parameters)
    check_way(outside)
    condition = None if where is None else parsed(where)
    if reader is not None and not isinstance(reader, str):
        raise SettingsError(f"reader must be a name (got {reader!r}).")
    options = ReadOptions(
        objective=objective,
        direction=direction,
        space=None if space is None else load_space(space),
        loss=loss,
        state=state,
        constraints=constraints,
        parameters=_needed(parameters, condition),
        study=study,
        budget=checked_budget(budget),
        outside=outside,
        skip_corrupt=skip_corrupt,
        order=order,
    )
    if isinstance(source, TrialTable):
        options.refuse(
            "a TrialTable", "direction", "space", "state", "constraints", "study", "order"
        )
        table = chosen_objective(source, options, "a TrialTable")
    else:
        source = str(source) if isinstance(source, Path) else source
        if isinstance(source, str) and source.startswith("~"):
            source = str(Path(source).expanduser())
        table = _read_by(reader, source, options)
    if failure_values is not None:
        table = table.with_failures(numbers_of("failure_values", failure_values))
    if outside != "error":  # values outside have been refused otherwise
        table = settle(table, outside)
    if condition is not None:
        table = only_where(table, condition)
    if parameters is None:
        return table
    return replace(table.with_parameters(parameters), some_parameters=True)


def _needed(parameters: Sequence[str] | None, where: Condition | None) -> Sequence[str] | None:
    """Return the parameters to read: those that are wanted, and those that the condition names."""
    if parameters is None or where is None:
        return parameters
    return tuple(dict.fromkeys((*parameters, *where.names)))


def _read_by(name: str | None, source: Any, options: ReadOptions) -> TrialTable:
    """Let the reader that recognises a source read it, or the one that the caller named."""
    reader = reader_for(source) if name is None else reader_named(name)
    function = reader.load()
    try:
        return function(source, options)
    except CondpedError:
        raise
    except (ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError) as error:
        if name is None and not isinstance(source, str):
            raise  # such as what the user's own function raised
        what = f"({type(error).__name__}: {' '.join(str(error).split())})"
        if name is not None:
            raise SourceError(
                f"The reader {name!r} cannot read {shown_source(source)} {what}: it reads "
                f"{reader.description}."
            ) from error
        raise DataError(
            f"{shown_source(source)} cannot be understood by the reader {reader.name!r} {what}. "
            "It may be damaged; if it is not, please report this."
        ) from error


def check_parameters(parameters: object) -> None:
    """Refuse what is no list of names."""
    if parameters is not None and (
        isinstance(parameters, str)
        or not isinstance(parameters, Sequence)
        or not all(isinstance(name, str) for name in parameters)
    ):
        raise SettingsError(f"parameters must be a list of names (got {parameters!r}).")


def numbers_of(option: str, given: Any) -> list[float]:
    """Return the number or numbers that an option was given."""
    entries = [given] if isinstance(given, Real) else given
    if not isinstance(entries, Sequence) or not all(
        isinstance(entry, Real) and not isinstance(entry, bool) for entry in entries
    ):
        raise SettingsError(f"{option} must be a list of numbers (got {given!r}).")
    return [float(entry) for entry in entries]
