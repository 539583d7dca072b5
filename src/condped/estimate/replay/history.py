"""What a sampler knew when it drew each trial: earlier trials, split into good and bad as TPE does.

The split depends on objective values and times alone, so that it is the same in every replay.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from condped.arrays import BoolArray, FloatArray, IntArray
from condped.trials.pareto import pareto_positions

_LAST = 25  # the good set's largest size, and how many trials keep their full weight


@dataclass(frozen=True, slots=True, eq=False)
class TrialEndings:
    """How N trials ended, as a sampler sees it.

    Attributes
    ----------
    losses
        (trials, objectives): lower is better.
    complete, pruned
        (trials,): trials in neither are ignored once they have ended.
    steps, last_losses
        (trials,): the last step that a pruned trial reached, and its loss there; NaN: none.
    violation
        (trials,): by how much constraints are violated.
    started, finished
        (trials,): times; None: one after the other.
    """

    losses: FloatArray
    complete: BoolArray
    pruned: BoolArray
    steps: FloatArray
    last_losses: FloatArray
    violation: FloatArray
    started: FloatArray | None
    finished: FloatArray | None


@dataclass(frozen=True, slots=True, eq=False)
class History:
    """For each of N trials, which of them the sampler had seen.

    Attributes
    ----------
    finished
        (N,): how many trials had ended when each was drawn.
    good, bad
        (N, N): by trial, which others were in the good and in the bad set.
    equal_weights
        Whether trials of the good set do not fade with age (several objectives).
    """

    finished: IntArray
    good: BoolArray
    bad: BoolArray
    equal_weights: bool


def history_of(ended: TrialEndings, *, constant_liar: bool) -> History:
    """Split the trials before each one; with a constant liar, running ones are bad."""
    trials, objectives = ended.losses.shape
    seen = ended.complete | ended.pruned
    finished, running = _known_when_drawn(ended, seen)
    rank = _ranks(ended)
    sizes = finished.sum(axis=1)
    good = np.zeros((trials, trials), dtype=bool)
    feasible = ended.complete & (ended.violation <= 0)
    for trial in range(trials):
        past = np.flatnonzero(finished[trial])
        size = math.ceil(0.1 * len(past))
        if objectives == 1:
            size = min(size, _LAST)
            good[trial, past[np.argsort(rank[past], kind="stable")[:size]]] = True
        else:
            good[trial, _good_by_front(past, ended.losses, rank, feasible, size)] = True
    bad = finished & ~good
    if constant_liar:
        bad |= running
    return History(sizes, good, bad, equal_weights=objectives > 1)


def _known_when_drawn(ended: TrialEndings, seen: BoolArray) -> tuple[BoolArray, BoolArray]:
    """Return (N, N): which trials had finished, and which were running, when each was drawn."""
    number = np.arange(len(seen))
    earlier = number[None, :] < number[:, None]
    if ended.started is None or ended.finished is None:
        return earlier & seen, np.zeros_like(earlier)
    known = np.isfinite(ended.started)[:, None] & np.isfinite(ended.finished)
    # Without times, trials with a result had it when a later one was drawn; the rest were running.
    done = np.where(known, ended.finished <= ended.started[:, None], seen) & earlier
    return done & seen, earlier & ~done


def _ranks(ended: TrialEndings) -> IntArray:
    """Return (N,): complete trials by loss, then pruned ones by progress, then infeasible ones."""
    trials = len(ended.complete)
    infeasible = ended.violation > 0
    group = np.where(infeasible, 2, np.where(ended.complete, 0, 1))
    no_step = np.isnan(ended.steps)
    reached = np.where(no_step, 1.0, -np.where(no_step, 0.0, ended.steps))
    lasts = np.where(no_step, 0.0, np.where(np.isnan(ended.last_losses), np.inf, ended.last_losses))
    first = np.where(group == 0, 0.0, reached)
    second = np.where(group == 0, ended.losses[:, 0], lasts)
    first = np.where(infeasible, ended.violation, first)
    second = np.where(infeasible, 0.0, second)
    order = np.lexsort((np.arange(trials), second, first, group))
    ranks = np.empty(trials, dtype=np.int64)
    ranks[order] = np.arange(trials)
    return ranks


def _good_by_front(
    past: IntArray, losses: FloatArray, rank: IntArray, feasible: BoolArray, size: int
) -> IntArray:
    """Return the good trials of several objectives: by front and hypervolume, then by rank."""
    whole = past[feasible[past] & np.isfinite(losses[past]).all(axis=1)]
    others = np.setdiff1d(past, whole)
    if 0 < size < len(whole):
        return np.asarray(whole[pareto_positions(losses[whole], [size]) < size])
    rest = others[np.argsort(rank[others], kind="stable")[: max(size - len(whole), 0)]]
    return np.concatenate([whole[:size], rest])


def fading_weights(trials: int) -> FloatArray:
    """Return how much each trial counts in a density, the oldest first."""
    if trials < _LAST:
        return np.ones(trials)
    return np.append(np.linspace(1.0 / trials, 1.0, trials - _LAST), np.ones(_LAST))
