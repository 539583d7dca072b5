"""``condped.effects``: from a source to effects in units of the objective."""

from __future__ import annotations

from typing import Any, Unpack

from condped.analyse.effects.reached import LEVEL
from condped.analyse.effects.result import Effects
from condped.analyse.importance.analysis import analyse
from condped.analyse.importance.result import importance_result
from condped.analyse.options import Options, Question, TrialOptions, open_table
from condped.estimate.settings import EstimatorOptions, Settings
from condped.options import takes
from condped.read.options import ReadOptions
from condped.trials.used_trials import Handling


class EffectOptions(TrialOptions, EstimatorOptions, total=False):
    """What :func:`effects` takes beside a source, a target quantile and a level."""


@takes(EffectOptions, ReadOptions, Settings, Handling)
def effects(
    source: Any,
    *,
    target_quantile: float = 0.1,
    level: float = LEVEL,
    **options: Unpack[EffectOptions],
) -> Effects:
    """Find what trials reached by the values of each parameter, in units of the objective.

    Medians with exact intervals, best values and shares of the target set, for bins with about
    equally many trials; and if a parameter matters, its good values against all others.

    Parameters
    ----------
    source
        Anything that :func:`condped.read` takes and that fits into memory.
    target_quantile
        γ': the best trials of this share are the target set.
    level
        Confidence level of the medians' intervals.
    **options
        As for :func:`condped.importance`, whose verdicts and good values are used.

    Examples
    --------
    >>> import condped
    >>> found = condped.effects(condped.problems.get("activation-disjoint").sample(500, seed=0))
    >>> contrast = found["c"].regimes[0].contrast
    >>> contrast.inside.label, contrast.inside.trials, contrast.outside.trials
    ('0 … 0.48', 211, 289)
    """
    parsed = Options.of(effects, options)
    question = Question((target_quantile,), parsed.settings, parsed.handling, level=level)
    table = open_table("Finding effects", source, **parsed.reading)
    return importance_result(analyse(table, question)).effects_at(level)
