"""When a tool's trials ran, and how they were drawn where the tool names its sampler."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from condped.arrays import BoolArray
from condped.read.seconds import seconds
from condped.trials.course.drawing import MOST_RECORDED, Drawing, SamplerRecord
from condped.trials.course.times import Times


def recorded_drawing(
    trials: int, samplers: Iterable[SamplerRecord], independent: BoolArray | None = None
) -> Drawing | None:
    """Return how trials were drawn; None for large experiments, or if nothing is recorded."""
    named = tuple(samplers)
    return Drawing(named, independent=independent) if named and trials <= MOST_RECORDED else None


def recorded_times(
    started: Iterable[Any], ended: Iterable[Any], durations: Iterable[Any] | None = None
) -> Times | None:
    """Return when trials ran; None if nothing is recorded.

    Times are seconds, datetimes or their texts; anything else counts as not recorded. Without
    durations, trials took the time from their start to their end.
    """
    begun, done = seconds(started), seconds(ended)
    took = done - begun if durations is None else seconds(durations)
    return None if np.isnan([begun, done, took]).all() else Times(begun, done, took)
