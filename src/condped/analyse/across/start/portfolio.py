"""Which configurations of past studies to try first: one of them near the top in every study."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from condped.analyse.across.start.past import Past
from condped.analyse.advice.widen import places_in
from condped.arrays import FloatArray, IntArray
from condped.space.domain import Categorical

# So many of the best trials of each study may be tried first.
_CANDIDATES = 3
# Of more studies than this some, evenly chosen, suffice.
_MOST_STUDIES = 100
# So many neighbours tell how good a configuration would have been in another study.
_NEIGHBOURS = 3
# What is expected where a study has not tried the branch.
_UNKNOWN = 0.5
# So much of the distance counts for a parameter without importance.
_LEAST_WEIGHT = 0.02


@dataclass(frozen=True, slots=True, eq=False)
class Portfolio:
    """The chosen trials.

    Attributes
    ----------
    rows
        (chosen,): positions among the past trials, the best on average first.
    studies
        (studies,): those that were looked at.
    expected
        (chosen, studies): the place that each would have had in each study, 0 for the best.
    """

    rows: IntArray
    studies: IntArray
    expected: FloatArray


def portfolio(past: Past, number: int) -> Portfolio:
    """Return at most so many trials, chosen one after the other.

    Each is the one that, beside those before it, leaves the least to be desired in the mean over
    all studies.
    """
    studies = np.unique(np.linspace(0, len(past.names) - 1, _MOST_STUDIES).astype(np.intp))
    rows = np.concatenate([_best_rows(past, study) for study in studies.tolist()])
    branch, code, weight = _codes(past)
    whole = np.column_stack([branch, code])[rows]
    rows = rows[np.sort(np.unique(whole, axis=0, return_index=True)[1])]
    expected = np.column_stack(
        [_expected(past, rows, study, branch, code, weight) for study in studies.tolist()]
    )
    left = np.ones(len(studies))
    chosen: list[int] = []
    mean = expected.mean(axis=1)
    while len(chosen) < min(number, len(rows)):
        gain = np.minimum(left, expected).mean(axis=1)
        gain[chosen] = np.inf
        # Where nothing is gained any more, the best on average.
        place = int(np.lexsort((mean, gain.round(6)))[0])
        chosen.append(place)
        left = np.minimum(left, expected[place])
    return Portfolio(rows[chosen], studies, expected[chosen])


def _best_rows(past: Past, study: int) -> IntArray:
    rows = np.flatnonzero(past.study == study)
    return np.asarray(rows[np.argsort(past.order[rows])[:_CANDIDATES]])


def _codes(past: Past) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return (trials,) branches, (trials, columns) places of values, and (columns,) weights.

    Trials are in one branch if the same parameters are active, with the same domains. Two choices
    are as far apart as the two ends of a domain.
    """
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
    return branch, np.column_stack(columns), np.array(weights)


def _expected(
    past: Past, rows: IntArray, study: int, branch: IntArray, code: FloatArray, weight: FloatArray
) -> FloatArray:
    """Return (rows,): the place that trials would have had in a study, by its nearest trials."""
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
