"""Follow a study in threads: numbers at once, verdicts at scheduled looks."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import condped
from condped.errors import CondpedError, SettingsError
from condped.live.background import Outcome
from condped.live.looks import Look, Looks, Verdicts
from condped.live.sources import follow, has_no_trials, split_options
from condped.live.terminal.snapshot import Snapshot, name_of
from condped.live.viewers import pause_after
from condped.progress import reporting

_PATIENCE = 2.0  # seconds that a thread may take to end
_WAITING = "Waiting for the first trial to finish."
_NICE = 10  # niceness of the thread that computes verdicts


class _Stopped(BaseException):
    """Ends a thread; not an Exception, so that no handler on the way catches it."""


class Watcher:
    """A study that is followed, and what is known about it.

    ``ring`` is called from other threads when there is something new.
    """

    def __init__(
        self,
        source: str,
        options: Mapping[str, Any],
        *,
        every: float = 1.0,
        ring: Callable[[], None] = lambda: None,
    ) -> None:
        self._source = source
        self._reading, self._analysis = split_options(options)
        self._every, self._ring = every, ring
        self._snapshot = Snapshot(name_of(source, options.get("study")))
        self._lock = threading.Condition()
        self._stopped = threading.Event()
        self._followed: condped.Followed | None = None
        self._looks = Looks()
        self._finished: int | None = None  # trials at the last reading; None before the first
        self._calibrated = options.get("method") == "calibrated"
        self._error: BaseException | None = None
        self.ready = threading.Event()  # the source has been read once
        self._threads = [
            threading.Thread(target=self._guarded, args=(loop,), name=name, daemon=True)
            for loop, name in ((self._read, "condped-read"), (self._test, "condped-verdicts"))
        ]

    @property
    def snapshot(self) -> Snapshot:
        """What is known; raises the error that ended a thread, such as an invalid source."""
        if self._error is not None:
            raise self._error
        return self._snapshot

    def start(self) -> None:
        """Begin to follow the source."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> bool:
        """Stop, and return whether all threads have ended: a read that hangs is not waited for."""
        self._stopped.set()
        with self._lock:
            self._lock.notify_all()
        ends_at = time.monotonic() + _PATIENCE
        for thread in self._threads:
            thread.join(max(0.0, ends_at - time.monotonic()))
        if self._followed is not None:
            self._followed.close()
        return not any(thread.is_alive() for thread in self._threads)

    def once(self) -> Snapshot:
        """Read and test once, in this thread."""
        self._look()
        if self._looks.pending is not None:
            self._compute_verdicts(self._looks.pending)
        return self._snapshot

    def _guarded(self, loop: Callable[[], None]) -> None:
        try:
            loop()
        except _Stopped:
            return
        except BaseException as error:  # the main thread raises it
            self._error = error
        self.ready.set()
        self._ring()

    def _show(self, **changes: Any) -> None:
        with self._lock:
            self._snapshot = replace(self._snapshot, **changes)
        self._ring()

    def _read(self) -> None:
        while True:
            started = time.monotonic()
            self._look()
            self.ready.set()
            if self._stopped.wait(pause_after(time.monotonic() - started, self._every)):
                return

    def _look(self) -> None:
        """Read what is new, and compute its numbers."""
        try:
            if self._followed is None:
                self._followed, changed = follow(self._source, self._reading), True
            else:
                changed = self._followed.update()
        except CondpedError as error:
            # With a condition, no trials are more likely a mistake.
            if self._reading.get("where") is None and has_no_trials(self._source, error):
                self._finished = 0
                self._show_nothing(finished=0, running=0, unreachable=None)
                return
            if self._followed is None and self._finished is None:
                raise
            since = time.time() if self._snapshot.unreachable is None else self._snapshot.since
            self._show(unreachable=str(error), since=since)
            return
        if self._snapshot.unreachable is not None:
            self._show(unreachable=None)
        if changed:
            self._count(self._followed)

    def _count(self, followed: condped.Followed) -> None:
        """Compute the numbers, and request verdicts if a look is due."""
        table = followed.table
        found: dict[str, Any] = {"finished": followed.finished, "running": followed.running}
        if self._finished not in (None, followed.finished):
            found["last_finished"] = time.time()
        self._finished = followed.finished
        if not followed.finished:
            self._show_nothing(**found)
            return
        try:
            found["summary"] = condped.summary(table)
            # The calibrated estimator depends on the test: its numbers come with the verdicts.
            if not self._calibrated:
                found["result"] = condped.importance(table, **self._analysis)
            found["reason"] = None
        except SettingsError:
            raise
        except CondpedError as error:  # none of the trials can be used
            found |= {"result": None, "reason": str(error)}
        with self._lock:
            self._looks.due(table)
            self._show(**(found | self._tested()))
            self._lock.notify_all()

    def _show_nothing(self, **changes: Any) -> None:
        with self._lock:
            self._looks.forget()
            known = {"result": None, "summary": None, "reason": _WAITING, **self._tested()}
            self._show(**changes, **known)

    def _tested(self) -> dict[str, Any]:
        """Return the state of the looks, as fields of a snapshot."""
        verdicts, pending = self._looks.verdicts, self._looks.pending
        found: dict[str, Any] = {"verdicts": verdicts, "testing": pending and pending.trials}
        if self._calibrated:
            found["result"] = verdicts and verdicts.result
        return found

    def _test(self) -> None:
        _lower_priority()
        while True:
            with self._lock:
                self._lock.wait_for(lambda: self._looks.pending or self._stopped.is_set())
                look = self._looks.pending
            if self._stopped.is_set() or look is None:
                return
            with reporting(self._abort_if_stopped):
                self._compute_verdicts(look)

    def _abort_if_stopped(self, *_: object) -> None:
        """Abort a test whose result is no longer needed."""
        if self._stopped.is_set():
            raise _Stopped

    def _compute_verdicts(self, look: Look) -> None:
        """Compute the verdicts as of a look, and the forecast."""
        try:
            result = condped.importance(look.table, **{**self._analysis, "looks": "repeated"})
            outcome = Outcome(Verdicts.of(look.trials, result), None)
        except SettingsError:
            raise
        except CondpedError as error:  # none of the first trials can be used
            outcome = Outcome(None, str(error))
        with self._lock:
            if self._looks.take(look, outcome):
                self._show(**self._tested())


def _lower_priority() -> None:
    """Lower this thread's priority, on systems where threads have their own."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
