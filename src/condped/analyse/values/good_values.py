"""Good values: ranges and choices that target trials have more often than others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from condped.arrays import BoolArray, IntArray
from condped.space.domain import Categorical, Float, Int, choice_labels
from condped.space.grid import values_between

_MOST_RANGES = 3  # of a regime
_LEAST_LIFT = 1.1  # below this, target trials are there hardly more often than others
_LEAST_KEPT, FEWEST = 0.1, 5  # of the regime's target trials, as a share and as a number
_FEWEST_PER_CHOICE = 3
_GAP = 25  # cells of a grid per cell that a range may jump over


@dataclass(frozen=True, slots=True)
class Good:
    """A range of numbers, or some choices, where target trials are denser than others.

    Attributes
    ----------
    low, high
        Both inside, in the domain's own units; None for choices.
    choices
        The choices themselves; None for numbers.
    target_trials, region_trials
        How many of each set have such a value.
    kept
        Share of the regime's target trials inside.
    covered
        Share of the regime's region trials inside.
    label
        A short text for people.
    """

    low: float | None
    high: float | None
    choices: tuple[Any, ...] | None
    target_trials: int
    region_trials: int
    kept: float
    covered: float
    label: str

    @property
    def lift(self) -> float:
        """How many times denser target trials are inside than all trials: kept / covered."""
        return self.kept / self.covered


def good_ranges(
    domain: Float | Int, enriched: BoolArray, target: IntArray, region: IntArray
) -> tuple[Good, ...]:
    """Return the ranges where cells are enriched, those with too little in them left out."""
    found = []
    for first, last in _runs(enriched, gap=len(enriched) // _GAP):
        values = values_between(domain, first, last)
        inside = slice(first, last + 1)
        if values is not None and _worth(target[inside], region[inside], target, region):
            low, high = values
            label = range_label(low, high)
            found.append(_good(inside, target, region, low=low, high=high, label=label))
    # The fullest, then in the order of the values.
    found.sort(key=lambda good: -good.target_trials)
    return tuple(sorted(found[:_MOST_RANGES], key=lambda good: good.low or 0.0))


def good_choices(
    domain: Categorical, enriched: BoolArray, target: IntArray, region: IntArray
) -> tuple[Good, ...]:
    """Return the enriched choices as one entry; none if too little is in them."""
    # By counts as well: smoothing draws rare choices towards the middle.
    share, reference = target / max(target.sum(), 1), region / max(region.sum(), 1)
    good = enriched & (share >= _LEAST_LIFT * reference) & (target >= _FEWEST_PER_CHOICE)
    places = np.flatnonzero(good)
    if not places.size or not _worth(target[places], region[places], target, region):
        return ()
    choices = tuple(domain.choices[place] for place in places)
    label = choices_label(choices)
    return (_good(places, target, region, choices=choices, label=label),)


def range_label(low: float, high: float) -> str:
    """Return a range as people write it."""
    # Enough digits to tell the two apart.
    digits = 3
    while digits < 12 and low != high and f"{low:.{digits}g}" == f"{high:.{digits}g}":
        digits += 1
    shown = [_number(value, digits) for value in (low, high)]
    return shown[0] if low == high else f"{shown[0]} … {shown[1]}"


def choices_label(choices: tuple[Any, ...], most: int = 6) -> str:
    """Return choices as people list them."""
    shown = list(choice_labels(choices))
    if len(shown) > most:
        shown = [*shown[: most - 1], f"{len(shown) - most + 1} others"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"


def _number(value: float, digits: int) -> str:
    if isinstance(value, int):
        return str(value) if abs(value) < 10**7 else f"{value:.{digits}g}"
    text = f"{value:.{digits}g}"
    return text.replace("e-0", "e-").replace("e+0", "e")


def _runs(enriched: BoolArray, gap: int) -> list[tuple[int, int]]:
    """Return the first and last cell of each run, those at most ``gap`` cells apart joined."""
    runs: list[tuple[int, int]] = []
    for cell in np.flatnonzero(enriched).tolist():
        if runs and cell - runs[-1][1] - 1 <= gap:
            runs[-1] = (runs[-1][0], cell)
        else:
            runs.append((cell, cell))
    return runs


def _worth(
    target_inside: IntArray, region_inside: IntArray, target: IntArray, region: IntArray
) -> bool:
    """Return whether enough target trials are inside, and more often than others."""
    inside, of = int(target_inside.sum()), int(target.sum())
    if inside < max(FEWEST, math.ceil(_LEAST_KEPT * of)):
        return False
    return inside / of >= _LEAST_LIFT * int(region_inside.sum()) / int(region.sum())


def _good(
    inside: slice | IntArray,
    target: IntArray,
    region: IntArray,
    *,
    label: str,
    low: float | None = None,
    high: float | None = None,
    choices: tuple[Any, ...] | None = None,
) -> Good:
    target_trials, region_trials = int(target[inside].sum()), int(region[inside].sum())
    return Good(
        low=low,
        high=high,
        choices=choices,
        target_trials=target_trials,
        region_trials=region_trials,
        kept=target_trials / int(target.sum()),
        covered=region_trials / int(region.sum()),
        label=label,
    )
