"""Reading: from any source to trials."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

if TYPE_CHECKING:
    from condped.read.options import Reading
    from condped.trials.table import TrialTable

__all__ = ["read"]


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
        (a study, a TrialTable): the name or position of the one to use, or the name of something
        else that it records: a metric, a user attribute, ``"duration"`` (seconds).
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
    ignore
        Nuisance parameters that are left out, such as a seed. The notes name them, and conditions
        may still use them.
    groups
        Parameters that are explained together, as one:
        ``{"architecture": ["layers", "units"]}``. The values of a group are joint cells of its
        members. Needs ``method="calibrated"`` and trials in memory.
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
        Whether to skip lines that cannot be read; they are counted in the notes.
    reader
        The name of the reader to use (``condped sources`` lists them); detected if not given.
    where
        Only trials that meet this condition on their parameters, such as
        ``"learner == 'svm' and depth > 3"``; a comparison with an absent parameter does not hold.
        The notes say how many trials were left out.
    order
        Column of a table with the place of each trial in time, such as its number; the order of
        the rows if not given.
    engine
        Here "memory". Where trials are only counted (``importance``, ``sweep``, ``branches``,
        ``report``) also "stream": in batches, in as much memory as a few of them take; and "auto"
        (default): in batches for tables of databases and clusters, for lazy frames whose space is
        given, and for files that are larger than an eighth of the machine's memory.
    backend
        The database or cluster in which the source is the name of a table:
        ``duckdb://runs.duckdb``, ``postgres://…``, ``spark://…``.

    Examples
    --------
    >>> trials = {"loss": [0.3, 0.1, 0.2], "lr": [0.1, 0.01, 0.02], "momentum": [0.9, None, 0.8]}
    >>> space = {"lr": {"type": "float", "low": 0.001, "high": 1, "log": True},
    ...          "momentum": {"type": "float", "low": 0, "high": 1}}
    >>> table = read(trials, objective="loss", space=space)
    >>> table.names, len(table)
    (('lr', 'momentum'), 3)
    """
    # Loaded here, so that importing condped costs next to nothing.
    from condped.read.opening import read_whole  # noqa: PLC0415

    return read_whole(source, options)
