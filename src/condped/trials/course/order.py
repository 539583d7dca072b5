"""What the order of trials shows about how they were drawn: sorted, wandering, or step by step."""

from __future__ import annotations

import math

import numpy as np

from condped.arrays import FloatArray, IntArray
from condped.space.domain import Categorical
from condped.trials.table import Parameter, TrialTable

FEWEST = 20  # trials; the order of fewer is uninformative
_APART = 7  # trials this far apart are related by nothing but a drift
# How much more often the last trial is the nearer one: TPE, too, stays near for a few trials.
_NEARER, _STANDARD_ERRORS = 0.4, 4.0


def followed_parameter(table: TrialTable) -> str | None:
    """Return a parameter whose values are sorted, as in grids and sorted tables; None if none is.

    Each of its values occupies one stretch of the trials, and no value nearly all of them.
    """
    if len(table) < FEWEST:
        return None
    for parameter in table.parameters:
        active = np.asarray(parameter.domain_ids) >= 0
        values = np.asarray(parameter.values)[active]
        if len(values) < FEWEST:
            continue
        changes = np.count_nonzero(np.diff(values))
        sizes = np.unique(values, return_counts=True)[1]
        if changes + 1 == len(sizes) > 1 and sizes.max() <= 0.8 * len(values):
            steps = np.diff(values.astype(np.float64))
            sorted_values = bool((steps >= 0).all() or (steps <= 0).all())
            if sorted_values or (isinstance(parameter.domains[0], Categorical) and changes >= 1):
                return parameter.name
    return None


def wanders(table: TrialTable, losses: FloatArray) -> bool:
    """Return whether trials resemble the one just before, whatever its result was.

    A sampler that learns goes back to good trials; one that wanders stays near where it is.
    """
    trials = len(losses)
    if trials < FEWEST:
        return False
    known = np.where(np.isfinite(losses), losses, np.inf)
    best_before = np.append(np.inf, np.minimum.accumulate(known)[:-1])
    poor = known > best_before  # not a new best: nothing to stay with
    now = np.arange(_APART, trials)
    now = now[poor[now - 1] & poor[now - _APART]]
    if len(now) < FEWEST // 2:
        return False
    return any(_drifts(parameter, now) for parameter in table.parameters)


def _drifts(parameter: Parameter, now: IntArray) -> bool:
    """Return whether the last trial is nearer much more often than an earlier one."""
    active = np.asarray(parameter.domain_ids) >= 0
    now = now[active[now] & active[now - 1] & active[now - _APART]]
    if len(now) < FEWEST // 2:
        return False
    values = np.asarray(parameter.values, dtype=np.float64)
    if isinstance(parameter.domains[0], Categorical):
        near, far = values[now] != values[now - 1], values[now] != values[now - _APART]
        gain = far.astype(np.float64) - near
    else:
        gain = np.sign(
            np.abs(values[now] - values[now - _APART]) - np.abs(values[now] - values[now - 1])
        )
    error = float(gain.std()) / np.sqrt(len(gain))
    return bool(gain.mean() > max(_NEARER, _STANDARD_ERRORS * error))


def resembles_the_last(table: TrialTable) -> bool:
    """Return whether some parameter is nearer to its last value than random draws are."""
    return any(_resemblance(parameter) > _STANDARD_ERRORS for parameter in table.parameters)


def _resemblance(parameter: Parameter) -> float:
    """Return how alike consecutive values are, in standard errors."""
    values = np.asarray(parameter.values, dtype=np.float64)[np.asarray(parameter.domain_ids) >= 0]
    if len(values) < FEWEST:
        return 0.0
    levels, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    if len(levels) < 2:
        return 0.0
    if isinstance(parameter.domains[0], Categorical):
        chance = float(((counts / len(values)) ** 2).sum())
        alike = float(np.mean(places[1:] == places[:-1])) - chance
        return alike / math.sqrt(chance * (1.0 - chance) / (len(values) - 1))
    ranks = (counts.cumsum() - 0.5 * counts)[places]
    ranks = (ranks - ranks.mean()) / ranks.std()
    return float(np.mean(ranks[1:] * ranks[:-1])) * math.sqrt(len(values) - 1)
