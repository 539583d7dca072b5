"""From counted trials to effects: which trials lie in which bin, and what they reached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from condped.analyse.effects.bins import Bin, bins_of
from condped.analyse.effects.reached import LEVEL, reached_by
from condped.analyse.effects.result import (
    Chosen,
    Contrast,
    Effects,
    ParameterEffect,
    RegimeEffect,
    SameTime,
    ValueGroup,
    ValueSpan,
)
from condped.analyse.effects.sentences import effect_sentence, short_sentence
from condped.analyse.effects.trials import shown_trials, thinned
from condped.analyse.evidence.evidence import Evidence
from condped.analyse.evidence.sampling import strata_of
from condped.analyse.importance.account import Account
from condped.analyse.importance.set_counts import SetCounts, SetTrials
from condped.analyse.values import (
    Densities,
    RegimeDensity,
    choices_label,
    good_places,
    is_good,
    range_label,
)
from condped.arrays import BoolArray, IntArray
from condped.count.ranking import ranked
from condped.errors import SettingsError
from condped.safe_text import shortened
from condped.space.domain import Categorical, Domain
from condped.trials.batch import Batch
from condped.trials.regimes import expand_domains
from condped.trials.table import Parameter, TrialTable

_MOST_OF_STRATUM = 16  # trials inside, and outside, that are paired with each other


@dataclass(frozen=True, slots=True, eq=False)
class StudyTrials:
    """The trials that effects are computed from.

    Attributes
    ----------
    table
        All trials, with the analysis's domains.
    parameters
        Its parameters, by name.
    region
        Positions of those of the region set, in order of time.
    rows
        Positions of those of the region set that have an objective, in order of time.
    target
        (all trials,): which are in the target set.
    strata
        (all trials,): which were drawn at the same time; None if the sampler does not learn.
    without_value
        Trials of the region set that count as worst.
    """

    table: TrialTable
    parameters: Mapping[str, Parameter]
    region: IntArray
    rows: IntArray
    target: BoolArray
    strata: IntArray | None
    without_value: int
    level: float

    @classmethod
    def of(cls, counts: SetCounts, level: float) -> StudyTrials:
        """Return the trials of an analysis; raise if they are not available."""
        sets = counts.trials
        if sets is None:
            raise SettingsError(
                "Effects need the trials, which a result that was saved does not have. Call "
                "condped.effects on the source; what it returns can be saved."
            )
        if sets.quantiles is None:
            raise SettingsError(
                "Effects are about what good trials reached; this result explains an outcome. "
                "Leave target out."
            )
        table = _table_of(sets)
        batch = Batch(table)
        _, region, target = sets.top.members(batch)
        ordinary = ranked(batch, sets.top.ranking).ordinary
        valued = region if ordinary is None else region & ordinary
        rows = np.flatnonzero(valued)
        strata = None
        if is_adaptive(counts):
            strata = np.full(len(table), -1)
            pieces = np.array_split(rows, strata_of(len(rows)))
            strata[rows] = np.repeat(np.arange(len(pieces)), [len(piece) for piece in pieces])
        named = {parameter.name: parameter for parameter in table.parameters}
        every = np.flatnonzero(region)
        worst = len(every) - len(rows)
        return cls(table, named, every, rows, target & valued, strata, worst, level)

    def group(self, group: Bin, rows: IntArray) -> ValueGroup:
        """Return what these trials reached."""
        return ValueGroup(
            label=group.label,
            trials=len(rows),
            target_trials=int(np.count_nonzero(self.target[rows])),
            reached=tuple(reached_by(one, rows, self.level) for one in self.table.objectives),
            low=group.low, high=group.high, left=group.left, right=group.right, choice=group.choice,
        )  # fmt: skip

    def same_time(self, inside: IntArray, outside: IntArray) -> tuple[SameTime, ...]:
        """Compare trials with others that were drawn at the same time."""
        if self.strata is None:
            return ()
        one, other = _pairs(self.strata, inside, outside)
        if not len(one):
            return ()
        found = []
        for objective in self.table.objectives:
            difference = objective.values[one] - objective.values[other]
            gain = -difference if objective.direction == "minimize" else difference
            tied = float(np.mean(gain == 0))
            better = float(np.mean(gain > 0)) + tied / 2
            median = float(np.median(difference))
            found.append(SameTime(objective.name, len(one), better, tied, median))
        return tuple(found)


def find_effects(
    counts: SetCounts,
    evidence: Evidence,
    densities: Densities,
    account: Account,
    importances: Sequence[tuple[str, float]],
    *,
    target_quantile: float,
    level: float = LEVEL,
) -> Effects:
    """Return the effects of these parameters, in their order."""
    study = StudyTrials.of(counts, level)
    return Effects(
        parameters=tuple(
            find_effect(study, evidence, densities, name, importance)
            for name, importance in importances
        ),
        target_quantile=target_quantile,
        target_size=int(counts.grid.target_sizes[0]),
        everything=study.group(Bin("all trials", np.zeros(0, dtype=bool)), study.rows),
        level=level,
        adaptive=study.strata is not None,
        sampling=counts.sampling,
        without_value=study.without_value,
        account=account,
        trials=shown_trials(study.table, study.target),
    )


def find_sentences(
    counts: SetCounts, evidence: Evidence, densities: Densities, names: Sequence[str]
) -> tuple[str, ...]:
    """Say what each of these parameters does."""
    if not names:
        return ()
    study = StudyTrials.of(counts, LEVEL)
    found = (find_effect(study, evidence, densities, name, 0.0) for name in names)
    return tuple(
        f"{shortened(effect.name)}: {effect.short or effect.sentence}." for effect in found
    )


def find_effect(
    study: StudyTrials, evidence: Evidence, densities: Densities, name: str, importance: float
) -> ParameterEffect:
    """Return the effect of one parameter."""
    parameter = study.parameters[name]
    ids = np.asarray(parameter.domain_ids)[study.rows]
    verdict = evidence[name].verdict
    regimes = [
        _regime(study, parameter, density, study.rows[ids == place], matters=verdict == "matters")
        for density in densities[name]
        for place in (parameter.domains.index(density.domain),)
    ]
    absent = study.rows[ids < 0]
    if len(absent):
        group = study.group(Bin("absent", np.zeros(0, dtype=bool)), absent)
        regimes.append(RegimeEffect(None, "absent", group.trials, group.target_trials, (group,)))
    sentence = effect_sentence(regimes, evidence[name])
    short = short_sentence(regimes)
    return ParameterEffect(name, importance, verdict, tuple(regimes), sentence, short)


def good_medians(
    study: StudyTrials, densities: Sequence[RegimeDensity], name: str
) -> tuple[RegimeDensity, float, float] | None:
    """Return the regime with the most target trials among those with good values.

    Along with it, the median objective of its trials with good values, and that of the others; None
    if no regime has both. These are the contrasts of :func:`find_effect` and nothing else.
    """
    parameter = study.parameters[name]
    ids = np.asarray(parameter.domain_ids)[study.rows]
    most, found = -1, None
    for density in densities:
        rows = study.rows[ids == parameter.domains.index(density.domain)]
        target = int(np.count_nonzero(study.target[rows]))
        if not density.good or target <= most:
            continue
        inside = is_good(density.domain, density.good, parameter.values[rows])
        both = [
            reached_by(study.table.objectives[0], own, study.level).median
            for own in (rows[inside], rows[~inside])
        ]
        if both[0] is not None and both[1] is not None:
            most, found = target, (density, both[0], both[1])
    return found


def _regime(
    study: StudyTrials,
    parameter: Parameter,
    density: RegimeDensity,
    rows: IntArray,
    *,
    matters: bool,
) -> RegimeEffect:
    domain = density.domain
    values = parameter.values[rows]
    bins = bins_of(domain, values)
    groups = tuple(study.group(one, rows[one.rows]) for one in bins)
    contrast = None
    if density.good:
        inside = is_good(domain, density.good, values)
        label = " or ".join(good.label for good in density.good)
        contrast = _contrast(study, "good", _spans(density), Bin(label, inside), rows)
    elif matters:
        best = _best_bins(study, domain, groups)
        if best:
            spans, label = _joined_spans(domain, [bins[place] for place in best], best)
            inside = np.any([bins[place].rows for place in best], axis=0)
            contrast = _contrast(study, "best", spans, Bin(label, inside), rows)
    target = int(np.count_nonzero(study.target[rows]))
    return RegimeEffect(domain, density.label, len(rows), target, groups, contrast)


def _best_bins(study: StudyTrials, domain: Domain, groups: Sequence[ValueGroup]) -> list[int]:
    """Return the places of the bins that share the best median; none if no bin stands out.

    If all choices share it, those with the largest share of target trials; of ranges none, as that
    would be one of several that are equally good. Bins whose median has no interval do not count,
    and with several objectives no bin is best.
    """
    if len(study.table.objectives) > 1:
        return []
    sign = -1.0 if study.table.objectives[0].direction == "maximize" else 1.0
    known = [
        (place, sign * reached.median)
        for place, group in enumerate(groups)
        for reached in group.reached
        if reached.median is not None and reached.median_low is not None
    ]
    found = _lowest(known)
    if len(found) == len(known) and isinstance(domain, Categorical):
        found = _lowest([(place, -(groups[place].target_share or 0.0)) for place in found])
    return found if len(found) < len(known) else []


def _lowest(known: Sequence[tuple[int, float]]) -> list[int]:
    """Return the places with the lowest number."""
    lowest = min((number for _, number in known), default=0.0)
    return [place for place, number in known if number == lowest]


def _joined_spans(
    domain: Domain, bins: Sequence[Bin], places: Sequence[int]
) -> tuple[tuple[ValueSpan, ...], str]:
    """Return the values of some bins, neighbouring ranges joined, and their label."""
    if isinstance(domain, Categorical):
        chosen = tuple(domain.choices[place] for place in places)
        return tuple(ValueSpan(None, None, place) for place in places), choices_label(chosen)
    spans: list[ValueSpan] = []
    for number, (one, place) in enumerate(zip(bins, places, strict=True)):
        low = one.low
        if number and place == places[number - 1] + 1:
            low = spans.pop().low
        spans.append(ValueSpan(low, one.high))
    labels = [range_label(span.low or 0.0, span.high or 0.0) for span in spans]
    return tuple(spans), " or ".join(labels)


def _spans(density: RegimeDensity) -> tuple[ValueSpan, ...]:
    if isinstance(density.domain, Categorical):
        places = (place for good in density.good for place in good_places(density.domain, good))
        return tuple(ValueSpan(None, None, place) for place in places)
    return tuple(ValueSpan(good.low, good.high) for good in density.good)


def _contrast(
    study: StudyTrials, chosen: Chosen, spans: tuple[ValueSpan, ...], one: Bin, rows: IntArray
) -> Contrast | None:
    inside, outside = rows[one.rows], rows[~one.rows]
    if not len(inside) or not len(outside):
        return None
    others = Bin("outside", ~one.rows)
    return Contrast(
        chosen,
        spans,
        study.group(one, inside),
        study.group(others, outside),
        study.same_time(inside, outside),
    )


def _pairs(strata: IntArray, inside: IntArray, outside: IntArray) -> tuple[IntArray, IntArray]:
    """Return the trials of each pair of one inside and one outside of the same stratum."""
    first, second = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    # Both are in order of time, as the strata are.
    own, others = strata[inside], strata[outside]
    shared = np.intersect1d(own, others)
    for one, other in zip(
        _stratum_rows(inside, own, shared), _stratum_rows(outside, others, shared), strict=True
    ):
        first.append(np.repeat(one, len(other)))
        second.append(np.tile(other, len(one)))
    return np.concatenate(first), np.concatenate(second)


def _stratum_rows(rows: IntArray, strata: IntArray, selected: IntArray) -> list[IntArray]:
    """Return the rows of each selected stratum, evenly thinned if there are many."""
    starts = np.searchsorted(strata, selected).tolist()
    ends = np.searchsorted(strata, selected, side="right").tolist()
    return [
        thinned(rows[start:end], _MOST_OF_STRATUM) for start, end in zip(starts, ends, strict=True)
    ]


def is_adaptive(counts: SetCounts) -> bool:
    """Return whether the sampler learnt from results, or values depend on time in another way."""
    return counts.decision.test not in ("one", "none")


def _table_of(sets: SetTrials) -> TrialTable:
    table = sets.raw.table("Finding effects")
    return expand_domains(table) if sets.raw.spanned else table
