"""The loop of ``condped watch``: draws, waits, and ends when it should."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any, Protocol, TextIO

from condped.interrupts import INTERRUPTED
from condped.live.terminal.bell import Bell, handling
from condped.live.terminal.line import plain_line
from condped.live.terminal.snapshot import Snapshot, Until
from condped.live.terminal.watcher import Watcher
from condped.optional import load_optional

DONE, TIMED_OUT = 0, 3
_LAST_LOOK = 60.0  # seconds that verdicts may take once the condition holds
_TICK = 1.0  # seconds from one look at the clock to the next


class Display(Protocol):
    """Something that keeps showing the state of a study."""

    def show(self, snapshot: Snapshot) -> None:
        """Show it; called whenever it may have changed, and regularly in between."""
        ...

    def suspend(self) -> None:
        """Leave the terminal to others until the next call of :meth:`show`."""
        ...


@dataclass(frozen=True, slots=True)
class Ended:
    """How watching ended: the exit code, and a sentence that says why.

    ``abandoned``: a thread has not ended, such as one whose read hangs.
    """

    code: int
    message: str
    abandoned: bool = False


INTERRUPT = Ended(INTERRUPTED, "Interrupted.")


class Lines:
    """One line per update, as plain text."""

    def __init__(self, out: TextIO) -> None:
        self._out, self._last = out, ""

    def show(self, snapshot: Snapshot) -> None:
        """Write a line if it differs from the last one."""
        now = time.time()
        # How long a source has been unreachable is not news.
        at = snapshot.since if snapshot.unreachable else now
        line = plain_line(replace(snapshot, testing=None), at)
        new = line.partition("  ")[2]
        if new != self._last:
            self._out.write(f"{line}\n")
            self._out.flush()
            self._last = new

    def suspend(self) -> None:
        """Nothing has to be restored."""


class _Signals:
    """What signals and keys have requested since the loop last checked."""

    def __init__(self, bell: Bell) -> None:
        self._bell = bell
        self.end = self.suspend = False

    def request_end(self) -> None:
        self.end = True
        self._bell.ring()

    def request_suspend(self) -> None:
        self.suspend = True
        self._bell.ring()

    @contextmanager
    def handled(self, *, screen: bool) -> Iterator[None]:
        """Pass signals on to the loop, so that the terminal is always restored."""
        handlers = {"SIGINT": self.request_end, "SIGTERM": self.request_end}
        if screen:
            handlers |= {"SIGWINCH": self._bell.ring, "SIGTSTP": self.request_suspend}
        with handling(handlers):
            yield


def watch(
    source: str,
    options: dict[str, Any],
    *,
    every: float,
    until: Until | None,
    timeout: float | None,
    plain: bool,
    out: TextIO | None = None,
) -> Ended:
    """Show a study until a condition holds, time is up, or the user interrupts."""
    bell = Bell()
    signals = _Signals(bell)
    watcher = Watcher(source, options, every=every, ring=bell.ring)
    ends_at = None if timeout is None else time.monotonic() + timeout
    with ExitStack() as stack:
        stack.enter_context(signals.handled(screen=not plain))
        watcher.start()
        try:
            while not watcher.ready.is_set() and not signals.end and not _is_over(ends_at):
                bell.wait(_left(ends_at))
            _ = watcher.snapshot  # raises if the source is invalid, before there is a screen
            if watcher.ready.is_set():
                display = _display(bell, out or sys.stdout, stack, plain=plain)
                ended = _loop(watcher, display, bell, signals, until=until, ends_at=ends_at)
            else:
                ended = INTERRUPT if signals.end else None
        finally:
            all_ended = watcher.stop()
    if all_ended:
        bell.close()
    return replace(ended or _timed_out(until, timeout, watcher.snapshot), abandoned=not all_ended)


def _display(bell: Bell, out: TextIO, stack: ExitStack, *, plain: bool) -> Display:
    """Return lines, or a screen that is closed with the stack."""
    if plain:
        return Lines(out)
    display: Display = stack.enter_context(_screen().Screen(bell, out))
    return display


def _loop(
    watcher: Watcher,
    display: Display,
    bell: Bell,
    signals: _Signals,
    *,
    until: Until | None,
    ends_at: float | None,
) -> Ended | None:
    """Show the study until watching should end; None if time is up."""
    reached_at: float | None = None
    while True:
        snapshot = watcher.snapshot
        display.show(snapshot)
        if until is not None and (reached_at is not None or until.reached(snapshot)):
            reached_at = reached_at or time.monotonic()
            # Verdicts that are being computed are waited for, too.
            late = signals.end or _is_over(ends_at) or _is_over(reached_at + _LAST_LOOK)
            if until.trials is None or snapshot.testing is None or late:
                return Ended(DONE, _reached(snapshot, until))
        if signals.end:
            return INTERRUPT
        if _is_over(ends_at):
            return None
        if signals.suspend:
            signals.suspend = False
            display.suspend()
            _stop_process()
        elif "q" in bell.wait(_left(ends_at)).lower():
            signals.end = True


def look_once(source: str, options: dict[str, Any]) -> Snapshot:
    """Return a study as it is now, with its verdicts."""
    return Watcher(source, options).once()


def show_once(snapshot: Snapshot, *, until: Until | None, plain: bool, out: TextIO) -> Ended:
    """Show a study as it was, and return whether the condition held."""
    if plain:
        Lines(out).show(snapshot)
    else:
        _screen().print_once(snapshot, out)
    if until is None or until.reached(snapshot):
        return Ended(DONE, "")
    why = until.missing(snapshot)
    return Ended(TIMED_OUT, f"{why[0].upper()}{why[1:]}.")


def _screen() -> Any:
    return load_optional(
        "condped.live.terminal.rich_screen",
        feature="The screen of condped watch",
        library="rich",
        extra="watch",
    )


def _reached(snapshot: Snapshot, until: Until) -> str:
    if until.trials is not None:
        missing = (
            ""
            if snapshot.testing is None
            else (f" Verdicts as of trial {snapshot.testing:,} were not computed in time.")
        )
        return f"{snapshot.finished:,} trials have finished.{missing}"
    assert snapshot.verdicts is not None
    return f"Settled as of trial {snapshot.verdicts.trials:,}."


def _timed_out(until: Until | None, timeout: float | None, snapshot: Snapshot) -> Ended:
    if until is None:
        return Ended(DONE, f"Watched for {timeout:g} s.")
    return Ended(TIMED_OUT, f"Timed out after {timeout:g} s: {until.missing(snapshot)}.")


def _is_over(ends_at: float | None) -> bool:
    return ends_at is not None and time.monotonic() >= ends_at


def _left(ends_at: float | None) -> float:
    return _TICK if ends_at is None else min(_TICK, ends_at - time.monotonic())


def _stop_process() -> None:
    """Stop as Ctrl-Z does without a handler; returns when the process continues."""
    os.kill(os.getpid(), signal.SIGSTOP)
