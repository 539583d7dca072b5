"""Which parameter switches which, inferred from the trials.

A gate of a conditional parameter must explain it completely: each of the gate's choices, or each of
a few intervals of its values, goes with one regime of the parameter. This rules out parameters that
only vary along with it, such as a sibling that the same gate switches: a gate must switch while it
is itself in one regime. If no single gate explains a parameter, two may (``two_gates.py``).

That a trial has a parameter is certain, however the trial ended. That it lacks one is not, if the
trial may have stopped before: such a trial fits every condition, and the test allows for that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

from condped.arrays import BoolArray, IdArray, IntArray, ValueArray
from condped.estimate.statistics.log_choose import log_choose
from condped.space.domain import Categorical
from condped.trials.table import ABSENT, Parameter

# Instead of a regime: absent from a trial that may have stopped before suggesting it.
UNKNOWN = -2
# The chance of finding a gate where there is none, over all candidates for one parameter.
ALPHA = 0.01
_FEWEST_RUNS = 4
# Trials to check first: most candidates are refuted by a few.
_FIRST_LOOK = 512
# Groups, and partial assignments of labels to them, up to which assignments are counted.
_FEW_GROUPS, _MOST_WAYS = 30, 200


@dataclass(frozen=True, slots=True, eq=False)
class Regimes:
    """A parameter as the search sees it."""

    name: str
    labels: IdArray  # (trials,): its regime; -1 where it is absent, or UNKNOWN
    values: ValueArray  # (trials,): numbers, or positions of choices
    categorical: BoolArray  # (regimes,): which regimes have choices

    @classmethod
    def of(cls, parameter: Parameter, interrupted: BoolArray, *, pooled: bool) -> Regimes:
        """Return a parameter; absence from trials that may have been interrupted is unknown.

        If ``pooled``, it has one regime besides absence.
        """
        ids = parameter.domain_ids.astype(np.int32)
        choices = [isinstance(domain, Categorical) for domain in parameter.domains]
        if pooled:
            ids, choices = np.minimum(ids, 0), [False]
        ids[interrupted & (ids < 0)] = UNKNOWN
        return cls(parameter.name, ids, parameter.values, np.array(choices, dtype=bool))

    def taken(self, rows: slice | BoolArray | IntArray) -> Regimes:
        """Return the parameter in some of the trials."""
        return Regimes(self.name, self.labels[rows], self.values[rows], self.categorical)

    @property
    def varies(self) -> bool:
        """Whether it is known to have more than one regime, absence included."""
        known = self.labels[self.labels != UNKNOWN]
        return bool(known.size) and bool((known != known[0]).any())


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """One or two gates that explain a parameter.

    Attributes
    ----------
    gates
        Their places among the parameters.
    leaves, log_p
        Fewer leaves are preferred, and then a smaller chance of finding such gates by accident.
    labels
        (trials,): the parameter's labels that it explains.
    rest
        (trials,): where the first of two gates leaves the label to the second; None for one gate.
    """

    gates: tuple[int, ...]
    leaves: int
    log_p: float
    labels: IdArray
    rest: BoolArray | None = None


Search = Callable[[Sequence[Regimes], IdArray, Collection[int]], list[Explanation]]


def find_gates(
    parameters: Sequence[Regimes],
    lenient: Sequence[Regimes] | None = None,
    more: Search | None = None,
) -> dict[str, Explanation]:
    """Return what switches each conditional parameter, as far as that can be inferred.

    ``lenient`` are the same parameters with absence unknown in more trials, used for those that are
    not explained otherwise. ``more`` continues the search if no single gate explains a parameter.
    """
    lenient = parameters if lenient is None else lenient
    distinct: dict[tuple[bytes, bytes], list[int]] = {}
    for place, (own, milder) in enumerate(zip(parameters, lenient, strict=True)):
        if own.varies:
            key = (own.labels.tobytes(), milder.labels.tobytes())
            distinct.setdefault(key, []).append(place)
    if not distinct:
        return {}
    # Parameters that are switched together are explained together.
    groups = list(distinct.values())
    found: list[list[Explanation]] = [[] for _ in groups]
    for kind in (parameters,) if lenient is parameters else (parameters, lenient):
        left = [g for g, places in enumerate(groups) if not found[g] and kind[places[0]].varies]
        rows = [kind[groups[g][0]].labels for g in left]
        for group, explained in zip(left, _explanations(parameters, rows), strict=True):
            found[group] = explained
        for group, labels in zip(left, rows, strict=True):
            if more is not None and not found[group]:
                found[group] = more(parameters, labels, groups[group])
    gates: dict[int, Explanation] = {}
    # The most certain first, so that the least certain yields if two would switch each other.
    order = sorted(range(len(groups)), key=lambda g: min((c.log_p for c in found[g]), default=0.0))
    for group in order:
        ranked = sorted(found[group], key=lambda c: (c.leaves, c.log_p, c.gates))
        for child in groups[group]:
            for candidate in ranked:
                if child not in _with_ancestors(candidate.gates, gates):
                    gates[child] = candidate
                    break
    return {parameters[child].name: gates[child] for child in sorted(gates)}


def _with_ancestors(places: tuple[int, ...], gates: dict[int, Explanation]) -> set[int]:
    """Return some parameters and all that switch them, directly or indirectly."""
    found: set[int] = set()
    todo = list(places)
    while todo:
        place = todo.pop()
        if place not in found:
            found.add(place)
            todo += gates[place].gates if place in gates else ()
    return found


def _explanations(
    parameters: Sequence[Regimes], rows: Sequence[IdArray]
) -> list[list[Explanation]]:
    """Return for each row of labels the single gates that explain it."""
    found: list[list[Explanation]] = [[] for _ in rows]
    alike: dict[bytes, list[int]] = {}
    for place, labels in enumerate(rows):
        alike.setdefault(np.packbits(labels == UNKNOWN).tobytes(), []).append(place)
    for places in alike.values():
        explained = explained_by_one(parameters, np.stack([rows[place] for place in places]))
        for place, one in zip(places, explained, strict=True):
            found[place] = one
    return found


def explained_by_one(
    parameters: Sequence[Regimes], labels: IdArray, alpha: float = ALPHA
) -> list[list[Explanation]]:
    """Return for each row of labels, unknown in the same trials, the parameters that explain it."""
    found: list[list[Explanation]] = [[] for _ in labels]
    known: slice | IntArray = slice(None)
    if (labels[0] == UNKNOWN).any():
        known = np.flatnonzero(labels[0] != UNKNOWN)
    known_labels = labels[:, known]
    step = max(1, known_labels.shape[1] // _FIRST_LOOK)
    few = slice(None, None, step) if isinstance(known, slice) else known[::step]
    most_runs = np.array([max(_FEWEST_RUNS, 2 * len(np.unique(row))) for row in known_labels])
    absent = np.array([parameter.labels[known] == ABSENT for parameter in parameters])
    could = _could_switch(absent, known_labels)
    thresholds = np.log(alpha / np.maximum(could, 1))
    for place, parameter in enumerate(parameters):
        left = np.flatnonzero(fits(parameter.taken(few), labels[:, few], most_runs))
        if not left.size:
            continue
        left = left[fits(parameter.taken(known), known_labels[left], most_runs[left])]
        for row in left:
            leaves, log_p = _score(parameter, labels[row])
            if log_p < thresholds[row]:
                found[row].append(Explanation((place,), leaves, log_p, labels[row]))
    return found


def _could_switch(absent: BoolArray, labels: IdArray) -> IntArray:
    """Return for each row of labels how many parameters could switch it, judging by presence.

    A gate's absence must go with one label and its presence with several. That does not depend on
    its values, which are what is tested, so only these parameters count as candidates.
    """
    # Eight trials to a byte: presence is compared bytewise, and each distinct pattern once.
    patterns, times = np.unique(np.packbits(absent, axis=1), axis=0, return_counts=True)
    found = np.zeros(len(labels), dtype=np.int64)
    for row, own in enumerate(labels):
        each = np.packbits(np.unique(own)[:, None] == own, axis=1)
        without = np.array([(patterns & label).any(axis=1) for label in each])
        within = np.array([(~patterns & label).any(axis=1) for label in each])
        allowed = (without.sum(axis=0) <= 1) & (within.sum(axis=0) > 1)
        found[row] = times[allowed].sum()
    return found


def fits(parameter: Regimes, labels: IdArray, most_runs: IntArray) -> BoolArray:
    """Return which rows of labels the parameter's value determines, in few intervals of it.

    Where it is absent no comparison of its value holds, so the labels must be absence, too.
    """
    values = np.where(parameter.labels < 0, 0, parameter.values)
    order = np.lexsort((values, parameter.labels))
    regime, value = parameter.labels[order], values[order]
    same_regime = (regime[1:] == regime[:-1]) & (regime[1:] >= 0)
    same_value = same_regime & (value[1:] == value[:-1])
    changes = labels[:, order[1:]] != labels[:, order[:-1]]
    without = parameter.labels == ABSENT
    pure = ~(changes & same_value).any(axis=1) & ~(labels[:, without] >= 0).any(axis=1)
    # Choices have no order in which intervals could be counted.
    numeric = ~np.array([*parameter.categorical, True, True])[regime[1:]]
    steps = changes & (same_regime & numeric & ~same_value)
    return np.asarray(pure & (steps.sum(axis=1) + 1 <= most_runs))


def _score(parameter: Regimes, labels: IdArray) -> tuple[int, float]:
    """Return the number of leaves by which a parameter explains labels, and the log of its chance.

    The chance is that labels in random order are explained as well: an upper bound on the number of
    such orders, divided by the number of all orders. Unknown labels count as absences there, and
    are explained wherever they are.
    """
    leaves, log_p = 0, 0.0
    known = labels != UNKNOWN
    for regime in np.unique(parameter.labels[known]):
        rows = parameter.labels == regime
        own, values = labels[rows & known], parameter.values[rows & known]
        names, counts = np.unique(own, return_counts=True)
        if len(counts) < 2 or regime < 0:
            leaves += int(regime != UNKNOWN)
            continue
        orders = _log_assignments(np.unique(values, return_counts=True)[1], counts)
        order = np.argsort(values, kind="stable")
        if parameter.categorical[regime]:
            leaves += len(counts)
        else:
            runs = 1 + int(np.count_nonzero(np.diff(own[order])))
            leaves += runs
            orders = min(orders, _log_orders(len(own), len(counts), runs))
        unknown = parameter.values[rows & ~known]
        if unknown.size:
            active = _among_active(unknown, values[order], own[order])
            orders += log_choose(int(np.count_nonzero(own >= 0)) + active, active)
            counts = np.r_[counts[names < 0].sum() + unknown.size, counts[names >= 0]]
        log_p += min(0.0, orders - log_multinomial(counts))
    return leaves, log_p


def _among_active(unknown: ValueArray, values: ValueArray, labels: IdArray) -> int:
    """Return how many of the ``unknown`` lie at or next to sorted values with a label of presence.

    One between a value with such a label and one without counts, too.
    """
    after = np.minimum(np.searchsorted(values, unknown), len(values) - 1)
    before = np.where(values[after] == unknown, after, np.maximum(after - 1, 0))
    return int(np.count_nonzero((labels[after] >= 0) | (labels[before] >= 0)))


def _log_assignments(sizes: IntArray, counts: IntArray) -> float:
    """Return the log of the number of ways to give groups of these sizes one label each.

    Each label must go to as many trials as have it; if counting that takes too long, any label may
    go to any group.
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
    """Return the log of an upper bound on the number of label orders with at most so many runs."""
    terms = [
        math.log(labels)
        + (count - 1) * math.log(max(labels - 1, 1))
        + log_choose(trials - labels, count - labels)
        for count in range(labels, runs + 1)
    ]
    highest = max(terms)
    return highest + math.log(sum(math.exp(term - highest) for term in terms))


def log_multinomial(counts: IntArray) -> float:
    """Return the log of the number of orders of labels with these counts."""
    return math.lgamma(int(counts.sum()) + 1) - sum(math.lgamma(int(c) + 1) for c in counts)
