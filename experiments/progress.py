"""Progress of a run, on the terminal's error stream."""

from __future__ import annotations

import time
from typing import TextIO

_WIDTH = 24


class Bar:
    """A line that is overwritten on a terminal; a line per tenth in a log."""

    def __init__(self, stream: TextIO, unit: str = "seeds") -> None:
        self._stream = stream
        self._unit = unit
        self._live = stream.isatty()
        self._begun = time.monotonic()
        self._shown = False
        self._tenth = 0

    def step(self, done: int, total: int, text: str) -> None:
        """Show how much is done."""
        seconds = time.monotonic() - self._begun
        line = f"{done}/{total} {self._unit}, {seconds:.0f} s, last: {text}"
        if self._live:
            filled = _WIDTH * done // total
            self._stream.write(f"\r\x1b[K[{'#' * filled}{'.' * (_WIDTH - filled)}] {line}")
            self._shown = True
        elif 10 * done // total > self._tenth:
            self._tenth = 10 * done // total
            self._stream.write(f"{line}\n")
        self._stream.flush()

    def wipe(self) -> None:
        """Clear the line, so that results are printed on a clean one."""
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._shown = False
