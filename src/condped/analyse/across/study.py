"""The numbers of one study among several."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from condped.analyse.across.branches import FoundBranch, study_branches
from condped.analyse.across.effects import StudyEffect, study_effects
from condped.analyse.importance.analysis import Analysis, answered, count_sets
from condped.analyse.importance.intervals import replicated
from condped.analyse.importance.result import ImportanceResult, importance_result
from condped.analyse.options import Question
from condped.arrays import FloatArray
from condped.count.trials import Trials
from condped.estimate.calibrated_estimator import calibrated_estimate
from condped.estimate.estimator import per_parameter

# Runs of one sampler that learns differ by more than the trials of a run show: how far its errors
# are stretched, so that two runs of one problem rarely differ (benchmarks/across.py).
_STRETCHED = 2.5


@dataclass(frozen=True, eq=False)
class StudyNumbers:
    """What is compared between studies.

    Attributes
    ----------
    result
        The study's importances.
    explained, errors
        By parameter: the share of reaching the target set that it explains, estimated without
        bias (so below 0 now and then where it explains nothing), and its standard error. The
        paper's η² is too high by an amount that depends on the number of trials, so that studies
        of different sizes would seem to differ.
    """

    name: str
    result: ImportanceResult
    explained: dict[str, float]
    errors: dict[str, float]
    effects: dict[str, StudyEffect] = field(default_factory=dict)
    branches: tuple[FoundBranch, ...] = ()

    def described(self) -> StudyNumbers:
        """Return the same with effects and branches, which need the trials."""
        branches = study_branches(self.name, self.result)
        return replace(self, effects=study_effects(self.result), branches=branches)

    @cached_property
    def domains(self) -> dict[str, str]:
        """The domains of each parameter, for people."""
        return {
            one.name: ", ".join(r.label for r in one.regimes if r.domain is not None)
            for one in self.result
        }

    def detached(self) -> StudyNumbers:
        """Return the same without the trials."""
        own = self.result._analysis
        assert own is not None
        kept = own.detached(tests=True, evidence=True)
        return replace(self, result=replace(self.result, _analysis=kept))


def study_numbers(name: str, trials: Trials, question: Question) -> StudyNumbers:
    """Return the numbers of one study; without errors where it has too few trials."""
    counts = count_sets(trials, question)
    analysis = answered(counts, question)
    result = importance_result(analysis)
    explained, errors = _explained(analysis, question)
    names = analysis.numbers.names
    return StudyNumbers(
        name,
        result,
        dict(zip(names, explained.tolist(), strict=True)),
        dict(zip(names, errors.tolist(), strict=True)),
    )


def _explained(analysis: Analysis, question: Question) -> tuple[FloatArray, FloatArray]:
    """Return (P,) unbiased shares that parameters explain, and their errors; NaN: unknown."""
    counts, trials = analysis.counts, analysis.counts.trials
    assert trials is not None
    unknown = np.full(len(analysis.numbers.names), np.nan)
    if analysis.numbers.reasons[0] is not None:
        return unknown, unknown
    found = calibrated_estimate(counts.ranked, counts.p_values, counts.bias)
    share = counts.ranked.target_sizes[0] / max(counts.ranked.region_size, 1)
    every = per_parameter(found.contribution, found.owner, len(unknown))[0]
    asked = replace(question.by("calibrated"), intervals=question.intervals or "jackknife")
    parts = replicated(trials.raw, trials.top, asked)
    if parts is None:
        return every / (share * (1 - share)), unknown
    variance, kappa = parts
    scattered = (variance / (kappa * (1 - kappa)))[:, 0]
    if asked.intervals == "half-sampling":
        errors = scattered.std(axis=0, ddof=1)
    else:
        errors = np.sqrt((len(scattered) - 1) * scattered.var(axis=0))
    adaptive = counts.significance.decision.test != "one"
    return every / (share * (1 - share)), errors * (_STRETCHED if adaptive else 1.0)
