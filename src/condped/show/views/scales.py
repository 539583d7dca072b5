"""Scales of numbers: the position of a value between two ends, and round values for ticks."""

from __future__ import annotations

import math

_MOST_TICKS = 5
_GOLDEN = 0.6180339887  # the fractional parts of its multiples are spread evenly


def scaled(value: float, low: float, high: float, log: bool) -> float:
    """Return the position of a value between the ends, from 0 to 1."""
    if high <= low:
        return 0.5
    if log:
        value, low, high = (math.log(number) for number in (value, low, high))
    return min(max((value - low) / (high - low), 0.0), 1.0)


def scale_ticks(low: float, high: float, log: bool, whole: bool = False) -> list[float]:
    """Return round numbers between the ends, or the ends if there are fewer than two.

    Examples
    --------
    >>> scale_ticks(0.11, 0.63, log=False)
    [0.2, 0.4, 0.6]
    >>> scale_ticks(1e-5, 0.1, log=True)
    [1e-05, 0.0001, 0.001, 0.01, 0.1]
    """
    if high <= low:
        return [low]
    if log:
        first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
        every = max(1, math.ceil((last - first + 1) / _MOST_TICKS))
        found = [float(f"1e{power}") for power in range(first, last + 1, every)]
    else:
        step = _step((high - low) / _MOST_TICKS)
        step = max(step, 1.0) if whole else step
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        found = [float(f"{count * step:.12g}") for count in range(first, last + 1)]
    return found if len(found) > 1 else [low, high]


def off(number: int, place: float, spread: float) -> float:
    """Return a place moved by up to ``spread``, alike for the same trial on every axis."""
    return place + spread * (2.0 * ((number * _GOLDEN) % 1.0) - 1.0)


def tick_text(value: float) -> str:
    """Return the label of a tick.

    Examples
    --------
    >>> tick_text(1000.0), tick_text(0.25), tick_text(1e-05)
    ('1000', '0.25', '1e-05')
    """
    return f"{value:.0f}" if 1e3 <= abs(value) < 1e5 else f"{value:.3g}"


def _step(least: float) -> float:
    """Return the smallest of 1, 2 and 5 times a power of ten that is at least ``least``."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * times for times in (1, 2, 5, 10) if power * times >= least * (1 - 1e-9))
