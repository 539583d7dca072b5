"""``cv_results_``: scores, fits that failed, times, and the budgets of halving searches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from condped.arrays import FloatArray, IntArray
from condped.errors import not_found
from condped.read.options import ReadOptions
from condped.read.seconds import seconds_of_column
from condped.read.table.raw import RawRuns, RawTable
from condped.read.table.state_words import state_array
from condped.read.tools.budgets import at_one_budget
from condped.trials.columns import Column, LevelColumn, NumberColumn
from condped.trials.course.reports import Reports
from condped.trials.course.times import Times
from condped.trials.table import State

SOURCE = "the results of a scikit-learn search"
MEAN = "mean_test_"
BUDGET, ITERATION = "n_resources", "iter"
_HIGHER = re.compile(r"(mean|split\d+)_(test|train)_")  # better when higher
_LOWER = re.compile(r"rank_test_")


def is_halving(names: Sequence[str]) -> bool:
    """Return whether the results are of a halving search."""
    return BUDGET in names and ITERATION in names


def scored(runs: RawRuns, options: ReadOptions, searched: str | None = None) -> RawRuns:
    """Return the rows of ``cv_results_`` as trials, interpreting their columns.

    A score counts by its mean over the splits, which is better when higher; ``f1`` is short for
    ``mean_test_f1``. ``searched`` is the score by which the best candidate was chosen. A candidate
    without a score failed. Of a halving search, the candidates at one budget are compared.
    """
    metrics = _with_short_names(runs.metrics)
    means = [name for name in metrics.names if name.startswith(MEAN)]
    chosen = options.objective
    if chosen is not None:
        listed = [chosen] if isinstance(chosen, str) else chosen
        named = [n for n in listed if isinstance(n, str)] if isinstance(listed, Sequence) else []
    else:  # with several scores, the one searched for must be known
        named = [searched] if searched in means else means if len(means) == 1 else []
    known = {name: _direction(name, metrics.names) for name in named}
    objectives = [name for name in named if known[name] is not None]
    found = replace(
        runs,
        metrics=metrics,
        objectives=tuple(objectives),
        directions=tuple(str(known[name]) for name in objectives),
        states=_states(runs, metrics, [n for n in objectives if known[n] == "maximize"] or means),
    )
    return _at_one_budget(found, options) if is_halving(metrics.names) else found


def times_of(raw: RawTable) -> Times | None:
    """Return how long each candidate took to fit and to score, the mean over the splits."""
    parts = [name for name in ("mean_fit_time", "mean_score_time") if name in raw.names]
    if not parts:
        return None

    def look_up() -> Times:
        nothing = np.full(raw.rows, np.nan)
        known = [seconds_of_column(raw[name]) for name in parts]
        return Times(nothing, nothing, np.sum([n for n in known if n is not None], axis=0))

    return Times.deferred(look_up)


def _with_short_names(metrics: RawTable) -> RawTable:
    """Return the metrics, mean scores first, and last their short names."""
    means = [name for name in metrics.names if name.startswith(MEAN)]
    others = [name for name in metrics.names if not name.startswith(MEAN)]
    known = set(metrics.names)
    short = {name.removeprefix(MEAN): name for name in means}
    free = {name: full for name, full in short.items() if name not in known}
    return RawTable(
        (*means, *others, *free), metrics.rows, lambda name: metrics[free.get(name, name)]
    )


def _direction(name: str, names: Sequence[str]) -> str | None:
    if _HIGHER.match(name) or (MEAN + name in names):
        return "maximize"
    return "minimize" if _LOWER.match(name) else None


def _states(runs: RawRuns, metrics: RawTable, scores: Sequence[str]) -> np.ndarray:
    """Return the states: failed where all of these scores are missing."""
    columns = [metrics[name] for name in scores if name in metrics.names]
    numbers = [column for column in columns if isinstance(column, NumberColumn)]
    states = state_array(runs.states, metrics.rows)
    if not numbers or len(numbers) < len(columns):
        return states
    failed = np.all([column.absent() for column in numbers], axis=0)
    if not failed.any():
        return states
    return np.where(failed, np.int8(State.FAILED), states)


def _at_one_budget(runs: RawRuns, options: ReadOptions) -> RawRuns:
    budgets = runs.metrics.numbers("budget", BUDGET)
    # The resource may be a parameter of the estimator, which is then not searched.
    resource = [n for n in runs.parameters.names if _is(runs.parameters[n], budgets)]
    parameters = runs.parameters.without(resource)
    candidates = _candidates(parameters)
    unit = resource[0] if resource else BUDGET
    rows, notes = at_one_budget(budgets, candidates, options, unit)
    reports = None
    if options.reports:
        reports = Reports.of(
            int(candidates.max()) + 1,
            zip(candidates, budgets, runs.metrics.numbers("objective", _one(runs)), strict=True),
        ).only(candidates[rows])
    return replace(
        runs,
        parameters=parameters.only(rows),
        metrics=runs.metrics.only(rows),
        states=state_array(runs.states, len(rows))[rows],
        notes=(*runs.notes, *notes),
        times=None if runs.times is None else runs.times.only(rows),
        reports=reports,
    )


def _one(runs: RawRuns) -> str:
    if not runs.objectives:
        raise not_found("objective with several budgets", "", runs.metrics.names)
    return runs.objectives[0]


def _is(column: Column, budgets: FloatArray) -> bool:
    return isinstance(column, NumberColumn) and np.array_equal(column.numbers(), budgets)


def _candidates(parameters: RawTable) -> IntArray:
    """Return a number for each row, the same for equal values of all parameters."""

    def codes() -> Iterator[IntArray]:
        for name in parameters.names:
            column = parameters[name]
            if isinstance(column, LevelColumn):
                yield column.codes
            elif isinstance(column, NumberColumn):
                yield np.unique(column.numbers(), return_inverse=True)[1]

    listed = [*codes(), np.zeros(parameters.rows, np.int64)]
    numbers: IntArray = np.unique(np.column_stack(listed), axis=0, return_inverse=True)[1]
    return numbers.reshape(-1)
