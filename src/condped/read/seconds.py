"""Recorded times as seconds: numbers, datetimes of Python, and their texts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from condped.arrays import FloatArray
from condped.trials.columns import Column, NumberColumn, UnusableColumn, seconds_of_array

_EPOCH = datetime(1970, 1, 1)


def seconds(times: Iterable[Any]) -> FloatArray:
    """Return times as seconds, NaN for anything else.

    Datetimes without a zone are local; where both kinds occur, those with a zone are converted to
    local time. Only differences matter.

    Examples
    --------
    >>> seconds(["1970-01-01 00:01:00", 2.5, None])
    array([60. ,  2.5,  nan])
    """
    listed = list(times)
    dates = _plain_dates(listed)
    if dates is not None:
        return dates
    read = [_parsed(time) if isinstance(time, str) else time for time in listed]
    zoned = [time.tzinfo is not None for time in read if isinstance(time, datetime)]
    start = _EPOCH.replace(tzinfo=UTC) if zoned and all(zoned) else _EPOCH
    return np.array([_number(time, start) for time in read], dtype=np.float64)


def seconds_of_column(column: Column) -> FloatArray | None:
    """Return dates, durations, numbers or their texts as seconds; None for other columns."""
    if isinstance(column, UnusableColumn):
        return column.seconds
    if isinstance(column, NumberColumn):
        return column.numbers()
    return np.append(seconds(column.levels), np.nan)[column.codes]


def _plain_dates(times: Sequence[Any]) -> FloatArray | None:
    """Return texts of dates without a zone, which numpy reads at once; None for anything else."""
    if not set(map(type, times)) <= {str, type(None)}:
        return None
    texts = [time for time in times if time is not None]
    joined = "".join(texts)
    if not texts or "+" in joined or "Z" in joined or joined.count("-") != 2 * len(texts):
        return None
    try:
        dates = np.array([time or "NaT" for time in times], dtype="datetime64[us]")
    except ValueError:
        return None
    return seconds_of_array(dates)


def _number(time: Any, start: datetime) -> float:
    try:
        if isinstance(time, datetime):
            if time.tzinfo is not None and start.tzinfo is None:
                time = time.astimezone().replace(tzinfo=None)
            return float((time - start).total_seconds())
        return time.total_seconds() if isinstance(time, timedelta) else float(time)
    except (TypeError, ValueError, OverflowError, OSError):
        return math.nan


def _parsed(text: str) -> datetime | timedelta | str:
    """Parse a date, or a duration as pandas writes it; return other texts unchanged."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        pass
    days, _, clock = text.rpartition(" days ")
    try:
        hours, minutes, rest = clock.split(":")
        return timedelta(
            days=int(days or 0), hours=int(hours), minutes=int(minutes), seconds=float(rest)
        )
    except (OverflowError, ValueError):
        return text
