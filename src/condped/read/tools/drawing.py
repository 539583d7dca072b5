"""How a tool's trials were drawn: times, and a sampler where the tool names it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import datetime
from typing import Any

import numpy as np

from condped.arrays import BoolArray, FloatArray
from condped.trials.drawing import MOST_RECORDED, Drawing, SamplerRecord


def recorded_drawing(
    started: Iterable[Any],
    finished: Iterable[Any],
    samplers: Iterable[SamplerRecord] = (),
    independent: BoolArray | None = None,
) -> Drawing | None:
    """Return how trials were drawn; None for large experiments, or if nothing is recorded.

    Times are seconds, datetimes or their texts; anything else counts as not recorded.
    """
    begun, ended, named = _seconds(started), _seconds(finished), tuple(samplers)
    if begun is None and ended is None and not named:
        return None
    longest = max((len(times) for times in (begun, ended) if times is not None), default=0)
    if longest > MOST_RECORDED:
        return None
    return Drawing(named, begun, ended, independent=independent)


def _seconds(times: Iterable[Any]) -> FloatArray | None:
    found = np.array([_number(time) for time in times], dtype=np.float64)
    return None if np.isnan(found).all() else found


def _number(time: Any) -> float:
    try:
        if isinstance(time, str):
            time = datetime.fromisoformat(time)
        return time.timestamp() if isinstance(time, datetime) else float(time)
    except (TypeError, ValueError, OverflowError, OSError):
        return math.nan
