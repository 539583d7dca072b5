"""The door of the package: every source comes in through :func:`read`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from condped.errors import CondpedError, DataError, SourceError
from condped.read.options import Reading, ReadOptions, check_reading, chosen_objective
from condped.read.registry import reader_for, reader_named, shown_source
from condped.read.table.outside import settle
from condped.space.condition import Condition
from condped.trials.table import TrialTable
from condped.trials.where import only_where


def read(source: Any, **options: Unpack[Reading]) -> TrialTable:
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
    check_reading("read", options)
    return read_table(source, ReadOptions.of(options))


def read_table(source: Any, options: ReadOptions) -> TrialTable:
    """Read trials into memory."""
    asked, condition = options.parameters, options.where
    options = replace(options, parameters=_needed(asked, condition))
    if isinstance(source, TrialTable):
        options.refuse(
            "a TrialTable", "direction", "space", "state", "constraints", "study", "order"
        )
        table = chosen_objective(source, options, "a TrialTable")
    else:
        source = str(source) if isinstance(source, Path) else source
        if isinstance(source, str) and source.startswith("~"):
            source = str(Path(source).expanduser())
        table = _read_by(options.reader, source, options)
    if options.failure_values:
        table = table.with_failures(options.failure_values)
    if options.outside != "error":  # values outside have been refused otherwise
        table = settle(table, options.outside)
    if condition is not None:
        table = only_where(table, condition)
    if asked is None:
        return table
    return replace(table.with_parameters(asked), some_parameters=True)


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
