"""How texts are laid out: in 100 columns, or the width of the terminal."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from textwrap import wrap
from unicodedata import east_asian_width

_WIDTH: ContextVar[int] = ContextVar("width", default=100)
_NARROWEST = 60


def text_width() -> int:
    """Return the maximum width of a text, in columns."""
    return _WIDTH.get()


@contextmanager
def printed_within(columns: int) -> Iterator[None]:
    """Limit texts to this width, or to the least at which tables hold together."""
    token = _WIDTH.set(max(columns, _NARROWEST))
    try:
        yield
    finally:
        _WIDTH.reset(token)


def wrapped(text: str, first: str = "", then: str = "") -> list[str]:
    """Return a text in lines, the first indented by ``first``, the others by ``then``."""
    return wrap(text, text_width(), initial_indent=first, subsequent_indent=then)


def wrapped_each(texts: Iterable[str], first: str = "", then: str = "") -> list[str]:
    """Return the lines of texts, each starting on a new line."""
    return [line for text in texts for line in wrapped(text, first, then)]


def table_lines(rows: Sequence[Sequence[str]], right: Collection[int]) -> list[str]:
    """Lay out columns two spaces apart; those in ``right`` are right-aligned."""
    widths = [max(map(width_of, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        padded = []
        for i, (entry, width) in enumerate(zip(row, widths, strict=True)):
            space = " " * (width - width_of(entry))
            padded.append(space + entry if i in right else entry + space)
        lines.append("  ".join(padded).rstrip())
    return lines


def width_of(text: str) -> int:
    """Return the width of a text in a terminal's columns; East Asian letters take two."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)
