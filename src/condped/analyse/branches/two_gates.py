"""Two gates of one parameter, inferred from the trials: ``a == 'x' and b == 'y'``.

The first gate determines the parameter for some of its values and leaves it open for the rest;
among the trials of the rest the second must explain it completely. Both must be unlikely by chance,
so small studies have no such gates.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from condped.analyse.branches.discover import (
    ALPHA,
    UNKNOWN,
    Explanation,
    Regimes,
    explained_by_one,
    fits,
    log_multinomial,
)
from condped.arrays import BoolArray, IdArray, IntArray, ValueArray
from condped.estimate.statistics.log_choose import log_choose
from condped.trials.table import ABSENT

# Trials for which the first gate must determine the label, and that each label must have elsewhere.
_FEWEST = 5
# Trials to check first, for whether a gate determines anything.
_FIRST_LOOK = 4096


@dataclass(frozen=True, slots=True, eq=False)
class _Split:
    """Where a first gate leaves the label open, and the log of the chance of so small a rest."""

    rest: BoolArray  # (trials,)
    leaves: int  # of the first gate, outside the rest
    log_p: float


def explained_by_two(
    parameters: Sequence[Regimes], labels: IdArray, own: Collection[int]
) -> list[Explanation]:
    """Return pairs of gates that explain labels; ``own`` are the parameters that have them."""
    others = [place for place in range(len(parameters)) if place not in own]
    if len(others) < 2:
        return []
    alpha = ALPHA / len(others)
    few = slice(None, None, max(1, len(labels) // _FIRST_LOOK))
    found: list[Explanation] = []
    for place in others:
        first = parameters[place]
        if not any(s.log_p < math.log(alpha) for s in _splits(first.taken(few), labels[few])):
            continue
        for split in sorted(_splits(first, labels), key=lambda split: split.log_p):
            if split.log_p >= math.log(alpha) or not _has_enough_trials(labels, split.rest, first):
                continue
            seconds = [one for one in others if one != place]
            inside = [parameters[one].taken(split.rest) for one in seconds]
            (explained,) = explained_by_one(inside, labels[split.rest][None], alpha)
            for one in explained:
                second = seconds[one.gates[0]]
                rest = _extend_rest(first, parameters[second], labels, split.rest)
                leaves, log_p = split.leaves + one.leaves, split.log_p + one.log_p
                found.append(Explanation((place, second), leaves, log_p, labels, rest))
    return found


def _has_enough_trials(labels: IdArray, rest: BoolArray, first: Regimes) -> bool:
    """Return whether enough trials are on both sides of a split."""
    known = labels != UNKNOWN
    outside = np.count_nonzero(known & ~rest & (first.labels >= 0))
    counts = np.unique(labels[rest & known], return_counts=True)[1]
    return bool(outside >= _FEWEST and len(counts) > 1 and (counts >= _FEWEST).all())


def _extend_rest(first: Regimes, second: Regimes, labels: IdArray, rest: BoolArray) -> BoolArray:
    """Extend the rest to all values where the parameter is active, if the second gate fits them.

    ``a in ['x', 'z'] and b == 'y'`` is simpler than ``a == 'z' or a == 'x' and b == 'y'``.
    """
    known = labels != UNKNOWN
    active = np.unique(first.values[known & ~rest & (labels >= 0) & (first.labels >= 0)])
    if not active.size or not first.categorical[first.labels.max()]:
        return rest
    wider = rest | ((first.labels >= 0) & np.isin(first.values, active))
    rows = np.flatnonzero(wider & known)
    runs = np.array([2 * len(np.unique(labels[rows]))])
    return wider if fits(second.taken(rows), labels[None, rows], runs)[0] else rest


def _splits(gate: Regimes, labels: IdArray) -> Iterator[_Split]:
    """Iterate over splits in which a gate determines labels for some of its values, not for all."""
    present = gate.labels >= 0
    regimes = np.unique(gate.labels[present])
    known = labels != UNKNOWN
    if len(regimes) != 1 or (labels[gate.labels == ABSENT] >= 0).any():
        return
    rows = np.flatnonzero(present & known)
    values, own = gate.values[rows], labels[rows]
    names = len(np.unique(own))
    if names < 2:
        return
    if gate.categorical[regimes[0]]:
        choices, place = np.unique(values, return_inverse=True)
        lowest = np.full(len(choices), np.iinfo(own.dtype).max, dtype=own.dtype)
        highest = np.full(len(choices), UNKNOWN, dtype=own.dtype)
        np.minimum.at(lowest, place, own)
        np.maximum.at(highest, place, own)
        open_choices = choices[lowest != highest]
        if 0 < len(open_choices) < len(choices):
            rest = present & np.isin(gate.values, open_choices)
            leaves = len(choices) - len(open_choices)
            ways = len(choices) * math.log(names + 1)
            yield _Split(rest, leaves, ways + _log_chance(labels, present, rest))
        return
    order = np.argsort(values, kind="stable")
    low, high = _constant_ends(values[order], own[order])
    for above, below in ((low, None), (None, high), (low, high)):
        ends = (above is not None) + (below is not None)
        if not ends:
            continue
        rest = present.copy()
        if above is not None:
            rest &= gate.values > above
        if below is not None:
            rest &= gate.values < below
        if rest.any():
            ways = ends * math.log(len(rows) * names)
            yield _Split(rest, ends, ways + _log_chance(labels, present, rest))


def _constant_ends(values: ValueArray, labels: IdArray) -> tuple[float | None, float | None]:
    """Return the value up to which, and the one from which, labels are constant; None if none."""
    changes = np.flatnonzero(labels[1:] != labels[:-1])
    # A value with two labels belongs to neither end.
    first = int(np.searchsorted(values, values[changes[0] + 1], side="left"))
    last = int(np.searchsorted(values, values[changes[-1]], side="right"))
    low = values[first - 1].item() if first else None
    high = values[last].item() if last < len(values) else None
    return low, high


def _log_chance(labels: IdArray, present: BoolArray, rest: BoolArray) -> float:
    """Return the log of the chance that labels in random order are the same outside the rest."""
    unknown = labels == UNKNOWN
    outside = present & ~rest
    active = int(np.count_nonzero(outside & (labels >= 0)))
    weak = int(np.count_nonzero(outside & unknown))
    # Where the parameter is active, unknown labels may be anywhere; absences are interchangeable.
    orders = log_multinomial(_counts(labels[rest])) + (
        log_choose(active + weak, weak) if active and weak else 0.0
    )
    return min(0.0, orders - log_multinomial(_counts(labels[present])))


def _counts(labels: IdArray) -> IntArray:
    """Return how often each label occurs, unknown ones as absences."""
    return np.asarray(np.unique(np.maximum(labels, -1), return_counts=True)[1])
