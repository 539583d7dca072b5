"""What led to trials failing, being pruned or diverging."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from condped.analyse.importance.analysis import analyse
from condped.analyse.importance.result import ImportanceResult, importance_result
from condped.analyse.options import Question
from condped.analyse.report.numbers import small
from condped.analyse.values import RegimeDensity
from condped.count.trials import Trials
from condped.trials.used_trials import ENDINGS, Handling, TrialCounts

_FEWEST = 5  # trials with an ending, and without it, that it takes to explain it


def endings_data(
    trials: Trials,
    question: Question,
    counts: TrialCounts,
    durations: Mapping[str, float] | None,
) -> list[dict[str, Any]]:
    """Return which parameters and values led to each ending that trials had.

    ``durations`` are the seconds that trials took, by ending and in total, if known.
    """
    if question.target is not None:
        return []  # the page itself is about one of them
    return [
        _ending(trials, question, name, counts) | _time(durations or {}, name)
        for name in ENDINGS
        if getattr(counts, name)
    ]


def _time(durations: Mapping[str, float], name: str) -> dict[str, Any]:
    """Return the seconds that trials with an ending took, and all trials; none if unknown."""
    own = durations.get(name)
    return {"seconds": [own, durations["total"]]} if own else {}


def _ending(trials: Trials, question: Question, name: str, counts: TrialCounts) -> dict[str, Any]:
    ended = getattr(counts, name)
    data: dict[str, Any] = {"outcome": name, "trials": ended, "of": counts.total}
    if min(ended, counts.total - ended) < _FEWEST:
        return data | {"reason": f"fewer than {_FEWEST} trials to compare", "parameters": []}
    settings = replace(question.settings, region_quantile=1.0)
    ending = replace(question, settings=settings, handling=Handling(), target=name, intervals=None)
    result = importance_result(analyse(trials, ending))
    return data | {
        "trials": result.target_size,
        "of": result.account.region_size,
        "reason": result.reason,
        "parameters": list(_causes(result)),
    }


def _causes(result: ImportanceResult) -> Iterator[dict[str, Any]]:
    """Iterate over what may have led to an ending, the most important parameter first."""
    for parameter in result:
        tested = result.evidence[parameter.name]
        yield {
            "name": parameter.name,
            "importance": round(parameter.importance, 5),
            "verdict": tested.verdict,
            "p": small([tested.adjusted_p_value])[0],
            "values": [
                value
                for density in result.densities[parameter.name]
                for value in _leading_values(density)
            ],
        }


def _leading_values(density: RegimeDensity) -> Iterator[dict[str, Any]]:
    """Iterate over values that lead to an ending: how many trials had it there, and elsewhere."""
    ended, all_trials = int(density.target.sum()), int(density.region.sum())
    for good in density.good:
        yield {
            "label": good.label,
            "inside": [good.target_trials, good.region_trials],
            "outside": [ended - good.target_trials, all_trials - good.region_trials],
        }
