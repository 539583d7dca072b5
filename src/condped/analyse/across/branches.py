"""Branches that win in some studies and lose in others, or before and not after."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from condped.analyse.advice.propose import chance_of_so_few
from condped.analyse.branches.regime_conditions import MOST_TRIALS
from condped.analyse.branches.splits import Split, splits_of
from condped.analyse.branches.structure import Structure, structure_of
from condped.analyse.effects.find import StudyTrials
from condped.analyse.effects.reached import LEVEL, reached_by
from condped.analyse.evidence.evidence import plain_p
from condped.analyse.importance.result import ImportanceResult
from condped.analyse.importance.set_counts import SetCounts
from condped.arrays import BoolArray
from condped.count.trials import Trials
from condped.errors import CondpedError
from condped.estimate.calibrated_estimator import FALSE_DISCOVERIES
from condped.estimate.independence_test import adjusted
from condped.estimate.statistics.pooling import holm
from condped.estimate.statistics.winning import (
    GroupHits,
    chance_of_other_odds,
    chances_of_first_trials,
)
from condped.safe_text import shortened
from condped.space.domain import Categorical
from condped.space.simplify import condition_of
from condped.trials.table import TrialTable
from condped.trials.where import columns_of

# ``wins``: more target trials than its share of the trials, or better first trials where the
# sampler learns, statistically significant after adjustment for all branches and studies.
# ``loses``: fewer, or worse.
Standing = Literal["wins", "loses", "no evidence"]
# ``won before``: and loses now; ``wins now``: and lost before. Adjusted for all branches.
WinnerChange = Literal["won before", "wins now", "no evidence", "not testable"]
_SURE = FALSE_DISCOVERIES / 2
CHANGED = 0.05  # chance of reporting any branch as changed if none has


@dataclass(frozen=True, slots=True)
class StudyBranch:
    """One branch of a gate in one study.

    Attributes
    ----------
    trials, target_trials
        How many trials of the branch count, including those that count as worst, and how many of
        these are in the target set.
    of, target_of
        The same over all branches of the gate.
    median, best
        Of its trials with an objective; None if there are none, or several objectives.
    p_value
        How often chance alone gives a share of the target trials as far from its share of the
        trials; where the sampler learns, first trials that differ as much from those of the other
        branches.
    standing
        Whether it wins or loses here, with p-values adjusted for all branches and studies.
    """

    gate: str
    branch: str
    study: str
    trials: int
    target_trials: int
    of: int
    target_of: int
    median: float | None
    best: float | None
    p_value: float
    standing: Standing = "no evidence"


@dataclass(frozen=True, slots=True)
class BranchChange:
    """Whether a branch wins in one of two studies and loses in the other.

    Attributes
    ----------
    p_value, adjusted_p_value
        How often two runs of one problem differ as much by chance; adjusted for the number of
        branches (Holm). None if unknown.
    verdict
        Whether it won before and loses now, or the other way round.
    sentence
        What changed, in words.
    """

    gate: str
    branch: str
    p_value: float | None
    adjusted_p_value: float | None
    verdict: WinnerChange
    sentence: str


@dataclass(frozen=True, slots=True)
class FoundBranch:
    """A branch of one study, with a key by which it is matched with those of other studies.

    Attributes
    ----------
    better, worse
        How often chance alone does as well, and as badly.
    independent
        Whether trials were drawn without regard to results, so that target trials can be counted.
    """

    key: tuple[object, ...]
    numbers: StudyBranch
    better: float
    worse: float
    independent: bool

    @property
    def hits(self) -> GroupHits:
        """Its target trials among all."""
        one = self.numbers
        return GroupHits(one.target_trials, one.trials, one.target_of, one.of)


def study_branches(study: str, result: ImportanceResult) -> tuple[FoundBranch, ...]:
    """Return the branches of a study's gates; none if its trials are not in memory."""
    counts = None if result._analysis is None else result._analysis.counts
    if counts is None or counts.trials is None or result.status != "ok":
        return ()
    trials = counts.trials.given
    table = trials.in_memory
    few = table is not None and counts.trials.top.counts.used <= MOST_TRIALS
    if table is None or not few or result.target_quantile is None or _is_flat(table):
        return ()
    try:
        structure = structure_of(trials)
    except CondpedError:  # conditions cannot describe it; other numbers need none
        return ()
    gates = {name: children for name, children in structure.gates.items() if name in result}
    if not gates:
        return ()
    branch_trials = _BranchTrials.of(counts, trials)
    return tuple(
        one
        for name, children in gates.items()
        for one in _branches(study, structure, name, children, branch_trials)
    )


def _is_flat(table: TrialTable) -> bool:
    """Return whether it is clear without inferring conditions that no parameter is conditional."""
    conditions = (entries[0].when for entries in (table.space or {}).values())
    everywhere = all(parameter.everywhere for parameter in table.parameters)
    return everywhere and all(when is None for when in conditions)


@dataclass(frozen=True, slots=True, eq=False)
class _BranchTrials:
    """The trials of a study that count, with those that count as worst."""

    study: StudyTrials
    trials: Trials
    independent: bool  # drawn without regard to results

    @classmethod
    def of(cls, counts: SetCounts, trials: Trials) -> _BranchTrials:
        study = StudyTrials.of(counts, LEVEL)
        return cls(study, trials, counts.significance.decision.at_random)

    def in_branch(self, split: Split) -> BoolArray:
        """Return which of the rows belong to a branch."""
        condition = condition_of(split.test)
        table = self.trials.table("Comparing branches")
        return np.asarray(condition.holds(columns_of(table))[self.study.region])

    def chances(self, group: BoolArray, active: BoolArray) -> tuple[float, float]:
        """Return how often chance alone does as well as a branch, and as badly."""
        rows, own = self.study.region[active], group[active]
        if not self.independent:
            every = np.stack([one.losses[rows] for one in self.study.table.objectives], axis=1)
            every[~np.isin(rows, self.study.rows)] = np.inf  # counts as worst
            return chances_of_first_trials(every, own)
        hit, together = self.study.target[rows], np.zeros(len(rows), dtype=np.int64)
        return chance_of_so_few(~own, hit, together), chance_of_so_few(own, hit, together)


def _branches(
    study: str, structure: Structure, gate: str, children: tuple[str, ...], trials: _BranchTrials
) -> Iterator[FoundBranch]:
    """Iterate over the branches of a gate that have trials."""
    splits = splits_of(structure.space, gate, children)
    inside = [trials.in_branch(split) for split in splits]
    active = np.logical_or.reduce(inside)
    hit = trials.study.target[trials.study.region]
    objectives = trials.study.table.objectives
    named = all(isinstance(entry.domain, Categorical) for entry in structure.space[gate])
    seen: Counter[tuple[str, ...]] = Counter()
    for split, group in zip(splits, inside, strict=True):
        seen[split.children] += 1
        if not group.any():
            continue
        # Where conditions were inferred from the trials, cut points of numbers differ a little.
        cut = len(splits), split.children, seen[split.children]
        key = (split.label,) if named else cut
        own = np.intersect1d(trials.study.region[group], trials.study.rows)
        reached = reached_by(objectives[0], own) if len(objectives) == 1 else None
        better, worse = trials.chances(group, active)
        yield FoundBranch(
            key=(gate, *key),
            numbers=StudyBranch(
                gate=gate,
                branch=split.label,
                study=study,
                trials=int(np.count_nonzero(group)),
                target_trials=int(np.count_nonzero(hit[group])),
                of=int(np.count_nonzero(active)),
                target_of=int(np.count_nonzero(hit & active)),
                median=None if reached is None else reached.median,
                best=None if reached is None else reached.best,
                p_value=min(1.0, 2 * min(better, worse)),
            ),
            better=better,
            worse=worse,
            independent=trials.independent,
        )


def compared_branches(found: Iterable[Sequence[FoundBranch]]) -> tuple[StudyBranch, ...]:
    """Return the branches of gates that several studies share, with the verdicts on them."""
    every = [one for study in found for one in study]
    studies = Counter(gate for gate, _ in {(one.numbers.gate, one.numbers.study) for one in every})
    kept = [one for one in every if studies[one.numbers.gate] > 1]
    labels: dict[tuple[object, ...], Counter[str]] = {}
    for one in kept:
        labels.setdefault(one.key, Counter())[one.numbers.branch] += 1
    order = {key: place for place, key in enumerate(labels)}
    gates = {gate: place for place, gate in enumerate(dict.fromkeys(o.numbers.gate for o in kept))}
    p_values = adjusted(np.array([one.numbers.p_value for one in kept])) if kept else ()
    placed = [
        (
            (gates[one.numbers.gate], order[one.key]),
            replace(
                one.numbers,
                branch=labels[one.key].most_common(1)[0][0],
                standing=_standing(one, float(p_value)),
            ),
        )
        for one, p_value in zip(kept, p_values, strict=True)
    ]
    return tuple(branch for _, branch in sorted(placed, key=lambda pair: pair[0]))


def _standing(branch: FoundBranch, p_value: float) -> Standing:
    if p_value > _SURE:
        return "no evidence"
    return "wins" if branch.better < branch.worse else "loses"


def branch_changes(
    before: Sequence[FoundBranch], after: Sequence[FoundBranch], *, tied: bool = False
) -> tuple[BranchChange, ...]:
    """Compare the branches of gates that both studies have; nothing is tested where ``tied``."""
    pairs = _pairs(before, after)
    tests = [
        (math.nan, True) if tied or why or not (one and other) else _test_of_change(one, other)
        for (one, other), why in zip(pairs, map(_why_not_compared, pairs), strict=True)
    ]
    p_values = np.array([p_value for p_value, _ in tests])
    # What one of two branches gains, the other loses: that is one test.
    gates = [(one or other).numbers.gate for one, other in pairs]  # type: ignore[union-attr]
    again = [gates.count(gate) == 2 and gates.index(gate) < k for k, gate in enumerate(gates)]
    corrected = holm(np.where(again, np.nan, p_values))
    return tuple(
        _branch_change(pair, p_value, float(corrected[k - again[k]]), won=won, tied=tied)
        for k, (pair, (p_value, won)) in enumerate(zip(pairs, tests, strict=True))
    )


_Pair: TypeAlias = tuple[FoundBranch | None, FoundBranch | None]


def _pairs(before: Sequence[FoundBranch], after: Sequence[FoundBranch]) -> list[_Pair]:
    """Return the branches of both studies side by side, those of a gate together."""
    one, other = ({branch.key: branch for branch in own} for own in (before, after))
    shared = {key[0] for key in one} & {key[0] for key in other}
    keys = [key for key in dict.fromkeys((*one, *other)) if key[0] in shared]
    gates = [key[0] for key in keys]
    keys.sort(key=lambda key: gates.index(key[0]))
    return [(one.get(key), other.get(key)) for key in keys]


def _why_not_compared(pair: _Pair) -> str:
    """Return what was not tried in one of the studies; empty if the branch can be compared."""
    for own, when in zip(pair, ("before", "after"), strict=True):
        if own is None:
            return f"it was not tried {when}"
        if own.numbers.trials == own.numbers.of:
            return f"no other branch was tried {when}"
    return ""


def _test_of_change(before: FoundBranch, after: FoundBranch) -> tuple[float, bool]:
    """Return the p-value of a change of the winner, and whether the branch won before.

    If target trials can be counted in both studies, test whether the odds differ, provided that the
    branch leads in one and trails in the other. Otherwise each study must show its side by itself.
    If first trials decide in both, that is as rare as two such deviations on opposite sides. If
    they decide in only one, its few first trials may show less than many target trials in the
    other: the larger of the two p-values is then a bound (Gail and Simon).
    """
    if before.independent and after.independent:
        sides = before.hits.lead, after.hits.lead
        opposite = min(sides) < 0 < max(sides)
        p_value = chance_of_other_odds(before.hits, after.hits) if opposite else 1.0
        return p_value, sides[0] > 0
    lost, gained = max(before.better, after.worse), max(before.worse, after.better)
    p_value = min(lost, gained)
    alike = not before.independent and not after.independent
    return min(1.0, 2 * p_value**2) if alike else p_value, lost < gained


def _branch_change(
    pair: _Pair, p_value: float, adjusted_p_value: float, *, won: bool, tied: bool
) -> BranchChange:
    known = pair[0] or pair[1]
    assert known is not None
    verdict: WinnerChange = "no evidence"
    if math.isnan(p_value):
        verdict = "not testable"
    elif adjusted_p_value <= CHANGED:
        verdict = "won before" if won else "wins now"
    return BranchChange(
        gate=known.numbers.gate,
        branch=known.numbers.branch,
        p_value=plain_p(p_value),
        adjusted_p_value=plain_p(adjusted_p_value),
        verdict=verdict,
        sentence=_sentence(known.numbers, pair, verdict, tied=tied),
    )


def _sentence(known: StudyBranch, pair: _Pair, verdict: WinnerChange, *, tied: bool) -> str:
    """Say whether a branch still wins or loses."""
    name = f"{shortened(known.branch)} of {shortened(known.gate)}"
    why = _why_not_compared(pair) or (
        "ties make the sizes of the target sets too different" if tied else ""
    )
    one, other = pair
    if why or not (one and other):
        return f"{name}: not testable, since {why}."
    if verdict == "no evidence":
        return f"{name}: no evidence that it wins in one study and loses in the other."
    change = "won before and loses now" if verdict == "won before" else "lost before and wins now"
    counts = ", ".join(
        f"{own.numbers.target_trials} of {own.numbers.target_of} target trials {when} "
        f"({own.numbers.trials} of {own.numbers.of} trials)"
        for own, when in ((one, "before"), (other, "after"))
    )
    counted = one.independent and other.independent
    how = "" if counted else " Where the sampler learnt, the first trials of each branch decide."
    return f"{name} {change}: it has {counts}.{how}"
