"""How wide texts are: 100 columns, or what a terminal has."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from textwrap import wrap

_WIDTH: ContextVar[int] = ContextVar("width", default=100)
_NARROWEST = 60


def text_width() -> int:
    """Return how many columns a text may take."""
    return _WIDTH.get()


@contextmanager
def printed_within(columns: int) -> Iterator[None]:
    """Let texts take so many columns, though not so few that tables fall apart."""
    token = _WIDTH.set(max(columns, _NARROWEST))
    try:
        yield
    finally:
        _WIDTH.reset(token)


def wrapped(text: str, first: str = "", then: str = "") -> list[str]:
    """Return a text in lines, indented by ``first`` and after that by ``then``."""
    return wrap(text, text_width(), initial_indent=first, subsequent_indent=then)
