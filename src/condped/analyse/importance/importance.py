"""``condped.importance``: from a source to importances at one target quantile."""

from __future__ import annotations

from typing import Any, Unpack

from condped.analyse.importance.analysis import analyse
from condped.analyse.importance.result import ImportanceResult, importance_result
from condped.analyse.options import ANALYSIS, AnalysisOptions, Options, open_trials
from condped.options import takes
from condped.trials.outcome import Target


@takes(AnalysisOptions, *ANALYSIS)
def importance(
    source: Any,
    *,
    target_quantile: float = 0.1,
    target: Target | None = None,
    **options: Unpack[AnalysisOptions],
) -> ImportanceResult:
    """Estimate which parameters mattered for reaching the best trials.

    Parameters
    ----------
    source
        Anything that :func:`condped.read` takes: an Optuna study, a dataframe, a path.
    target_quantile
        γ': the best trials of this share are the target set.
    target
        An outcome to explain instead of good objectives: ``failed``, ``pruned``, ``nonfinite`` or
        ``infeasible``, or a boolean for each trial.
    **options
        How trials are read, what is estimated, and how trials that did not end well are treated:
        each is described below.

    Examples
    --------
    >>> import condped
    >>> table = condped.problems.get("activation-disjoint").sample(2000, seed=0)
    >>> condped.importance(table).names
    ('x', 'c', 'y')
    """
    parsed = Options.of(importance, options)
    question = parsed.question((target_quantile,), target)
    return importance_result(analyse(open_trials(source, **parsed.reading), question))
