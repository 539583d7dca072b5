"""Progress of long computations, for callers that want to show it.

Long computations call :func:`report`; a caller that shows progress runs them inside
:func:`reporting`. Without a listener a report costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

# What is being done, how much is done, and the total.
Listener: TypeAlias = Callable[[str, float, float], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def report(what: str, done: float, total: float) -> None:
    """Report progress, in any unit."""
    listener = _listener.get()
    if listener is not None:
        listener(what, done, total)


@contextmanager
def reporting(listener: Listener) -> Iterator[None]:
    """Pass all progress reports from inside the block to a function.

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
