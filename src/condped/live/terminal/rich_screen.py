"""The screen on a terminal, drawn by rich."""

from __future__ import annotations

import time
from contextlib import ExitStack
from types import TracebackType
from typing import TextIO

from rich.console import Console
from rich.live import Live

from condped.live.terminal.bell import Bell, quiet_keys
from condped.live.terminal.screen import screen
from condped.live.terminal.snapshot import Snapshot

_MOST_LINES = 200


class Screen:
    """The whole terminal inside a ``with`` statement; at its end the last state is printed."""

    def __init__(self, bell: Bell, out: TextIO) -> None:
        self._bell = bell
        self._console = Console(file=out, highlight=False)
        self._stack: ExitStack | None = None
        self._live: Live | None = None
        self._snapshot: Snapshot | None = None
        self._drawn: tuple[Snapshot, int, int, str, int] | None = None

    def __enter__(self) -> Screen:
        self._open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        self.suspend()
        if self._snapshot is not None and kind is None:
            _print(self._console, self._snapshot)

    def show(self, snapshot: Snapshot) -> None:
        """Draw what is known, if it or the terminal's size has changed."""
        if self._live is None:
            self._open()
        assert self._live is not None
        self._snapshot = snapshot
        now = time.time()
        width, height = self._console.size
        # Time alone changes only the state and, if unreachable, the seconds.
        state = snapshot.state(now)
        clock = round(now) if state == "unreachable" else 0
        drawn = (snapshot, width, height, state, clock)
        if drawn == self._drawn:
            return
        self._drawn = drawn
        self._live.update(screen(snapshot, width, height, now), refresh=True)

    def suspend(self) -> None:
        """Restore the terminal."""
        if self._stack is not None:
            self._stack.close()
        self._stack = self._live = None

    def _open(self) -> None:
        self._stack = ExitStack()
        self._stack.enter_context(quiet_keys(self._bell))
        self._live = self._stack.enter_context(
            Live(console=self._console, screen=True, auto_refresh=False)
        )
        self._drawn = None


def print_once(snapshot: Snapshot, out: TextIO) -> None:
    """Print what the screen would show."""
    _print(Console(file=out, highlight=False), snapshot)


def _print(console: Console, snapshot: Snapshot) -> None:
    # Lines may scroll.
    console.print(screen(snapshot, console.width, _MOST_LINES, time.time(), ended=True))
