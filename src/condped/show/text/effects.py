"""Effects as plain text: a small table for each parameter that matters, a sentence for others."""

from __future__ import annotations

from collections.abc import Sequence

from condped.analyse.effects.result import (
    Effects,
    ParameterEffect,
    Reached,
    RegimeEffect,
    ValueGroup,
)
from condped.analyse.effects.sentences import digits_of
from condped.analyse.values import number_text
from condped.safe_text import percent, shortened
from condped.show.text.account import data_lines, effects_headline, trial_lines
from condped.show.text.layout import table_lines, text_width, width_of, wrapped, wrapped_each
from condped.show.text.tables import first_lines
from condped.show.words import tie_lines

MOST_TABLES = 6  # parameters with a table of their own
MOST_SENTENCES = 20
_MOST_CHOICES = 12
_MOST_LABEL = 28
_BAR = 16
ADAPTIVE_WORDS = (
    "Values seem to depend on earlier results: medians are those of the trials that were run, of "
    "which later ones are better in everything, and not of random trials with such values, which "
    'differ more. "Neighbouring trials" are among ten consecutive ones.'
)
SELECTED_WORDS = (
    "Good values were selected on the same trials, so their difference from the others is slightly "
    "overestimated."
)


def effects_text(found: Effects) -> str:
    """Return tables of the parameters that matter, then a sentence for each of the others."""
    lines = first_lines(tie_lines(found.account.tie(found.target_quantile)))
    lines += [*wrapped(effects_headline(found.account, found.target_quantile)), ""]
    matter = [parameter for parameter in found if parameter.verdict == "matters"]
    for parameter in matter[:MOST_TABLES]:
        lines += _table(found, parameter)
    shown = matter[:MOST_TABLES]
    others = [parameter for parameter in found if parameter not in shown]
    for parameter in others[:MOST_SENTENCES]:
        lines += _sentence(parameter)
    if len(others) > MOST_SENTENCES:
        lines.append(f"… and {len(others) - MOST_SENTENCES} more")
    lines += ["", *wrapped_each(remarks_of(found))]
    return "\n".join(lines)


def remarks_of(found: Effects) -> list[str]:
    """Return what is needed to understand the numbers, in sentences."""
    remarks = [
        f"Medians with {percent(found.level)} intervals, exact for trials drawn at random; bins "
        "hold about equally many trials."
    ]
    if any(regime.contrast is not None for one in found for regime in one.regimes):
        remarks.append(SELECTED_WORDS)
    if found.adaptive:
        remarks.append(ADAPTIVE_WORDS)
    sets = f"; {found.target_size} in the target set"
    remarks += trial_lines(found.account, sets) + data_lines(found.account)
    if found.without_value:
        count = found.without_value
        remarks.append(f"{count} counted as worst without a value: in no median.")
    return [*remarks, *found.account.notes]


def _sentence(parameter: ParameterEffect) -> list[str]:
    return wrapped(f"{shortened(parameter.name)}: {parameter.sentence}.", then="  ")


def _table(found: Effects, parameter: ParameterEffect) -> list[str]:
    """Return the sentence of a parameter and the bins of its regimes."""
    lines = _sentence(parameter)
    groups = [group for regime in parameter.regimes for group in shown_bins(regime)]
    for place in range(len(found.account.objectives)):
        digits = digits_of(groups, place)
        rows = [bins_header(found, place)]
        rows += [bins_row(group, group.reached[place], digits) for group in groups]
        table = [f"  {line}" for line in table_lines(rows, right={1, 2, 3, 5})]
        lines += _with_bars(table, [group.reached[place].median for group in groups])
    return [*lines, *(f"  {line}" for line in choices_left_out(parameter)), ""]


def choices_left_out(parameter: ParameterEffect) -> list[str]:
    """Return how many choices of a parameter have no row."""
    return [
        f"{len(regime.bins) - _MOST_CHOICES} more choices with fewer trials"
        for regime in parameter.regimes
        if len(regime.bins) > _MOST_CHOICES
    ]


def _with_bars(table: Sequence[str], medians: Sequence[float | None]) -> list[str]:
    """Return the lines of a table with the medians drawn beside them, if there is room."""
    taken = max(map(width_of, table)) + 2
    longest = min(_BAR, text_width() - taken - 1)
    known = [median for median in medians if median is not None]
    low, high = (min(known), max(known)) if known else (0.0, 0.0)
    if longest < _BAR // 2 or low == high:
        return list(table)
    lines = [table[0]]
    for line, median in zip(table[1:], medians, strict=True):
        if median is None:
            lines.append(line)
            continue
        dots = "·" * round(longest * (median - low) / (high - low))
        lines.append(f"{line}{' ' * (taken - width_of(line))}{dots}●")
    return lines


def shown_bins(regime: RegimeEffect) -> Sequence[ValueGroup]:
    """Return the bins to show: of many choices, those with the most trials."""
    if len(regime.bins) <= _MOST_CHOICES:
        return regime.bins
    kept = sorted(regime.bins, key=lambda group: -group.trials)[:_MOST_CHOICES]
    return [group for group in regime.bins if group in kept]


def bins_header(found: Effects, place: int) -> list[str]:
    """Return the header of a table of a parameter's values."""
    name = shortened(found.account.objectives[place].name, 24)
    return ["values", "trials", "in target", f"median {name}", percent(found.level), "best"]


def bins_row(group: ValueGroup, reached: Reached, digits: int) -> list[str]:
    """Return the row of a bin: what its trials reached in one objective."""
    share = "" if group.target_share is None else percent(group.target_share)
    start = [shortened(group.label, _MOST_LABEL), f"{group.trials:,}", share]
    if reached.median is None or reached.best is None:
        return [*start, "not tried", "", ""]
    known = (end for end in (reached.median_low, reached.median_high) if end is not None)
    ends = [number_text(end, digits) for end in known]
    interval = f"[{', '.join(ends)}]" if ends else ""
    return [
        *start,
        number_text(reached.median, digits),
        interval,
        number_text(reached.best, digits),
    ]
