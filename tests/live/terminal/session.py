"""A command on a terminal of its own, which can be looked at, resized and typed into."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Mapping
from types import TracebackType

_CODE = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|[()][A-Z0-9]|[=>])")
_HOME = "\x1b[H"
# For what is waited for; only a broken program takes so long.
PATIENCE = 180.0
_QUIET = 0.05  # seconds without output, after which a frame is there as a whole


class Session:
    """``condped`` with arguments on a terminal."""

    def __init__(
        self,
        *arguments: str,
        columns: int = 80,
        rows: int = 24,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._leader, follower = pty.openpty()
        self._set_size(columns, rows)
        self.before = termios.tcgetattr(follower)
        unset = ("COLUMNS", "LINES", "NO_COLOR")
        known = {name: value for name, value in os.environ.items() if name not in unset}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "condped", *arguments],
            stdin=follower,
            stdout=follower,
            stderr=follower,
            env={**known, "TERM": "xterm-256color", **(environment or {})},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509
        )
        self._follower = follower  # kept open, to see how the terminal was left
        self._shown = bytearray()
        self._arrived = time.monotonic()
        self._thread = threading.Thread(target=self._collect, daemon=True)
        self._thread.start()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._follower)
        self._thread.join()
        os.close(self._leader)

    def _collect(self) -> None:
        while True:
            try:
                part = os.read(self._leader, 65536)
            except OSError:  # the other end is closed
                return
            if not part:
                return
            self._shown += part
            self._arrived = time.monotonic()

    @property
    def raw(self) -> str:
        """Everything that was written so far."""
        return self._shown.decode(errors="replace")

    @property
    def frame(self) -> list[str]:
        """The lines of what was drawn last."""
        return _CODE.sub("", self.raw.rpartition(_HOME)[2]).replace("\r", "").split("\n")

    @property
    def after_screen(self) -> str:
        """What was written after the screen was left, without codes."""
        return _CODE.sub("", self.raw.rpartition("\x1b[?1049l")[2]).replace("\r", "")

    @property
    def attributes(self) -> list[object]:
        """How the terminal is set now."""
        return termios.tcgetattr(self._follower)

    def wait_for(self, condition: Callable[[str], bool]) -> str:
        """Wait until the last drawn frame meets a condition, and return it."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            text = "\n".join(self.frame)
            # A frame may have arrived in part.
            whole = time.monotonic() - self._arrived > _QUIET
            if whole and condition(text):
                return text
            assert self.process.poll() is None, f"ended early:\n{self.raw}"
            time.sleep(0.02)
        raise AssertionError(f"not seen in time; on the screen:\n{text}")

    def resize(self, columns: int, rows: int) -> None:
        """Change the size of the terminal, whose system then tells the process."""
        self._set_size(columns, rows)

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._leader, keys.encode())

    def end(self) -> int:
        """Wait until the process ends, and return its exit code."""
        code = self.process.wait(PATIENCE)
        self.wait_for_output()
        return code

    def wait_for_output(self) -> None:
        """Wait until everything that was written has arrived."""
        size = -1
        while len(self._shown) != size:
            size = len(self._shown)
            time.sleep(2 * _QUIET)

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._leader, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
