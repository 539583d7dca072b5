"""Texts of pictures: short, on one line, and distinct for distinct names."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from condped.analyse.importance.ties import Tie
from condped.safe_text import shortened
from condped.show.words import tie_lines

_MOST_LABEL = 28
QUANTILE_AXIS = "target quantile γ': the share of trials that count as best"


def labels_of(names: Sequence[str], most: int = _MOST_LABEL) -> tuple[str, ...]:
    """Return a label for each name; equal ones are numbered."""
    short = [shortened(name, most) for name in names]
    found = []
    for place, label in enumerate(short):
        before = short[:place].count(label)
        number = f" ({before + 1})"
        found.append(shortened(label, most - len(number)) + number if before else label)
    return tuple(found)


def lines_of(text: str, width: int) -> list[str]:
    """Return the lines of a text, each at most ``width`` letters long."""
    return wrap(shortened(text, len(text) + 9), width) or [""]


def first_words(tie: Tie | None) -> str | None:
    """Return what has to be read before any number of a result; None if nothing."""
    return " ".join(tie_lines(tie)) or None
