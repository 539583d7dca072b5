"""Recorded times as seconds: numbers, datetimes of Python, and their texts."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from condped.arrays import FloatArray
from condped.trials.columns import Column, NumberColumn, UnusableColumn


def seconds(times: Iterable[Any]) -> FloatArray:
    """Return times as seconds, NaN for anything that is none.

    Datetimes without a zone are local, and those with one are made so: all that count is how far
    apart they are.

    Examples
    --------
    >>> seconds(["1970-01-01 00:01:00", 2.5, None])
    array([60. ,  2.5,  nan])
    """
    listed: list[Any] = [_parsed(time) if isinstance(time, str) else time for time in times]
    kinds = set(map(type, listed))
    if kinds <= {datetime, type(None)} and all(t is None or t.tzinfo is None for t in listed):
        dates = np.array(listed, dtype="datetime64[us]")
        return np.where(np.isnat(dates), np.nan, dates.astype(np.int64) / 1e6)
    return np.array([_number(time) for time in listed], dtype=np.float64)


def seconds_of_column(column: Column) -> FloatArray | None:
    """Return dates, durations, numbers or their texts as seconds; None for other columns."""
    if isinstance(column, UnusableColumn):
        return column.seconds
    if isinstance(column, NumberColumn):
        return column.numbers()
    return np.append(seconds(column.levels), np.nan)[column.codes]


def _parsed(text: str) -> datetime | timedelta | float | None:
    """Return what a text spells: a date, a duration such as pandas writes it, or a number."""
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
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return None


def _number(time: Any) -> float:
    try:
        if isinstance(time, timedelta):
            return time.total_seconds()
        if isinstance(time, datetime):
            local = time if time.tzinfo is None else time.astimezone().replace(tzinfo=None)
            return (local - datetime(1970, 1, 1)).total_seconds()
        return float(time)
    except (TypeError, ValueError, OverflowError, OSError):
        return math.nan
