"""From the numbers of single studies to what they have in common and where they differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from condped.analyse.across.decision import adjusted_p_values, agreement_of
from condped.analyse.across.result import (
    ComparedStudy,
    PooledParameter,
    StudyImportance,
)
from condped.analyse.across.study import FEWEST_HITS, MOST_NAMES, StudyNumbers, other_shares
from condped.analyse.evidence.evidence import plain_p
from condped.arrays import FloatArray, IntArray
from condped.estimate.statistics.pooling import (
    MANY_STUDIES,
    Spread,
    errors_if_alike,
    holm,
    mean_of,
    odd_p_values,
    spread_of,
    unlike_every_other,
)
from condped.safe_text import listed, percent, shortened

_TIED = "ties make the target sets too different in size to compare it"
_FEW = 2  # studies that are named rather than counted
ODD = 0.05  # chance of reporting any study as odd if none is


@dataclass(frozen=True, slots=True, eq=False)
class _ComparedParameter:
    """One parameter in the studies that have it and allow a conclusion.

    Attributes
    ----------
    cells
        Those of all these studies.
    studies, trials, values, sampling, chance, errors
        Those that can be compared, how many trials they have, what it explains there, both parts of
        its variance, and errors if the studies are alike.
    """

    name: str
    cells: tuple[StudyImportance, ...]
    studies: tuple[str, ...]
    trials: IntArray
    values: FloatArray
    sampling: FloatArray
    chance: FloatArray
    errors: FloatArray
    spread: Spread

    def odd_p_values(self) -> FloatArray:
        """Return (studies,): p-values of being odd; NaN where not tested."""
        if len(self.studies) < MANY_STUDIES:
            return unlike_every_other(self.values, self.sampling, self.chance, self.trials)
        return odd_p_values(self.values, self.errors, self.chance)


def pooled(
    studies: Sequence[StudyNumbers], cells: Sequence[StudyImportance], level: float
) -> tuple[tuple[PooledParameter, ...], tuple[StudyImportance, ...]]:
    """Return the parameters over all studies, and the cells with odd ones marked."""
    conclusive = {study.name: study for study in studies if study.result.status == "ok"}
    alike = _comparable_studies(list(conclusive.values()))
    by_name: dict[str, list[StudyImportance]] = {cell.parameter: [] for cell in cells}
    for cell in cells:
        if cell.study in conclusive:
            by_name[cell.parameter].append(cell)
    every = [
        _compare_parameter(name, own, conclusive, alike, level) for name, own in by_name.items()
    ]
    marked = _odd_ones(every, cells)
    odd: dict[str, list[str]] = {cell.parameter: [] for cell in marked}
    for cell in marked:
        if cell.odd:
            odd[cell.parameter].append(cell.study)
    p_values = np.array([one.spread.p_value for one in every])
    found = [
        replace(
            _pool_parameter(one, float(p_value), tuple(odd[one.name]), conclusive, level),
            reason=None
            if np.isfinite(p_value)
            else _why_not_compared(one.name, one.cells, conclusive, alike)
            if alike
            else _TIED,
        )
        for one, p_value in zip(every, adjusted_p_values(p_values, len(alike)), strict=True)
        if one.cells
    ]
    found.sort(key=lambda parameter: -parameter.importance)
    return tuple(found), marked


def _comparable_studies(conclusive: Sequence[StudyNumbers]) -> set[str]:
    """Return the studies that can be compared; none if they are two with other target sets."""
    alike = drawn_alike(conclusive)
    tied = len(alike) == 2 and other_shares([study.share for study in alike])
    return set() if tied else {study.name for study in alike}


def drawn_alike(studies: Sequence[StudyNumbers]) -> list[StudyNumbers]:
    """Return the studies that can be compared: those drawn at random, or the others if more.

    What a parameter explains depends on where trials were drawn, and samplers that learn draw where
    it varies less: a third of the pairs of a random run and one by TPE would seem to differ.
    """
    kinds = {kind: [one for one in studies if one.independent == kind] for kind in (True, False)}
    return max(kinds.values(), key=len)


def _compare_parameter(
    name: str,
    cells: Sequence[StudyImportance],
    conclusive: dict[str, StudyNumbers],
    alike: set[str],
    level: float,
) -> _ComparedParameter:
    studies = tuple(
        cell.study
        for cell in cells
        if cell.study in alike and conclusive[cell.study].explained[name].known
    )
    explained = [conclusive[study].explained[name] for study in studies]
    values = np.array([one.value for one in explained])
    sampling = np.array([one.sampling for one in explained])
    chance = np.array([one.chance for one in explained])
    trials = np.array([conclusive[study].trials for study in studies], dtype=np.int64)
    errors = errors_if_alike(sampling, chance, trials)
    spread = spread_of(values, errors, level)
    return _ComparedParameter(
        name, tuple(cells), studies, trials, values, sampling, chance, errors, spread
    )


def _odd_ones(
    every: Sequence[_ComparedParameter], cells: Sequence[StudyImportance]
) -> tuple[StudyImportance, ...]:
    """Return the cells, with those marked that are unlike the other studies."""
    places = [(one.name, study) for one in every for study in one.studies]
    p_values = [one.odd_p_values() for one in every]
    corrected = holm(np.concatenate(p_values)) if p_values else np.zeros(0)
    known = dict(zip(places, corrected.tolist(), strict=True))
    for one, own in zip(every, p_values, strict=True):
        if np.isfinite(own).any():  # with few studies, one is tested and the others are not odd
            untested = np.flatnonzero(np.isnan(own))
            known |= {(one.name, one.studies[place]): 1.0 for place in untested}
    return tuple(
        replace(cell, odd=p_value <= ODD, odd_p_value=plain_p(p_value))
        for cell in cells
        for p_value in (known.get((cell.parameter, cell.study), np.nan),)
    )


def _pool_parameter(
    one: _ComparedParameter,
    adjusted_p: float,
    odd: tuple[str, ...],
    conclusive: dict[str, StudyNumbers],
    level: float,
) -> PooledParameter:
    importances = np.array([cell.importance for cell in one.cells])
    errors = np.array([_importance_error(conclusive[cell.study], one.name) for cell in one.cells])
    mean = mean_of(importances, errors, level)
    explained = [cell.explained for cell in one.cells if cell.explained is not None]
    labels = tuple(dict.fromkeys(conclusive[cell.study].domains[one.name] for cell in one.cells))
    if len(one.cells) == 1:  # the study's own interval
        (cell,) = one.cells
        low = mean.value if cell.low is None else cell.low
        high = mean.value if cell.high is None else cell.high
    else:
        low, high = max(0.0, mean.low), min(1.0, mean.high)
    return PooledParameter(
        name=one.name,
        studies=len(one.cells),
        importance=mean.value,
        low=low,
        high=high,
        explained=float(np.mean(explained)) if explained else 0.0,
        spread=one.spread.deviation,
        spread_p_value=plain_p(one.spread.p_value),
        agreement=agreement_of(adjusted_p),
        matters_in=sum(cell.verdict == "matters" for cell in one.cells),
        odd=odd,
        domains=labels if len(labels) > 1 else (),
        compared=len(one.studies),
        spread_low=one.spread.low,
        spread_high=plain_p(one.spread.high),
        adjusted_p_value=plain_p(adjusted_p),
    )


def _importance_error(study: StudyNumbers, name: str) -> float:
    intervals = study.result[name].intervals
    return 0.0 if intervals is None else intervals.importance.standard_error


def comparison_limits(studies: Sequence[StudyNumbers]) -> Iterator[str]:
    """Iterate over what limits the comparison: parameters that few target trials have, and ties."""
    conclusive = [study for study in studies if study.result.status == "ok"]
    if len(conclusive) < 2:
        return
    compared = drawn_alike(conclusive)
    others = [study.name for study in conclusive if study not in compared]
    if len(compared) > 1:
        yield from _otherwise_drawn(compared, others)
        yield from _rarely_there(compared)
    elif others:
        yield (
            f"What parameters explain is not compared, since it depends on how trials were drawn: "
            f"{shortened(compared[0].name)} at random, {shortened(others[0])} by a sampler that "
            "learns from results."
        )
    least = min(study.share for study in conclusive)
    tied = [study.name for study in conclusive if other_shares((study.share, least))]
    if tied:
        yield (
            f"Because of ties, target sets differ in size, from {percent(least)} of the trials to "
            f"{percent(max(study.share for study in conclusive))}, and what a parameter explains "
            f"depends on that. Larger ones: {listed(tied, MOST_NAMES)}."
        )


def _otherwise_drawn(compared: Sequence[StudyNumbers], others: Sequence[str]) -> Iterator[str]:
    """Say which studies are not compared, since their trials were drawn in another way."""
    if not others:
        return
    own, rest = "at random", "by samplers that learn from results"
    if compared[0].independent:
        own, rest = rest, own
    yield (
        f"Left out of the comparison, since {'its' if len(others) == 1 else 'their'} trials were "
        f"drawn {own}: {listed(others, MOST_NAMES)}. Those of the other {len(compared)} studies "
        f"were drawn {rest}, and what a parameter explains depends on that."
    )


def _rarely_there(compared: Sequence[StudyNumbers]) -> Iterator[str]:
    """Say which parameters too few target trials have, grouped by studies."""
    lacking: dict[str, list[str]] = {}
    for study in compared:
        for name, one in study.explained.items():
            if not one.known:
                lacking.setdefault(name, []).append(study.name)
    together: dict[tuple[str, ...], list[str]] = {}
    for name, where in lacking.items():
        together.setdefault(tuple(where), []).append(name)
    rare = [
        f"{listed(names, MOST_NAMES)} in {_counted_studies(where, len(compared))}"
        for where, names in list(together.items())[:MOST_NAMES]
    ]
    if rare:
        more = len(together) - len(rare)
        yield (
            f"Left out of the comparison, since fewer than {FEWEST_HITS} target trials have the "
            f"parameter: {'; '.join(rare)}{'; and others' if more else ''}."
        )


def _counted_studies(names: Sequence[str], every: int) -> str:
    """Name few studies, and count many."""
    if len(names) <= _FEW:
        return " and ".join(map(shortened, names))
    return f"{len(names)} of {every} studies"


def _why_not_compared(
    name: str,
    cells: Sequence[StudyImportance],
    conclusive: dict[str, StudyNumbers],
    alike: set[str],
) -> str:
    """Return why a parameter cannot be compared, ending in "it"."""
    have = [cell.study for cell in cells]
    if len(have) == 1:
        return f"only {shortened(have[0])} has it"
    own = [study for study in have if study in alike]
    if len(own) < 2:
        return "fewer than two studies that were drawn alike have it"
    hits = {study: conclusive[study].explained[name].hits for study in own}
    few = [study for study, number in hits.items() if number < FEWEST_HITS]
    if len(own) - len(few) > 1:
        return "there are too few trials to estimate the error of it"
    where = _counted_studies(few, len(conclusive))
    if any(hits[study] for study in few):
        return f"in {where} fewer than {FEWEST_HITS} target trials have it"
    if len(few) == len(conclusive):
        return "no target trial of any study has it"
    return f"in {where} no target trial has it"


def compared_study(
    study: StudyNumbers, names: Sequence[str], same_as: str | None = None
) -> ComparedStudy:
    """Describe a study; ``names`` are the parameters of all."""
    trials = study.result.account.trials
    return ComparedStudy(
        name=study.name,
        trials=trials.total,
        used=trials.used,
        target_size=study.result.target_size,
        sampling=study.result.evidence.sampling,
        reason=study.result.reason,
        missing=tuple(name for name in names if name not in study.result),
        learnt=not study.independent,
        same_as=same_as,
    )
