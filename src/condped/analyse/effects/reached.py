"""What trials reached: medians with intervals, and the best."""

from __future__ import annotations

from condped.analyse.effects.result import Reached
from condped.arrays import BoolArray, IntArray
from condped.estimate.statistics.median import median_of
from condped.trials.table import Objective

LEVEL = 0.9  # default level of intervals


def reached_by(objective: Objective, rows: IntArray | BoolArray, level: float = LEVEL) -> Reached:
    """Return what these trials, all with a finite value, reached in an objective."""
    values = objective.values[rows]
    found = median_of(values, level)
    if found is None:
        return Reached(objective.name, None, None, None, None)
    best = values.max() if objective.direction == "maximize" else values.min()
    return Reached(objective.name, found.value, found.low, found.high, float(best))
