"""Names as messages show them: short, on one line, unable to control a terminal."""

from __future__ import annotations

from collections.abc import Sequence

_MOST_NAME = 32


def shortened(text: str, most: int = _MOST_NAME) -> str:
    """Return a text that fits a column, stays on its line and cannot control a terminal.

    Long texts lose their middle: names that share a beginning often differ in the end.
    """
    plain = printable(text) or repr(text)
    if len(plain) <= most:
        return plain
    end = (most - 1) // 2
    return f"{plain[: most - 1 - end]}…{plain[-end:]}"


def listed(names: Sequence[str], most: int) -> str:
    """Return the first of some names, and how many more there are."""
    more = len(names) - most
    return ", ".join(map(shortened, names[:most])) + (f" and {more} more" if more > 0 else "")


def printable(text: str) -> str:
    r"""Return a text on one line that cannot control a terminal.

    Letters that cannot be seen, or turn others around, are written as their codes.

    Examples
    --------
    >>> print(printable("rate\u202e\u200b"))
    rate\u202e\u200b
    """
    flat = " ".join(text.split())
    return "".join(c if c.isprintable() else _code(c) for c in flat)


def _code(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")
