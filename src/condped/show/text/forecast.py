"""Forecasts as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condped.analyse.forecast.result import TIMES
from condped.safe_text import percent, shortened
from condped.show.text.layout import table_lines, wrapped

if TYPE_CHECKING:
    from condped.analyse.forecast.result import Forecast


def forecast_text(found: Forecast) -> str:
    """Return the answer in a sentence, a line per parameter, and what the numbers mean."""
    lines = [*wrapped(found.message)]
    if not found.looks:
        return "\n".join(lines)
    lines += ["", *table_lines(forecast_rows(found), right={2, 4}), ""]
    return "\n".join([*lines, *wrapped(forecast_meaning(found))])


def forecast_rows(found: Forecast) -> list[tuple[str, ...]]:
    """Return a row per parameter under a header."""
    header = ("parameter", "verdict", "p", "more trials that settle it", "chance")
    rows = [
        (
            shortened(one.name),
            one.verdict,
            "" if one.p_value is None else f"{one.p_value:.2g}",
            one.reason if one.outlook == "not testable" else one.more_words,
            "" if one.chance is None or one.outlook == "settled" else percent(one.chance),
        )
        for one in found
    ]
    return [header, *rows]


def forecast_meaning(found: Forecast) -> str:
    """Return what the numbers mean."""
    return (
        f"{found.finished:,} trials have finished; tested at {', '.join(map(str, found.looks))}, "
        f"next at {found.next_look:,}. p-values hold however often the study is looked at: the "
        "smallest of all looks counts, while forecasts continue from the last one. The numbers of "
        f"trials are medians with {percent(found.level)} intervals over simulated "
        "futures in which the study goes on as it did; chance: that it is settled within "
        f"{TIMES} times as many trials."
    )
