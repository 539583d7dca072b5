"""Branches that win in some studies and lose in others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from condped.analyse.advice.propose import chance_of_so_few
from condped.analyse.branches.splits import Split, splits_of
from condped.analyse.branches.structure import Structure, structure_of
from condped.analyse.effects.find import StudyTrials, is_adaptive
from condped.analyse.effects.reached import LEVEL, reached_by
from condped.analyse.evidence.sampling import strata_of
from condped.analyse.importance.result import ImportanceResult
from condped.analyse.importance.set_counts import SetCounts
from condped.arrays import BoolArray, IntArray
from condped.count.trials import Trials
from condped.errors import CondpedError
from condped.estimate.calibrated_estimator import FALSE_DISCOVERIES
from condped.estimate.independence_test import adjusted
from condped.space.condition import Condition
from condped.space.domain import Categorical
from condped.space.simplify import text_of
from condped.trials.table import TrialTable
from condped.trials.where import columns_of

# ``wins``: more target trials than its share of the trials, statistically significant after
# adjustment for all branches and studies; ``loses``: fewer.
Standing = Literal["wins", "loses", "no evidence"]
_SURE = FALSE_DISCOVERIES / 2
_MANY = 200_000  # trials, from which looking for conditions takes time


@dataclass(frozen=True, slots=True)
class StudyBranch:
    """One branch of a gate in one study.

    Attributes
    ----------
    trials, target_trials
        How many trials of the branch have an objective, and how many of these are in the target
        set.
    of, target_of
        The same over all branches of the gate.
    median, best
        What its trials reached; None with several objectives.
    p_value
        How often chance alone gives a share of the target trials as far from its share of the
        trials; where the sampler learns, within stretches of time.
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
class FoundBranch:
    """A branch of one study, with what it has in common with those of others."""

    key: tuple[object, ...]
    told: StudyBranch


def study_branches(study: str, result: ImportanceResult) -> tuple[FoundBranch, ...]:
    """Return the branches of a study's gates; none of trials that are not in memory."""
    counts = None if result._analysis is None else result._analysis.counts
    if counts is None or counts.trials is None or result.status != "ok":
        return ()
    trials = counts.trials.asked
    table = trials.in_memory
    few = table is not None and counts.trials.top.counts.used <= _MANY
    if table is None or not few or result.target_quantile is None or _is_flat(table):
        return ()
    try:
        structure = structure_of(trials)
    except CondpedError:  # conditions cannot describe it; other numbers need none
        return ()
    gates = {name: children for name, children in structure.gates.items() if name in result}
    if not gates:
        return ()
    looked_at = _LookedAt.of(counts, trials)
    return tuple(
        one
        for name, children in gates.items()
        for one in _branches(study, structure, name, children, looked_at)
    )


def _is_flat(table: TrialTable) -> bool:
    """Return whether it is plain, without a search, that no parameter switches another."""
    conditions = (entries[0].when for entries in (table.space or {}).values())
    everywhere = all(parameter.everywhere for parameter in table.parameters)
    return everywhere and all(when is None for when in conditions)


@dataclass(frozen=True, slots=True, eq=False)
class _LookedAt:
    """The trials of a study that have an objective."""

    study: StudyTrials
    trials: Trials
    blocks: IntArray  # of the rows: stretches of time where the sampler learns

    @classmethod
    def of(cls, counts: SetCounts, trials: Trials) -> _LookedAt:
        study = StudyTrials.of(counts, LEVEL)
        rows = len(study.rows)
        stretches = strata_of(rows) if is_adaptive(counts) else 1
        return cls(study, trials, np.arange(rows) * stretches // max(rows, 1))

    def meet(self, split: Split) -> BoolArray:
        """Return which of the rows belong to a branch."""
        condition = Condition(text_of(split.test) or "", split.test)
        table = self.trials.table("Comparing branches")
        return np.asarray(condition.holds(columns_of(table))[self.study.rows])


def _branches(
    study: str, structure: Structure, gate: str, children: tuple[str, ...], trials: _LookedAt
) -> Iterator[FoundBranch]:
    """Iterate over the branches of a gate that have trials."""
    splits = splits_of(structure.space, gate, children)
    inside = [trials.meet(split) for split in splits]
    active = np.logical_or.reduce(inside)
    rows, hit = trials.study.rows[active], trials.study.target[trials.study.rows]
    objectives = trials.study.table.objectives
    named = all(isinstance(entry.domain, Categorical) for entry in structure.space[gate])
    seen: Counter[tuple[str, ...]] = Counter()
    for split, group in zip(splits, inside, strict=True):
        seen[split.children] += 1
        if not group.any():
            continue
        # Where conditions were found from the trials, cuts of numbers differ a little.
        cut = len(splits), split.children, seen[split.children]
        key = (split.label,) if named else cut
        own = trials.study.rows[group]
        told = reached_by(objectives[0], own) if len(objectives) == 1 else None
        yield FoundBranch(
            (gate, *key),
            StudyBranch(
                gate=gate,
                branch=split.label,
                study=study,
                trials=len(own),
                target_trials=int(np.count_nonzero(hit[group])),
                of=len(rows),
                target_of=int(np.count_nonzero(hit & active)),
                median=None if told is None else told.median,
                best=None if told is None else told.best,
                p_value=_p_value(group[active], hit[active], trials.blocks[active]),
            ),
        )


def _p_value(group: BoolArray, hit: BoolArray, blocks: IntArray) -> float:
    """Return the two-sided p-value of a branch's target trials."""
    fewer = chance_of_so_few(group, hit, blocks)
    more = chance_of_so_few(~group, hit, blocks)
    return min(1.0, 2 * min(fewer, more))


def compared_branches(found: Iterable[Sequence[FoundBranch]]) -> tuple[StudyBranch, ...]:
    """Return the branches of gates that several studies share, with the verdicts on them."""
    every = [one for study in found for one in study]
    studies = Counter(gate for gate, _ in {(one.told.gate, one.told.study) for one in every})
    kept = [one for one in every if studies[one.told.gate] > 1]
    labels: dict[tuple[object, ...], Counter[str]] = {}
    for one in kept:
        labels.setdefault(one.key, Counter())[one.told.branch] += 1
    order = {key: place for place, key in enumerate(labels)}
    gates = {gate: place for place, gate in enumerate(dict.fromkeys(o.told.gate for o in kept))}
    p_values = adjusted(np.array([one.told.p_value for one in kept])) if kept else ()
    told = [
        (
            (gates[one.told.gate], order[one.key]),
            replace(
                one.told,
                branch=labels[one.key].most_common(1)[0][0],
                standing=_standing(one.told, float(fair)),
            ),
        )
        for one, fair in zip(kept, p_values, strict=True)
    ]
    return tuple(branch for _, branch in sorted(told, key=lambda pair: pair[0]))


def _standing(branch: StudyBranch, p_value: float) -> Standing:
    if p_value > _SURE:
        return "no evidence"
    return (
        "wins" if branch.target_trials * branch.of > branch.trials * branch.target_of else "loses"
    )
