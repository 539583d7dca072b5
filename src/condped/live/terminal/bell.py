"""Events that the main thread of a watcher waits for: from threads, signals and keys."""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from types import FrameType
from typing import Any

# Windows has neither, and its consoles do not need them.
try:
    import termios
    import tty
except ImportError:  # pragma: no cover
    termios = None  # type: ignore[assignment]
    tty = None  # type: ignore[assignment]


class Bell:
    """Wakes the main thread, from any thread and from signal handlers.

    A lock could be held by the very thread that a signal interrupts; a socket cannot.
    """

    def __init__(self) -> None:
        self._here, self._there = socket.socketpair()
        for end in (self._here, self._there):
            end.setblocking(False)
        self.keys: int | None = None  # a file descriptor that is listened to as well

    def ring(self) -> None:
        """Wake the main thread up."""
        try:
            self._there.send(b".")
        except OSError:  # enough rings are pending, or it is closed
            return

    def wait(self, seconds: float) -> str:
        """Wait for a ring, for at most this long, and return the keys that were pressed."""
        inputs: list[Any] = [self._here, *([] if self.keys is None else [self.keys])]
        ready, _, _ = select.select(inputs, [], [], max(seconds, 0.0))
        if self._here in ready:
            self._here.recv(4096)
        if self.keys is None or self.keys not in ready:
            return ""
        return self._pressed(self.keys)

    def _pressed(self, keys: int) -> str:
        """Return the keys that were pressed; Ctrl-C may have discarded them by now."""
        try:
            pressed = os.read(keys, 64)
        except OSError:
            pressed = b""
        if not pressed and _is_gone(keys):
            self.keys = None
        return pressed.decode(errors="replace")

    def close(self) -> None:
        """Close both ends."""
        self._here.close()
        self._there.close()


@contextmanager
def handling(handlers: dict[str, Callable[[], None]]) -> Iterator[None]:
    """Call functions on signals, by name; signals that the system does not have are skipped."""
    with ExitStack() as stack:
        for name, call in handlers.items():
            number = getattr(signal, name, None)
            if number is None:
                continue

            def handler(_: int, __: FrameType | None, call: Callable[[], None] = call) -> None:
                call()

            stack.callback(signal.signal, number, signal.signal(number, handler))
        yield


@contextmanager
def quiet_keys(bell: Bell) -> Iterator[None]:
    """Read keys without echoing them, which would garble the screen.

    Does nothing in a background process, which may not change the terminal.
    """
    keys = _keyboard()
    if keys is None:
        yield
        return
    before = termios.tcgetattr(keys)
    _listen(keys)
    bell.keys = keys
    try:
        yield
    finally:
        bell.keys = None
        with suppress(termios.error):  # the terminal is gone
            termios.tcsetattr(keys, termios.TCSADRAIN, before)


def _listen(keys: int) -> None:
    """Make every key readable at once, and reads return immediately if there is none.

    Ctrl-C discards what was typed before it. A read that waits for a key, begun because there was
    one, would then hang.
    """
    tty.setcbreak(keys)
    mode = termios.tcgetattr(keys)
    mode[6][termios.VMIN] = 0
    termios.tcsetattr(keys, termios.TCSANOW, mode)


def _is_gone(keys: int) -> bool:
    poll = select.poll()
    poll.register(keys, select.POLLIN)
    return any(event & (select.POLLHUP | select.POLLNVAL) for _, event in poll.poll(0))


def _keyboard() -> int | None:
    if termios is None or sys.stdin is None:
        return None
    try:
        keys = sys.stdin.fileno()
        return keys if os.tcgetpgrp(keys) == os.getpgrp() else None
    except (OSError, ValueError):  # no terminal
        return None
