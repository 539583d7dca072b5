"""Effects in sentences, with the objective's own name."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from condped.analyse.effects.result import (
    Contrast,
    Reached,
    RegimeEffect,
    SameTime,
    ValueGroup,
)
from condped.analyse.evidence.evidence import ParameterEvidence
from condped.analyse.values import number_text
from condped.safe_text import shortened
from condped.space.domain import Categorical

_MOST_LABEL = 48
_MOST_DIGITS = 9


def effect_sentence(regimes: Sequence[RegimeEffect], evidence: ParameterEvidence) -> str:
    """Say what the values of a parameter do, or that nothing is known about it."""
    present = [regime for regime in regimes if regime.domain is not None]
    contrasts = [
        (regime, contrast_words(regime.contrast, isinstance(regime.domain, Categorical)))
        for regime in present
        if regime.contrast is not None
    ]
    if contrasts:
        several = len(present) > 1
        return "; ".join(f"in {r.label}: {words}" if several else words for r, words in contrasts)
    start = {
        "matters": "no values stand out by their median",
        "unclear": "unclear whether it has an effect",
        "no evidence": "no evidence of an effect",
    }.get(evidence.verdict, f"not testable ({evidence.reason.rstrip('.')})")
    return "; ".join([start, *_median_ranges(present)])


def short_sentence(regimes: Sequence[RegimeEffect]) -> str | None:
    """Return the medians inside and outside the good values in a line; None without a contrast.

    With several regimes, only for the one with the most target trials.
    """
    present = [regime for regime in regimes if regime.domain is not None]
    found = [regime for regime in present if regime.contrast is not None]
    if not found:
        return None
    regime = max(found, key=lambda one: one.target_trials)
    contrast = regime.contrast
    assert contrast is not None
    choices = isinstance(regime.domain, Categorical)
    both = (contrast.inside, contrast.outside)
    where, elsewhere = _places(contrast, choices)
    one, other = (
        " and ".join(
            f"{f'{shortened(r.objective)} ' if len(group.reached) > 1 else ''}"
            f"{_number(r.median, digits_of(both, place))}"
            for place, r in enumerate(group.reached)
        )
        for group in both
    )
    name = f" {shortened(contrast.inside.reached[0].objective)}"
    of = name if len(contrast.inside.reached) == 1 else ""
    start = f"in {regime.label}: " if len(present) > 1 else ""
    words = f"{start}{where} the median{of} is {one}, {elsewhere} {other}"
    if len(contrast.same_time) == 1:
        words += f"; {_better(contrast.same_time[0])} of pairs of neighbouring trials"
    return words


def _number(value: float | None, digits: int) -> str:
    return "unknown" if value is None else number_text(value, digits)


def _places(contrast: Contrast, choices: bool) -> tuple[str, str]:
    """Return the words for inside and outside."""
    label = shortened(contrast.inside.label, _MOST_LABEL)
    elsewhere = "with the others" if choices else "outside"
    if contrast.chosen == "good":
        return f"with {label}" if choices else f"inside {label}", elsewhere
    return f"best {'with' if choices else 'in'} {label}:", elsewhere


def contrast_words(contrast: Contrast, choices: bool) -> str:
    """Say what trials with some values reached, and what the others did."""
    inside, outside = contrast.inside, contrast.outside
    every = [digits_of([inside, outside], place) for place in range(len(inside.reached))]
    where, elsewhere = _places(contrast, choices)
    if len(inside.reached) == 1:
        (digits,) = every
        (one,), (other,) = inside.reached, outside.reached
        words = (
            f"{where} the median {shortened(one.objective)} is {_median_text(one, digits)} "
            f"({_best_text(one, digits)}, {trials_of(inside.trials)}), {elsewhere} "
            f"{_median_text(other, digits)} ({_best_text(other, digits)}, "
            f"{trials_of(outside.trials)})"
        )
    else:
        words = (
            f"{where} {_each(inside, every)} ({trials_of(inside.trials)}), {elsewhere} "
            f"{_each(outside, every)} ({trials_of(outside.trials)})"
        )
    return "; ".join([words, *_same_time(contrast)])


def _same_time(contrast: Contrast) -> list[str]:
    several = len(contrast.same_time) > 1
    return [
        f"among neighbouring trials{f', {shortened(one.objective)}' if several else ''}: "
        f"{_difference(one.difference)} ({_better(one)} of {one.pairs:,} pairs)"
        for one in contrast.same_time
    ]


def _difference(value: float) -> str:
    if value == 0:
        return "median difference 0"
    return f"{number_text(abs(value))} {'lower' if value < 0 else 'higher'} inside"


def _better(one: SameTime) -> str:
    """Say in how many pairs the trial inside is better, and in how many neither is."""
    words = f"better in {100 * (one.better - one.tied / 2):.0f} %"
    return f"{words}, equal in {100 * one.tied:.0f} %" if one.tied else words


def _each(group: ValueGroup, every: Sequence[int]) -> str:
    return ", ".join(
        f"median {shortened(one.objective)} {_median_text(one, digits)} ({_best_text(one, digits)})"
        for one, digits in zip(group.reached, every, strict=True)
    )


def _median_ranges(present: Sequence[RegimeEffect]) -> list[str]:
    """Return the range of the medians of all bins, in words, for each objective."""
    groups = [group for regime in present for group in regime.bins if group.trials]
    ranges = []
    for place, one in enumerate(groups[0].reached if groups else ()):
        medians = [m for group in groups if (m := group.reached[place].median) is not None]
        low, high, digits = min(medians), max(medians), digits_for(medians)
        name = shortened(one.objective)
        if low == high:
            bins = f" in {_all(len(medians))} bins" if len(medians) > 1 else ""
            ranges.append(f"median {name} {number_text(low, digits)}{bins}")
        else:
            ranges.append(
                f"median {name} between {number_text(low, digits)} and "
                f"{number_text(high, digits)} in {_all(len(medians))} bins"
            )
    return ranges


def _all(count: int) -> str:
    return "both" if count == 2 else f"all {count}"


def trials_of(count: int) -> str:
    """Return a number of trials in words."""
    return f"{count:,} trial{'' if count == 1 else 's'}"


def _best_text(one: Reached, digits: int) -> str:
    return "no value" if one.best is None else f"best {number_text(one.best, digits)}"


def _median_text(one: Reached, digits: int) -> str:
    if one.median is None:
        return "unknown"
    median = number_text(one.median, digits)
    if one.median_low is None or one.median_high is None:
        return median
    ends = (number_text(end, digits) for end in (one.median_low, one.median_high))
    return f"{median} [{', '.join(ends)}]"


def digits_of(groups: Sequence[ValueGroup], place: int) -> int:
    """Return how many digits to show of groups' medians and intervals, in one objective."""
    reached = [group.reached[place] for group in groups]
    numbers = (n for one in reached for n in (one.median, one.median_low, one.median_high))
    return digits_for(number for number in numbers if number is not None)


def digits_for(values: Iterable[float]) -> int:
    """Return how many digits show how values differ: two of those in which they do.

    Examples
    --------
    >>> digits_for([0.12, 0.31]), digits_for([0.97123, 0.97456])
    (3, 4)
    """
    known = list(values)
    spread, largest = (max(known) - min(known), max(map(abs, known))) if known else (0.0, 0.0)
    if not 0 < spread < math.inf or not largest < math.inf:
        return 3
    return min(max(3, 2 + math.floor(math.log10(largest / spread))), _MOST_DIGITS)
