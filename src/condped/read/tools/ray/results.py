"""Ray Tune's results in memory: a ResultGrid, or the ExperimentAnalysis inside it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from condped.read.options import ReadOptions
from condped.read.tools.ray.trials import RayTrial, table_of
from condped.trials.table import TrialTable


def read(source: Any, options: ReadOptions) -> TrialTable:
    """Return one trial per result, with its last reported metrics."""
    analysis = getattr(source, "_experiment_analysis", source)
    return table_of(
        list(_trials(source, analysis)),
        options,
        "a ResultGrid of Ray Tune",
        metric=getattr(analysis, "default_metric", None),
        mode=getattr(analysis, "default_mode", None),
    )


def _trials(source: Any, analysis: Any) -> Iterator[RayTrial]:
    # Ray's trial objects have the status and, even if they failed early, the configuration.
    trials = getattr(analysis, "trials", None)
    if trials is not None:
        for trial in trials:
            metrics = trial.last_result or {}
            yield RayTrial(metrics.get("config") or trial.config, metrics, trial.status)
        return
    for result in source:
        status = "ERROR" if result.error is not None else "TERMINATED"
        yield RayTrial(result.config or {}, result.metrics or {}, status)
