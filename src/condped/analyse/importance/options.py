"""The options of an analysis, for functions that pass them on to :func:`condped.importance`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from condped.count.resampling import Intervals
from condped.errors import not_found
from condped.estimate.settings import Measure, Method, Pooling, Reference, Sampling
from condped.read.opening import Opening
from condped.trials.topsets import LeftOut, Treatment


class AnalysisOptions(Opening, total=False):
    """What :func:`condped.importance` takes beside a source and a target quantile."""

    region_quantile: float
    method: Method
    measure: Measure
    reference: Reference
    sampling: Sampling
    pooling: Pooling
    intervals: Intervals | None
    level: float
    seed: int
    failed: LeftOut
    pruned: Treatment
    nonfinite: LeftOut
    infeasible: Treatment


def split_options(function: str, given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options of the analysis and those of opening; raise if there are others."""
    known = AnalysisOptions.__annotations__
    for name in given:
        if name not in known:
            raise TypeError(
                f"{function}() does not take {name!r}. {not_found('option', name, known)}"
            )
    opening = {name: value for name, value in given.items() if name in Opening.__annotations__}
    analysis = {name: value for name, value in given.items() if name not in opening}
    return analysis, opening
