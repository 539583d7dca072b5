"""The numbers of one study among several."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from condped.analyse.across.branches import FoundBranch, study_branches
from condped.analyse.across.effects import StudyEffect, study_effects
from condped.analyse.evidence.significance import all_replayed
from condped.analyse.importance.analysis import Analysis, answered, count_sets
from condped.analyse.importance.intervals import replicated
from condped.analyse.importance.result import ImportanceResult, importance_result
from condped.analyse.importance.set_counts import SetCounts
from condped.analyse.options import Question
from condped.arrays import BoolArray, FloatArray
from condped.count.counts import StudyCounts, is_ordered
from condped.count.trials import Trials
from condped.estimate.calibrated_estimator import calibrated_estimate
from condped.estimate.estimator import per_parameter, regime_sizes
from condped.estimate.leave_one_out import chance_variance
from condped.estimate.settings import Measure

# The jackknife counts what chance alone gives three times: twice as a sum over pairs of trials
# (Efron and Stein), and once because cut-offs move.
_CHANCE_IN_JACKKNIFE = 3.0
# Runs of a sampler that learns differ by more than the trials of one run and its replays show: by
# the first factor, or by the second where nothing could be replayed. Chosen on some of the stored
# studies, measured on the others and on fresh ones (docs/trust/across.md).
_LEARNING = 1.5
_NOT_REPLAYED = 3.0
# Which branch such a sampler settles on is luck, too: the error of what a parameter inside a branch
# explains, as a share of it.
_LUCKY_BRANCH = 1 / 3
# Ratio of the target sets' shares of the trials above which nothing is compared: with such ties,
# what a parameter explains is not the same thing.
_OTHER_SHARE = 1.5
MOST_NAMES = 5  # listed in a message or a note
FEWEST_HITS = 5  # target trials with a parameter; with fewer, errors are unreliable


@dataclass(frozen=True, slots=True)
class ExplainedShare:
    """The share of reaching the target set that a parameter explains.

    Attributes
    ----------
    value
        Estimated without bias, so sometimes below 0 if it explains nothing. The paper's η² is too
        high by an amount that depends on the number of trials, so that studies of different sizes
        would seem to differ.
    sampling
        The part of its variance that comes from how other trials would show the effect; about
        1 / trials. Sometimes below 0, since it is estimated. NaN: unknown.
    chance
        Its variance if the parameter had no effect: by chance, and by the drift of a sampler that
        learns. NaN: unknown.
    hits
        How many target trials have the parameter; with fewer than five, errors are unreliable.
    """

    value: float
    sampling: float
    chance: float
    hits: int

    @property
    def error(self) -> float:
        """The standard error; NaN: unknown."""
        return math.sqrt(max(self.sampling, 0.0) + self.chance)

    @property
    def known(self) -> bool:
        """Whether it can be compared: its value and its error are known."""
        enough = self.hits >= FEWEST_HITS and math.isfinite(self.value)
        return enough and math.isfinite(self.error) and self.error > 0


@dataclass(frozen=True, eq=False)
class StudyNumbers:
    """What is compared between studies: its importances, and what its parameters explain."""

    name: str
    result: ImportanceResult
    explained: dict[str, ExplainedShare]
    independent: bool = True  # whether trials were drawn without regard to results
    effects: dict[str, StudyEffect] = field(default_factory=dict)
    branches: tuple[FoundBranch, ...] = ()

    @property
    def trials(self) -> int:
        """How many trials it has that count."""
        return self.result.account.trials.used

    @property
    def share(self) -> float:
        """The share of its trials that is in the target set; larger than requested with ties."""
        return self.result.target_size / max(self.trials, 1)

    def described(self) -> StudyNumbers:
        """Return the same with effects and branches, which need the trials."""
        branches = study_branches(self.name, self.result)
        return replace(self, effects=study_effects(self.result), branches=branches)

    @cached_property
    def domains(self) -> dict[str, str]:
        """Labels of each parameter's domains, in the same order in all studies."""
        return {
            one.name: ", ".join(sorted({r.label for r in one.regimes if r.domain is not None}))
            for one in self.result
        }

    def detached(self) -> StudyNumbers:
        """Return the same without the trials."""
        own = self.result._analysis
        assert own is not None
        kept = own.detached(tests=True, evidence=True)
        return replace(self, result=replace(self.result, _analysis=kept))


def other_shares(shares: Sequence[float]) -> bool:
    """Return whether target sets differ so much in size that explained shares do, too."""
    return max(shares) > _OTHER_SHARE * min(shares)


def study_numbers(name: str, trials: Trials, question: Question) -> StudyNumbers:
    """Return the numbers of one study; without errors where it has too few trials."""
    analysis = answered(count_sets(trials, question), question)
    return StudyNumbers(
        name,
        importance_result(analysis),
        explained_shares(analysis, question),
        analysis.counts.significance.decision.at_random,
    )


def explained_shares(analysis: Analysis, question: Question) -> dict[str, ExplainedShare]:
    """Return what each parameter explains, with errors."""
    counts, trials = analysis.counts, analysis.counts.trials
    assert trials is not None
    names = analysis.numbers.names
    if analysis.numbers.reasons[0] is not None:
        return dict.fromkeys(names, ExplainedShare(math.nan, math.nan, math.nan, 0))
    p_values = counts.p_values  # first: the test counts by rank in blocks of time, of which
    ranked = counts.ranked  # these are the sums
    found = calibrated_estimate(ranked, p_values)
    share = ranked.target_sizes[0] / max(ranked.region_size, 1)
    unit = share * (1 - share)
    bias, drift = _sampler_drift(counts, found.contribution.shape)
    values = per_parameter(found.contribution - bias, found.owner, len(names))[0] / unit
    chance = per_parameter(_chance_variances(ranked), found.owner, len(names))[0] / unit**2
    drifted = per_parameter(drift, found.owner, len(names))[0] / unit**2
    unbiased = _unbiased(question)
    parts = replicated(trials.raw, trials.top, unbiased)
    sampling = np.full(len(names), np.nan)
    if parts is not None:
        sampling = _replicated_variance(*parts, unbiased) - _CHANCE_IN_JACKKNIFE * chance
    if not counts.significance.decision.at_random:
        stretch = np.where(drifted > 0, _LEARNING, _NOT_REPLAYED) ** 2
        sampling, chance = stretch * sampling, stretch * np.maximum(chance, drifted)
        inside = np.where(_are_conditional(ranked), np.maximum(values, 0.0), 0.0)
        chance = chance + (_LUCKY_BRANCH * inside) ** 2
    hits = per_parameter(found.target_trials * _present_regimes(ranked), found.owner, len(names))[0]
    return {
        name: ExplainedShare(float(value), float(part), float(random), int(number))
        for name, value, part, random, number in zip(
            names, values, sampling, chance, hits, strict=True
        )
    }


def _unbiased(question: Question) -> Question:
    """Return the question that studies are compared by, whatever importances were requested.

    It is about values within regimes, compared with the region set, as the calibrated method is.
    """
    measure = question.settings.measure
    plain: Measure = "unconditional" if measure == "unconditional" else "within"
    settings = replace(question.settings, method="calibrated", measure=plain, reference="region")
    return replace(question, settings=settings, intervals=question.intervals or "jackknife")


def _replicated_variance(variance: FloatArray, kappa: FloatArray, question: Question) -> FloatArray:
    """Return (P,): the variance of explained shares from those of subsamples."""
    shares = (variance / (kappa * (1.0 - kappa)))[:, 0]
    if question.intervals == "half-sampling":
        return np.asarray(shares.var(axis=0, ddof=1))
    return np.asarray((len(shares) - 1) * shares.var(axis=0))


def _sampler_drift(counts: SetCounts, shape: tuple[int, ...]) -> tuple[FloatArray, FloatArray]:
    """Return (R, T): what each regime gets from the sampler alone, and the variance of this."""
    found = counts.significance
    if found.decision.test in ("both", "independent"):  # which replay some of the parameters
        assert counts.trials is not None
        again = all_replayed(counts.trials, found.decision)
        found = found if again is None else again
    nothing = np.zeros(shape)
    return (
        nothing if found.bias is None else found.bias,
        nothing if found.scatter is None else found.scatter,
    )


def _chance_variances(counts: StudyCounts) -> FloatArray:
    """Return (R, 1): the variance of each regime's contribution if membership were random."""
    regimes, _, target_trials, region_trials = regime_sizes(counts)
    found = [
        chance_variance(regime.region, int(hits[0]), int(trials), ordered=is_ordered(regime.domain))
        if len(regime.region) > 1
        else 0.0
        for regime, hits, trials in zip(regimes, target_trials, region_trials, strict=True)
    ]
    return np.array(found).reshape(-1, 1) / max(counts.region_size, 1) ** 2


def _are_conditional(counts: StudyCounts) -> BoolArray:
    """Return (P,): whether some trials do not have the parameter."""
    return np.array(
        [
            bool(one.dropped_region.size) or any(regime.domain is None for regime in one.regimes)
            for one in counts.parameters
        ]
    )


def _present_regimes(counts: StudyCounts) -> FloatArray:
    """Return (R, 1): 1 for regimes in which the parameter is present."""
    regimes, _, _, _ = regime_sizes(counts)
    return np.array([[float(regime.domain is not None)] for regime in regimes]).reshape(-1, 1)
