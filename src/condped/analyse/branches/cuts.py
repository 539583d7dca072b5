"""Where to cut between two neighbouring values, and how to write the condition down."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from condped.space.condition import Both, Comparison, Membership, Node

_MOST_DIGITS = 17  # that a float has


def short_between(low: float, high: float, *, log: bool = False, open_end: bool = False) -> float:
    """Return a number above ``low`` and at most ``high`` with few digits, near their middle.

    With an open end it is below ``high``, or ``low`` if there is none between them.

    Examples
    --------
    >>> short_between(0.49871, 0.50332)
    0.5
    >>> short_between(0.00012, 0.013, log=True)
    0.001
    """
    if low < 0 <= high and not (open_end and high == 0):
        return 0.0
    middle = (
        math.copysign(math.sqrt(low * high), high) if log and low * high > 0 else (low + high) / 2
    )
    for digits in range(1, _MOST_DIGITS + 1):
        short = float(f"{middle:.{digits}g}")
        if low < short <= high and not (open_end and short == high):
            return short
    return low if open_end else high


@dataclass(frozen=True, slots=True)
class Interval:
    """A stretch of a number's values; an end that is None is open for all values.

    Otherwise the lower end belongs to it and the upper one does not, unless they say otherwise.
    """

    low: float | None
    high: float | None
    above: bool = False  # whether it begins only above ``low``
    up_to: bool = False  # whether ``high`` still belongs to it

    def test(self, name: str) -> Node:
        """Return the condition that a parameter's value lies in it."""
        if self.low is not None and self.low == self.high:
            return Comparison(name, "==", self.low)
        parts = []
        if self.low is not None:
            parts.append(Comparison(name, ">" if self.above else ">=", self.low))
        if self.high is not None:
            parts.append(Comparison(name, "<=" if self.up_to else "<", self.high))
        return parts[0] if len(parts) == 1 else Both(tuple(parts))

    @property
    def label(self) -> str:
        """A short text for people."""
        if self.low is not None and self.low == self.high:
            return f"{self.low:.6g}"
        if self.low is None:
            return f"{'<=' if self.up_to else '<'} {self.high:.6g}"
        if self.high is None:
            return f"{'>' if self.above else '>='} {self.low:.6g}"
        return f"{self.low:.6g} to {self.high:.6g}"


def intervals(
    ends: Sequence[tuple[float, float]], *, whole: bool, log: bool = False
) -> list[Interval]:
    """Return intervals, one around each pair of a run's lowest and highest value.

    ``ends`` are in ascending order; the first interval is open downwards, the last upwards.
    """
    cuts: list[tuple[float, float]] = []  # where one interval ends, and where the next begins
    for (_, last), (first, _) in pairwise(ends):
        if whole:
            cut = (int(last) + int(first)) // 2
            cuts.append((cut, cut + 1))
        else:
            short = short_between(float(last), float(first), log=log)
            cuts.append((short, short))
    lows = [None, *(low for _, low in cuts)]
    highs = [*(high for high, _ in cuts), None]
    return [Interval(low, high, up_to=whole) for low, high in zip(lows, highs, strict=True)]


def chosen(name: str, choices: Sequence[Any]) -> Node:
    """Return the condition that a parameter has one of these choices."""
    if len(choices) == 1:
        return Comparison(name, "==", choices[0])
    return Membership(name, tuple(choices), negated=False)
