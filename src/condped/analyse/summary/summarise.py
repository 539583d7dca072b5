"""``condped.summary``: from a source to the study at a glance."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from condped.analyse.effects.trials import STATES, TrialState, value_of
from condped.analyse.evidence.sampling import decided
from condped.analyse.options import open_table
from condped.analyse.summary.history import Course, known
from condped.analyse.summary.outlook import SORTED, outlook_sentence, plateau_sentences
from condped.analyse.summary.result import BestTrial, Durations, StateCounts, Summary
from condped.estimate.settings import Settings
from condped.options import check_options, takes
from condped.read.options import Reading, ReadOptions
from condped.trials.batch import Goal
from condped.trials.course.order import FEWEST, followed_parameter
from condped.trials.table import Objective, TrialTable


@takes(Reading, ReadOptions)
def summary(source: Any, **options: Unpack[Reading]) -> Summary:
    """Sum up a study: its best trial, its history, how trials ended, how long they took.

    Parameters
    ----------
    source
        Anything that :func:`condped.read` takes and that fits into memory.
    **options
        How trials are read, as :func:`condped.read` describes.

    Examples
    --------
    >>> import condped
    >>> trials = {"x": [0.1, 0.7, 0.4, 0.5], "loss": [3.0, 1.0, 2.0, 1.0]}
    >>> found = condped.summary(trials, objective="loss")
    >>> found.best[0].parameters, found.plateau
    ({'x': 0.7}, ('No improvement in the last 2 trials; 2 trials share the best value.',))
    """
    check_options(summary, options)
    return summary_of(open_table("A summary", source, **options))


def summary_of(table: TrialTable) -> Summary:
    """Return the summary of a table."""
    course = Course.of(table)
    any_usable = bool(course.usable.any())
    objectives = table.objectives if any_usable else ()
    progress = tuple(course.progress(objective) for objective in objectives)
    best = tuple(_best(course, objective) for objective in objectives)
    front = course.front() if len(objectives) > 1 else None
    in_order = not any_usable or not course.sorted_by_objective
    adaptive = _sampler_learnt(table) if in_order else None
    history, left_out = course.entries()
    return Summary(
        objectives=tuple(Goal(entry.name, entry.direction) for entry in table.objectives),
        states=_states(course),
        best=best,
        progress=progress,
        front=front,
        durations=_durations(course),
        history=history,
        history_left_out=left_out,
        adaptive=adaptive,
        plateau=plateau_sentences(progress, best, front) if in_order else (),
        outlook=outlook_sentence(progress, front, adaptive) if in_order else None,
        notes=(*(() if in_order else (SORTED,)), *map(str, table.notes)),
    )


def _states(course: Course) -> StateCounts:
    counts = np.bincount(course.states, minlength=len(STATES)).tolist()
    return StateCounts(total=len(course.states), **dict(zip(STATES, counts, strict=True)))


def _best(course: Course, objective: Objective) -> BestTrial:
    """Return the first of the best trials; there must be a usable one."""
    losses = np.where(course.usable, objective.losses, np.inf)
    row = int(np.argmin(losses))
    every = course.table.objectives
    return BestTrial(
        objective=objective.name,
        number=int(course.numbers[row]),
        value=float(objective.values[row]),
        values=tuple(float(entry.values[row]) for entry in every),
        parameters={
            parameter.name: value_of(parameter, row)
            for parameter in course.table.parameters
            if parameter.domain_ids[row] >= 0
        },
        shared=int(np.count_nonzero(losses == losses[row])),
        elapsed=known(float(course.elapsed[row])),
    )


def _durations(course: Course) -> Durations | None:
    """Return how long trials took; None if not recorded."""
    rows = np.flatnonzero(np.isfinite(course.durations))
    if not len(rows):
        return None
    taken = course.durations[rows]
    longest = int(np.argmax(taken))
    times = course.table.times
    assert times is not None

    def of(state: TrialState) -> float:
        return float(taken[course.states[rows] == STATES.index(state)].sum())

    both = np.isfinite(times.started).any() and np.isfinite(times.ended).any()
    span = float(np.nanmax(times.ended) - np.nanmin(times.started)) if both else None
    return Durations(
        recorded=len(rows),
        total=float(taken.sum()),
        median=float(np.median(taken)),
        longest=float(taken[longest]),
        longest_number=int(course.numbers[rows[longest]]),
        failed=of("failed"),
        pruned=of("pruned"),
        span=span,
    )


def _sampler_learnt(table: TrialTable) -> bool | None:
    """Return whether the sampler learnt from results; None if unknown.

    A grid is not a sequence of random draws, and too few trials show nothing.
    """
    whole = table.study
    samplers = () if whole.drawing is None else whole.drawing.samplers
    if samplers:
        if any(sampler.kind != "independent" for sampler in samplers):
            return True
        return False if all("random" in s.name.lower() for s in samplers) else None
    if len(whole) < FEWEST or followed_parameter(whole) is not None:
        return None
    return not decided(whole, Settings(), by_loss=False).at_random
