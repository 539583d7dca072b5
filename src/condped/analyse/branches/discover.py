"""Which parameter switches which, found from the trials.

A gate of a conditional parameter has to explain it completely: each of the gate's choices, or each
of a few stretches of its values, goes with one regime of the parameter. What only goes along with
it, such as a sibling that the same gate switches, is told apart by this: a gate switches while it
is itself in one regime.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from condped.arrays import BoolArray, IdArray, IntArray, ValueArray
from condped.space.domain import Categorical
from condped.trials.table import Parameter

# How likely a gate may be found where there is none, over all that are tried for one parameter.
_ALPHA = 0.01
_FEWEST_RUNS = 4
# Trials to look at first: most candidates are refuted by a few.
_FIRST_LOOK = 512
# Groups, and ways to have given them labels so far, up to which assignments are counted.
_FEW_GROUPS, _MOST_WAYS = 30, 200


@dataclass(frozen=True, slots=True, eq=False)
class Regimes:
    """A parameter as the search sees it."""

    name: str
    labels: IdArray  # (trials,): its regime; -1 where it is absent
    values: ValueArray  # (trials,): numbers, or positions of choices
    categorical: BoolArray  # (regimes,): which regimes have choices

    @classmethod
    def of(cls, parameter: Parameter, rows: BoolArray, *, pooled: bool) -> Regimes:
        """Return a parameter in some of the trials; pooled ones have one regime beside absence."""
        ids = parameter.domain_ids[rows].astype(np.int32)
        choices = [isinstance(domain, Categorical) for domain in parameter.domains]
        if pooled:
            ids, choices = np.minimum(ids, 0), [False]
        return cls(parameter.name, ids, parameter.values[rows], np.array(choices, dtype=bool))

    def taken(self, rows: slice) -> Regimes:
        """Return it in some of the trials."""
        return Regimes(self.name, self.labels[rows], self.values[rows], self.categorical)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A gate that explains a parameter, by what it is preferred for."""

    leaves: int
    log_p: float
    place: int  # among the parameters


def find_gates(parameters: Sequence[Regimes]) -> dict[str, str]:
    """Return for each conditional parameter the one that switches it, if one does."""
    distinct: dict[bytes, list[int]] = {}
    for place, parameter in enumerate(parameters):
        if len(parameter.labels) and (parameter.labels != parameter.labels[0]).any():
            distinct.setdefault(parameter.labels.tobytes(), []).append(place)
    if not distinct:
        return {}
    # Parameters that are switched together are explained together.
    labels = np.stack([parameters[places[0]].labels for places in distinct.values()])
    found = _candidates(parameters, labels)
    gates: dict[int, int] = {}
    groups = list(distinct.values())
    # The surest first, so that the least sure yields where two would switch each other.
    order = sorted(range(len(groups)), key=lambda g: min((c.log_p for c in found[g]), default=0.0))
    for group in order:
        ranked = sorted(found[group], key=lambda c: (c.leaves, c.log_p, c.place))
        for child in groups[group]:
            for candidate in ranked:
                if candidate.place != child and child not in _above(candidate.place, gates):
                    gates[child] = candidate.place
                    break
    return {parameters[c].name: parameters[gates[c]].name for c in sorted(gates)}


def _above(place: int, gates: dict[int, int]) -> Iterable[int]:
    while place in gates:
        place = gates[place]
        yield place


def _candidates(parameters: Sequence[Regimes], labels: IdArray) -> list[list[_Candidate]]:
    """Return for each row of labels the parameters that explain it."""
    found: list[list[_Candidate]] = [[] for _ in labels]
    step = max(1, labels.shape[1] // _FIRST_LOOK)
    few = slice(None, None, step)
    most_runs = np.array([max(_FEWEST_RUNS, 2 * len(np.unique(row))) for row in labels])
    thresholds = np.log(_ALPHA / np.maximum(_could_switch(parameters, labels), 1))
    for place, parameter in enumerate(parameters):
        left = np.flatnonzero(_fits(parameter.taken(few), labels[:, few], most_runs))
        if not left.size:
            continue
        left = left[_fits(parameter, labels[left], most_runs[left])]
        for row in left:
            leaves, log_p = _judged(parameter, labels[row])
            if log_p < thresholds[row]:
                found[row].append(_Candidate(leaves, log_p, place))
    return found


def _could_switch(parameters: Sequence[Regimes], labels: IdArray) -> IntArray:
    """Return for each row of labels how many parameters their presence allows to switch it.

    A gate's absence must go with one label and its presence with several. That says nothing of
    its values, which the test is about; so only these compete.
    """
    absent = np.array([parameter.labels < 0 for parameter in parameters])
    # Eight trials to a byte: presence is compared by the byte, and each pattern of it once.
    patterns, times = np.unique(np.packbits(absent, axis=1), axis=0, return_counts=True)
    found = np.zeros(len(labels), dtype=np.int64)
    for row, own in enumerate(labels):
        each = np.packbits(np.unique(own)[:, None] == own, axis=1)
        without = np.array([(patterns & label).any(axis=1) for label in each])
        within = np.array([(~patterns & label).any(axis=1) for label in each])
        allowed = (without.sum(axis=0) <= 1) & (within.sum(axis=0) > 1)
        found[row] = times[allowed].sum()
    return found


def _fits(parameter: Regimes, labels: IdArray, most_runs: IntArray) -> BoolArray:
    """Return which rows of labels are settled by the parameter's value, in few stretches of it."""
    values = np.where(parameter.labels < 0, 0, parameter.values)
    order = np.lexsort((values, parameter.labels))
    regime, value = parameter.labels[order], values[order]
    same_regime = regime[1:] == regime[:-1]
    same_value = same_regime & (value[1:] == value[:-1])
    changes = labels[:, order[1:]] != labels[:, order[:-1]]
    pure = ~(changes & same_value).any(axis=1)
    # Between choices there is no order to count stretches in; absence is its own choice.
    numeric = ~np.array([*parameter.categorical, True])[regime[1:]]
    steps = changes & (same_regime & numeric & ~same_value)
    return np.asarray(pure & (steps.sum(axis=1) + 1 <= most_runs))


def _judged(parameter: Regimes, labels: IdArray) -> tuple[int, float]:
    """Return in how many leaves a parameter explains labels, and the log of the chance of that.

    The chance is that of labels in any other order to be explained as well: the number of such
    orders (from above) among all orders.
    """
    leaves, log_p = 0, 0.0
    for regime in np.unique(parameter.labels):
        rows = parameter.labels == regime
        own = labels[rows]
        counts = np.unique(own, return_counts=True)[1]
        if len(counts) < 2 or regime < 0:
            leaves += 1
            continue
        values = parameter.values[rows]
        orders = _log_assignments(np.unique(values, return_counts=True)[1], counts)
        if parameter.categorical[regime]:
            leaves += len(counts)
        else:
            sorted_labels = own[np.argsort(values, kind="stable")]
            runs = 1 + int(np.count_nonzero(sorted_labels[1:] != sorted_labels[:-1]))
            leaves += runs
            orders = min(orders, _log_orders(len(own), len(counts), runs))
        log_p += min(0.0, orders - _log_multinomial(counts))
    return leaves, log_p


def _log_assignments(sizes: IntArray, counts: IntArray) -> float:
    """Return the log of how many ways there are to give groups of these sizes one label each.

    Each label has to be given to as many trials as have it; where that takes long to count, any
    label may go to any group.
    """
    if len(sizes) > _FEW_GROUPS:
        return len(sizes) * math.log(len(counts))
    ways: dict[tuple[int, ...], int] = {tuple(counts.tolist()): 1}
    for size in sizes.tolist():
        following: dict[tuple[int, ...], int] = {}
        for left, number in ways.items():
            for label, room in enumerate(left):
                if room >= size:
                    after = (*left[:label], room - size, *left[label + 1 :])
                    following[after] = following.get(after, 0) + number
        ways = following
        if len(ways) > _MOST_WAYS:
            return len(sizes) * math.log(len(counts))
    return math.log(sum(ways.values()))


def _log_orders(trials: int, labels: int, runs: int) -> float:
    """Return the log of how many orders of labels have at most so many runs, from above."""
    terms = [
        math.log(labels)
        + (count - 1) * math.log(max(labels - 1, 1))
        + log_choose(trials - labels, count - labels)
        for count in range(labels, runs + 1)
    ]
    highest = max(terms)
    return highest + math.log(sum(math.exp(term - highest) for term in terms))


def log_choose(n: int, k: int) -> float:
    """Return the log of how many ways there are to choose ``k`` of ``n``."""
    if not 0 <= k <= n:
        return -math.inf
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _log_multinomial(counts: IntArray) -> float:
    return math.lgamma(int(counts.sum()) + 1) - sum(math.lgamma(int(c) + 1) for c in counts)
