"""Which configurations of past studies to try first: one of them near the top in every study."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from condped.analyse.across.start.past import Past
from condped.analyse.advice.widen import places_in
from condped.arrays import BoolArray, FloatArray, IntArray
from condped.space.domain import Categorical

# How many of the best trials of each study are candidates.
_CANDIDATES = 3
# Of more studies than this, an evenly spaced subset suffices.
_MOST_STUDIES = 100
# At most this share is kept for the best of branches that would not be tried otherwise.
_OTHER_BRANCHES = 0.3
# How many neighbours decide how good a configuration would have been in another study.
_NEIGHBOURS = 3
# What is expected if a study has not tried the branch.
_UNKNOWN = 0.5
# The weight in distances of a parameter without importance.
_LEAST_WEIGHT = 0.02


@dataclass(frozen=True, slots=True, eq=False)
class Portfolio:
    """The chosen trials.

    Attributes
    ----------
    rows
        (chosen,): positions among the past trials, in the order of choice.
    studies
        (studies,): those that were taken into account.
    expected
        (chosen, studies): the place that each would have had in each study, 0 for the best.
    candidates
        (candidates,): positions of the best trials of all studies, which the others are chosen
        from.
    other
        (chosen,): which are the best of branches that no candidate is in.
    """

    rows: IntArray
    studies: IntArray
    expected: FloatArray
    candidates: IntArray
    other: BoolArray


def portfolio(past: Past, number: int, allowed: BoolArray) -> Portfolio:
    """Return at most ``number`` trials, chosen one after the other.

    Each is the one that, together with those before it, has the best expected place on average over
    all studies. The last ones are the best of other branches, one each, so that a study finds out
    if another branch is best this time. Only trials that are ``allowed`` (trials,) are chosen.
    """
    studies = np.unique(np.linspace(0, len(past.names) - 1, _MOST_STUDIES).astype(np.intp))
    codes = _codes(past)
    branch = codes.branch
    best = np.concatenate([_best_rows(past, study, allowed) for study in studies.tolist()])
    best = _without_repeats(best, np.column_stack([branch, codes.code]))
    others = _best_of_branches(
        past, np.where(allowed, branch, -1), np.setdiff1d(branch[allowed], branch[best])
    )
    room = min(len(others), int(_OTHER_BRANCHES * number))
    rows = np.concatenate([best, others[:room]])
    expected = np.column_stack([_expected(past, rows, study, codes) for study in studies.tolist()])
    chosen = _greedy(expected[: len(best)], number - room)
    chosen += range(len(best), len(rows))
    other = np.array(chosen) >= len(best)
    return Portfolio(rows[chosen], studies, expected[chosen], best, other)


def _greedy(expected: FloatArray, number: int) -> list[int]:
    """Return the rows whose minima by column have the lowest mean, chosen one after the other."""
    left = np.ones(expected.shape[1])
    mean = expected.mean(axis=1)
    chosen: list[int] = []
    while len(chosen) < min(number, len(expected)):
        gain = np.minimum(left, expected).mean(axis=1)
        gain[chosen] = np.inf
        # When nothing more is gained, the best on average.
        place = int(np.lexsort((mean, gain.round(6)))[0])
        chosen.append(place)
        left = np.minimum(left, expected[place])
    return chosen


def _without_repeats(rows: IntArray, whole: FloatArray) -> IntArray:
    """Return the rows without those that repeat an earlier configuration."""
    return np.asarray(rows[np.sort(np.unique(whole[rows], axis=0, return_index=True)[1])])


def _best_of_branches(past: Past, branch: IntArray, branches: IntArray) -> IntArray:
    """Return the best trial of each of these branches, the best first."""
    found = []
    for one in branches.tolist():
        rows = np.flatnonzero(branch == one)
        found.append(int(rows[np.argmin(past.order[rows])]))
    return np.array(sorted(found, key=lambda row: past.order[row]), dtype=np.intp)


def _best_rows(past: Past, study: int, allowed: BoolArray) -> IntArray:
    rows = np.flatnonzero((past.study == study) & allowed)
    return np.asarray(rows[np.argsort(past.order[rows])[:_CANDIDATES]])


class _Codes(NamedTuple):
    """Trials as numbers, for distances.

    Attributes
    ----------
    branch
        (trials,): the same for those with the same active parameters and domains.
    code
        (trials, columns): the places of values. Two choices are as far apart as the two ends of a
        domain.
    weight
        (columns,): the weight of a difference.
    """

    branch: IntArray
    code: FloatArray
    weight: FloatArray


def _codes(past: Past) -> _Codes:
    """Encode all trials as numbers."""
    names = list(past.known_space)
    ids = np.column_stack([np.asarray(past.parameters[name].domain_ids) for name in names])
    branch = np.unique(ids, axis=0, return_inverse=True)[1].reshape(-1)
    columns: list[FloatArray] = []
    weights: list[float] = []
    for name in names:
        parameter = past.parameters[name]
        weight = past.importances.get(name, 0.0) + _LEAST_WEIGHT
        numeric = np.zeros(len(branch))
        for place, domain in enumerate(parameter.domains):
            rows = np.flatnonzero(parameter.domain_ids == place)
            values = parameter.values[rows]
            if isinstance(domain, Categorical):
                for choice in range(len(domain.choices) if len(domain.choices) > 1 else 0):
                    column = np.zeros(len(branch))
                    column[rows[values == choice]] = np.sqrt(0.5)
                    columns.append(column)
                    weights.append(weight)
            elif not domain.single:
                numeric[rows] = places_in(domain, values)
        columns.append(numeric)
        weights.append(weight)
    return _Codes(branch, np.column_stack(columns), np.array(weights))


def _expected(past: Past, rows: IntArray, study: int, codes: _Codes) -> FloatArray:
    """Return (rows,): the place that trials would have had in a study, from its nearest trials."""
    branch, code, weight = codes
    own = np.flatnonzero(past.study == study)
    found = np.full(len(rows), _UNKNOWN)
    for place, row in enumerate(rows.tolist()):
        if past.study[row] == study:
            found[place] = past.order[row]
            continue
        same = own[branch[own] == branch[row]]
        if len(same):
            apart = ((code[same] - code[row]) ** 2) @ weight
            near = same[np.argsort(apart, kind="stable")[:_NEIGHBOURS]]
            found[place] = past.order[near].mean()
    return found
