"""Ctrl-C on the command line: exit code 130 and no traceback, from the first import to the end."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_MOMENT = 0.01  # seconds, enough for such code to end
INTERRUPTED = 130  # as shells report a process ended by SIGINT: 128 + 2


def begin_command() -> None:
    """Let Ctrl-C end the command line at once while it is still being imported.

    There is nothing to clean up yet, and an exception in the middle of an import can surface as any
    other. Other programs that import condped keep their own handlers.
    """
    name, *_ = getattr(sys, "argv", None) or [""]
    module = name == "-m" and "condped" in sys.orig_argv
    script = os.path.splitext(os.path.basename(name))[0] == "condped"  # noqa: PTH119, PTH122
    if (module or script) and _change(signal.default_int_handler, _end):
        # Runs last, just before Python shuts down, when the signal would kill it.
        atexit.register(_change, _end, signal.SIG_IGN)


def raise_interrupts() -> bool:
    """Let Ctrl-C raise KeyboardInterrupt again; return whether it ended the process until now."""
    return _change(_end, signal.default_int_handler)


@contextmanager
def repeated() -> Iterator[None]:
    """Repeat an interrupt that comes where Python ignores exceptions, such as during clean-up."""
    usual = sys.unraisablehook

    def repeat(ignored: Any) -> None:
        if ignored.exc_type is not KeyboardInterrupt:
            usual(ignored)
            return
        from threading import Timer  # noqa: PLC0415  (programs that import condped may not need it)

        timer = Timer(_MOMENT, os.kill, (os.getpid(), signal.SIGINT))
        timer.daemon = True
        timer.start()

    sys.unraisablehook = repeat
    try:
        yield
    finally:
        sys.unraisablehook = usual


@contextmanager
def heeded() -> Iterator[None]:
    """Raise KeyboardInterrupt at the end if one was swallowed or became another error.

    Libraries written in C++ do that, such as pyarrow while it checks for pandas.
    """
    came = False

    def interrupt(*_: Any) -> None:
        nonlocal came
        came = True
        raise KeyboardInterrupt

    changed = _change(signal.default_int_handler, interrupt)
    try:
        yield
    finally:
        if changed:
            _change(interrupt, signal.default_int_handler)
        if came:
            raise KeyboardInterrupt


def end_command() -> None:
    """Let Ctrl-C end the process while Python shuts down: everything else is cleaned up."""
    _change(signal.default_int_handler, _end)


def _end(*_: Any) -> None:
    os._exit(INTERRUPTED)


def _change(old: Any, new: Any) -> bool:
    """Switch to another interrupt handler, if the old one is still in place."""
    if signal.getsignal(signal.SIGINT) is not old:
        return False
    try:
        signal.signal(signal.SIGINT, new)
    except ValueError:  # interrupts belong to the main thread
        return False
    return True
