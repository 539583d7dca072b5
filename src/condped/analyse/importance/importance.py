"""Importances at one target quantile."""

from __future__ import annotations

from typing import Any, Unpack

from condped.analyse.importance.analysis import analyse
from condped.analyse.importance.question import Question
from condped.analyse.importance.result import ImportanceResult, importance_result
from condped.analyse.opening import open_trials
from condped.count.resampling import Intervals
from condped.estimate.settings import (
    Measure,
    Method,
    Pooling,
    Reference,
    Sampling,
    Settings,
)
from condped.read.opening import Opening, check_opening
from condped.trials.outcome import Target
from condped.trials.topsets import Handling, LeftOut, Treatment


def importance(
    source: Any,
    *,
    target_quantile: float = 0.1,
    region_quantile: float = 1.0,
    target: Target | None = None,
    method: Method = "paper",
    measure: Measure = "within",
    reference: Reference = "region",
    sampling: Sampling = "adaptive",
    pooling: Pooling = "auto",
    intervals: Intervals | None = None,
    level: float = 0.9,
    seed: int = 0,
    failed: LeftOut = "drop",
    pruned: Treatment = "drop",
    nonfinite: LeftOut = "drop",
    infeasible: Treatment = "keep",
    **opening: Unpack[Opening],
) -> ImportanceResult:
    """Estimate which parameters mattered for reaching the best trials.

    Parameters
    ----------
    source
        A TrialTable or anything that :func:`condped.read` takes: an Optuna study, a dataframe,
        a mapping of arrays, the path of a CSV or Parquet file.
    target_quantile
        γ': the best trials of this share are the target set.
    region_quantile
        γ: the importance is measured inside the best trials of this share.
    target
        Something else than good objectives to explain: ``failed``, ``pruned``, ``nonfinite`` or
        ``infeasible``, or a truth value for each trial.
    method, measure, reference, sampling, pooling
        See :class:`~condped.estimate.settings.Settings`.
    intervals
        ``half-sampling`` (200 halves of the trials) or ``jackknife`` (20 groups, faster); none if
        not given.
    level, seed
        How often an interval should hold the truth, and the seed that fixes the subsets.
    failed, pruned, nonfinite, infeasible
        See :class:`~condped.trials.topsets.Handling`.
    **opening
        Options of :func:`condped.read`, such as ``objective``, ``direction`` and ``space``;
        ``engine`` (auto, memory, stream, ibis) and ``backend`` say where the trials are counted.

    Returns
    -------
    ImportanceResult
        Parameters with the most important first, and an account of what was used.

    Examples
    --------
    >>> import condped
    >>> table = condped.problems.get("activation-disjoint").sample(2000, seed=0)
    >>> condped.importance(table).names
    ('x', 'c', 'y')
    """
    settings = Settings(region_quantile, method, measure, reference, sampling, pooling)
    handling = Handling(failed, pruned, nonfinite, infeasible)
    question = Question(
        (target_quantile,), settings, handling, target, intervals=intervals, level=level, seed=seed
    )
    check_opening("importance", opening)
    return importance_result(analyse(open_trials(source, **opening), question))
