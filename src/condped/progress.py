"""How far long work has come, for whoever wants to show it.

Whoever does long work calls :func:`report`; whoever shows it runs that work inside
:func:`reporting`. With nobody listening a report costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

# What is being done, how much of it is done, and how much there is in all.
Listener: TypeAlias = Callable[[str, float, float], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def report(what: str, done: float, total: float) -> None:
    """Tell how far the work has come, in any unit."""
    listener = _listener.get()
    if listener is not None:
        listener(what, done, total)


@contextmanager
def reporting(listener: Listener) -> Iterator[None]:
    """Let a function hear all reports of the work inside.

    Examples
    --------
    >>> heard = []
    >>> with reporting(lambda what, done, total: heard.append(f"{what}: {done / total:.0%}")):
    ...     report("Counting", 1, 4)
    >>> heard
    ['Counting: 25%']
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
