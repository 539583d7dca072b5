"""Names and values as messages show them: short, on one line, unable to control a terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from reprlib import Repr
from typing import Any
from unicodedata import category

_MOST_NAME = 32
_MOST_MESSAGE = 2_000
_MOST_DIGITS = 40


def shortened(text: str, most: int = _MOST_NAME) -> str:
    """Return a text that fits a column, stays on its line and cannot control a terminal.

    Long texts lose their middle: names with the same beginning often differ at the end.
    """
    # Only the part of a very long text that can be shown is checked.
    plain = printable(_without_middle(text, 4 * most, "…")) or repr(text[:most])
    return _without_middle(plain, most, "…")


def listed(names: Sequence[str], most: int) -> str:
    """Return the first of some names, and how many more there are."""
    more = len(names) - most
    return ", ".join(map(shortened, names[:most])) + (f" and {more} more" if more > 0 else "")


def percent(share: float) -> str:
    """Return a share as a percentage."""
    return f"{100 * share:.3g} %"


def bounded(message: str) -> str:
    """Return a message of at most a screenful; a longer one loses its middle.

    The beginning says what is wrong, and the end what to do.
    """
    gap = f" … ({len(message):,} characters, shortened) … "
    return _without_middle(message, _MOST_MESSAGE, gap)


def brief(value: Any) -> str:
    """Return a value as messages show it: its ``repr``, but short, however large or nested it is.

    Examples
    --------
    >>> print(brief("adam"), brief([0.5] * 1000), brief(10**5000))
    'adam' [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, ...] an integer of 5001 digits
    """
    return _SHORT.repr(value)


def text_of(value: Any, *, quoted: bool = False) -> str:
    """Return a value's whole text or ``repr``, short for integers that Python refuses to print."""
    try:
        return repr(value) if quoted else str(value)
    except ValueError:  # more than 4,300 digits
        return brief(value)


class _ShortRepr(Repr):
    """Short texts of values of any size."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = 75
        self.maxlevel = 3

    def repr_int(self, x: int, level: int) -> str:
        # Python refuses to write integers of more than 4,300 digits.
        if abs(x) < 10**_MOST_DIGITS:
            return repr(x)
        return f"an integer of {_digits(abs(x))} digits"


_SHORT = _ShortRepr()


def _digits(number: int) -> int:
    """Return how many digits a large integer has, without writing them."""
    least = math.floor((number.bit_length() - 1) * math.log10(2)) + 1
    return least + int(number >= 10**least)


def _without_middle(text: str, most: int, gap: str) -> str:
    """Return a text of at most this many characters, with a gap in place of those left out."""
    if len(text) <= most:
        return text
    end = (most - len(gap)) // 2
    return f"{text[: most - len(gap) - end]}{gap}{text[-end:]}"


def printable(text: str) -> str:
    r"""Return a text on one line that cannot control a terminal.

    Characters that are invisible, or reverse others, are written as their codes.

    Examples
    --------
    >>> print(printable("rate\u202e\u200b"))
    rate\u202e\u200b
    """
    flat = " ".join(text.split())
    return "".join(c if c.isprintable() else _code(c) for c in flat)


def visible(text: str) -> str:
    r"""Return lines that cannot control a terminal; line breaks and spaces stay as they are.

    Examples
    --------
    >>> print(visible("a  b\x1b[31m\nc\r"))
    a  b\x1b[31m
    c\r
    """
    return "\n".join(
        line if line.isprintable() else "".join(map(_visible, line)) for line in text.split("\n")
    )


def _visible(letter: str) -> str:
    return letter if letter.isprintable() or category(letter) == "Zs" else _code(letter)


def _code(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")
