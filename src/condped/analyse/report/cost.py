"""What makes trials slow, for a page on what makes them good."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from condped.analyse.effects.result import ParameterEffect
from condped.analyse.importance.analysis import analyse
from condped.analyse.importance.result import ImportanceResult, importance_result
from condped.analyse.options import Question
from condped.trials.table import DURATION, TrialTable

_FEWEST = 20  # trials with a known duration that it takes to explain it
_QUANTILE = 0.1  # the share of slowest trials to explain


def cost_data(table: TrialTable | None, question: Question) -> dict[str, Any] | None:
    """Return what the slowest trials have in common; None if durations are not recorded.

    None also if the page itself is about durations or an outcome.
    """
    if table is None or table.times is None or question.target is not None:
        return None
    if any(objective.name == DURATION for objective in table.objectives):
        return None
    durations = table.times.durations[np.isfinite(table.times.durations)]
    if len(durations) < _FEWEST or durations.min() == durations.max():
        return None
    timed = table.with_objective(DURATION)
    slow = replace(timed, objectives=(replace(timed.objectives[0], direction="maximize"),))
    settings = replace(question.settings, region_quantile=1.0)
    slowest = replace(question, target_quantiles=(_QUANTILE,), settings=settings, intervals=None)
    result = importance_result(analyse(slow, slowest))
    return {
        "reason": result.reason,
        "size": result.target_size,
        "of": result.account.region_size,
        "parameters": [] if result.reason else list(_causes(result)),
    }


def _causes(result: ImportanceResult) -> Iterator[dict[str, Any]]:
    for effect in result.effects:
        yield {
            "name": effect.name,
            "importance": round(effect.importance, 5),
            "verdict": effect.verdict,
            "values": list(_values(effect)),
        }


def _values(effect: ParameterEffect) -> Iterator[dict[str, Any]]:
    """Iterate over values of slow trials: median seconds with them, and with the others."""
    for regime in effect.regimes:
        contrast = regime.contrast
        if contrast is not None and contrast.chosen == "good":
            yield {
                "label": contrast.inside.label,
                "inside": contrast.inside.reached[0].median,
                "outside": contrast.outside.reached[0].median,
            }
