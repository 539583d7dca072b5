"""Good values of each parameter in one study, and what trials reached with and without them."""

from __future__ import annotations

from dataclasses import dataclass

from condped.analyse.effects.find import StudyTrials, good_medians
from condped.analyse.effects.reached import LEVEL
from condped.analyse.importance.result import ImportanceResult


@dataclass(frozen=True, slots=True)
class StudyEffect:
    """Good values of a parameter in one study.

    If it has several regimes, those of the one with the most target trials.

    Attributes
    ----------
    inside, outside
        The median objective with good values and with others; None if trials are not in memory, or
        with several objectives.
    """

    good: tuple[str, ...]
    inside: float | None = None
    outside: float | None = None


def study_effects(result: ImportanceResult) -> dict[str, StudyEffect]:
    """Return the effects of the parameters that matter and have good values."""
    found: dict[str, StudyEffect] = {}
    if result.status != "ok" or not result.has_evidence:
        return found
    for name in result.names:
        if result.evidence[name].verdict == "matters":
            regimes = [regime for regime in result.densities[name] if regime.good]
            if regimes:
                most = max(regimes, key=lambda one: sum(good.target_trials for good in one.good))
                found[name] = StudyEffect(tuple(good.label for good in most.good))
    return found | _from_trials(result, tuple(found))


def _from_trials(result: ImportanceResult, names: tuple[str, ...]) -> dict[str, StudyEffect]:
    """Return the effects of these parameters with medians, if the trials are in memory."""
    counts = None if result._analysis is None else result._analysis.counts
    if counts is None or counts.trials is None or counts.trials.given.in_memory is None:
        return {}
    if not names or len(counts.trials.given.goals) > 1 or result.target_quantile is None:
        return {}
    study = StudyTrials.of(counts, LEVEL)
    effects: dict[str, StudyEffect] = {}
    for name in names:
        found = good_medians(study, result.densities[name], name)
        if found is not None:
            density, inside, outside = found
            labels = tuple(good.label for good in density.good)
            effects[name] = StudyEffect(labels, inside, outside)
    return effects
