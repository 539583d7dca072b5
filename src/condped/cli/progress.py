"""A progress bar for what takes longer than a second, on a terminal only."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import click

from condped.progress import reporting

_PATIENCE = 1.0  # seconds before anything is shown
_BETWEEN = 0.1  # seconds from one drawing to the next
_WIDTH = 30


@contextmanager
def progress_bar() -> Iterator[None]:
    """Show how far the work inside has come, and leave no trace of it."""
    if not sys.stderr.isatty():
        yield
        return
    bar = _Bar()
    try:
        with reporting(bar.show):
            yield
    finally:
        bar.clear()


class _Bar:
    """One line of the terminal, drawn over again."""

    def __init__(self) -> None:
        self.started = self.drawn = time.monotonic()
        self.visible = False

    def show(self, what: str, done: float, total: float) -> None:
        """Draw the bar if it is time to."""
        now = time.monotonic()
        if now - self.started < _PATIENCE or now - self.drawn < _BETWEEN:
            return
        share = min(done / total, 1.0)
        filled = "█" * round(share * _WIDTH)
        shown = what if len(what) <= 40 else f"…{what[-39:]}"
        click.echo(f"\r\x1b[K{shown} {filled:░<{_WIDTH}} {share:4.0%}", nl=False, err=True)
        self.drawn, self.visible = now, True

    def clear(self) -> None:
        """Wipe the line, so that the result stands alone."""
        if self.visible:
            click.echo("\r\x1b[K", nl=False, err=True)
