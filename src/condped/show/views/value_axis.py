"""Single trials on an axis of objective values: outliers, and trials without a value."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from condped.analyse.effects.trials import TrialState
from condped.trials.table import Direction

# Kinds of dots, in the order in which they are drawn: the last ones on top.
DotKind = Literal["other", "target", "pruned", "infeasible", "failed"]
KINDS: dict[DotKind, str] = {
    "other": "other trials",
    "target": "target set",
    "pruned": "pruned",
    "infeasible": "infeasible",
    "failed": "failed, no value",
}
_FAR = 4.0  # times the distance from the best to the median, beyond which values are outliers
_STRIP, _MARGIN = 0.09, 0.04  # below the values, for trials without one; shares of the axis


@dataclass(frozen=True, slots=True)
class ValueAxis:
    """The range of an axis of values.

    Attributes
    ----------
    low, high
        The ends of the axis.
    strip
        The position of trials without a value; None if there are none.
    first, last
        The range of the values that are drawn; values beyond it are put at its ends.
    beyond
        The number of values beyond it.
    log
        Whether it is logarithmic.
    """

    low: float
    high: float
    strip: float | None
    first: float
    last: float
    beyond: int
    log: bool = False

    @classmethod
    def of(cls, values: Sequence[float], direction: Direction, *, missing: bool) -> ValueAxis:
        """Return an axis for these values, on which most of them can be distinguished.

        Minimised positive values with outliers get a logarithmic axis; of others, those far worse
        than the median are put at its end.
        """
        known = np.array(values, dtype=np.float64) if len(values) else np.zeros(1)
        sign = -1.0 if direction == "maximize" else 1.0
        losses = sign * known
        best, worst = float(losses.min()), float(losses.max())
        usual = best + _FAR * (float(np.median(losses)) - best)
        skewed = worst > usual > best
        log = skewed and direction == "minimize" and best > 0
        cut = usual if skewed and not log else worst
        beyond = int(np.count_nonzero(losses > cut))
        first, last = sorted((sign * best, sign * cut))
        low, high = (math.log(first), math.log(last)) if log else (first, last)
        width = (high - low) or abs(low) or 1.0
        strip = low - _STRIP * width if missing else None
        low -= (_STRIP + _MARGIN if missing else _MARGIN) * width
        high += _MARGIN * width
        if log:
            low, high = math.exp(low), math.exp(high)
            strip = None if strip is None else math.exp(strip)
        return cls(low, high, strip, first, last, beyond, log)

    def place(self, value: float | None) -> float | None:
        """Return the position of a trial; None if it has no value and the axis no strip."""
        return self.strip if value is None else min(max(value, self.first), self.last)

    @property
    def note(self) -> str | None:
        """How many values are put at the end of the axis; None if there are none."""
        if not self.beyond:
            return None
        return f"{self.beyond} far worse, drawn at the end of the axis"


@dataclass(frozen=True, slots=True)
class Dots:
    """Trials that are drawn alike: their positions and numbers."""

    kind: DotKind
    x: tuple[float, ...]
    y: tuple[float, ...]
    numbers: tuple[int, ...]


def dots_of(trials: Iterable[tuple[DotKind, float, float, int]]) -> tuple[Dots, ...]:
    """Return trials, given as (kind, x, y, number), grouped by kind."""
    found: dict[DotKind, list[tuple[float, float, int]]] = {kind: [] for kind in KINDS}
    for kind, x, y, number in trials:
        found[kind].append((x, y, number))
    return tuple(
        Dots(kind, *(tuple(column) for column in zip(*rows, strict=True)))
        for kind, rows in found.items()
        if rows
    )


def dot_kind(state: TrialState, target: bool) -> DotKind:
    """Return the kind of a trial's dot."""
    if state in ("pruned", "infeasible"):
        return "target" if target else state
    if state != "complete":
        return "failed"
    return "target" if target else "other"
