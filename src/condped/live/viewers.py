"""One thread that polls a source for all its viewers, while there are any."""

from __future__ import annotations

import logging
import threading
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal, TypeAlias

from condped.errors import CondpedError
from condped.live.sources import without_passwords
from condped.live.versions import Event

Activity: TypeAlias = Literal["live", "idle", "waiting"]
_LOGGER = logging.getLogger("condped.live")
_SHARE = 0.2  # of the time that may be spent working
_GRACE = 30.0  # seconds after the last viewer left in which another one may come back
_QUIET = 60.0  # seconds without a new trial, after which a study with none running is idle
_LONGEST_PAUSE = 10.0  # seconds between attempts to reach a source


class Cursor:
    """What a viewer has received, in terms of its feed."""

    def __init__(self, version: int | None) -> None:
        self.version = version
        self.status = 0


class Feed(ABC):
    """A thread that polls a source while there are viewers, and sends them what is new.

    Parameters
    ----------
    every
        Minimum number of seconds between two looks: at most a fifth of the time is spent looking.
    grace
        Seconds without a viewer after which polling stops.
    """

    def __init__(self, *, every: float = 1.0, grace: float = _GRACE) -> None:
        self._every = every
        self._grace = grace
        self._lock = threading.Condition()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._viewers: dict[int, Callable[[], None]] = {}
        self._seen = float("-inf")  # when a viewer was last there
        self._tried = False
        self.closed = False

    @abstractmethod
    def _look(self) -> float:
        """Look at the source, send what is new, and return how many seconds reading took."""

    @abstractmethod
    def _leave(self) -> None:
        """Release the source: there are no more viewers."""

    @abstractmethod
    def _failed(self, reason: str) -> None:
        """Inform viewers that the source cannot be read."""

    @abstractmethod
    def cursor(self, version: str | None) -> Cursor:
        """Return where a viewer with a given version continues, even one from another server."""

    @abstractmethod
    def news(self, cursor: Cursor) -> list[Event]:
        """Return what a viewer has not received yet, each part once, and move its cursor."""

    @contextmanager
    def viewing(self, wake: Callable[[], None]) -> Iterator[None]:
        """Keep the feed going; ``wake`` is called from another thread whenever there is news."""
        me = id(wake)
        with self._lock:
            self._viewers[me] = wake
        self.touch()
        try:
            yield
        finally:
            with self._lock:
                del self._viewers[me]
                self._seen = time.monotonic()

    def touch(self) -> None:
        """Keep the feed going for a while, for a viewer who has requested a page."""
        with self._lock:
            self._seen = time.monotonic()
            if self._thread is None and not self.closed:
                self._tried = False  # what was read for earlier viewers may be old
                self._thread = threading.Thread(target=self._run, name="condped feed", daemon=True)
                self._thread.start()

    @property
    def idle(self) -> bool:
        """Whether there are no viewers and no work."""
        return self._thread is None

    def wait(self, timeout: float) -> bool:
        """Wait until reading the source has succeeded or failed; return whether it has."""
        with self._lock:
            self._lock.wait_for(lambda: self._tried or self.closed, timeout)
            return self._tried

    def close(self) -> None:
        """End the feed; viewers are woken, and its thread is not waited for."""
        with self._lock:
            self.closed = True
        self._wake.set()
        self._notify()

    def join(self, ends_at: float) -> None:
        """Wait until its thread has ended, at most until a time of the monotonic clock."""
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(max(0.0, ends_at - time.monotonic()))

    def _notify(self) -> None:
        with self._lock:
            self._tried = True
            viewers = list(self._viewers.values())
            self._lock.notify_all()
        for wake in viewers:
            wake()

    def _run(self) -> None:
        while not self._ended():
            self._look_while_watched()
            self._leave()

    def _ended(self) -> bool:
        """Return whether this thread ends, in which case the next viewer starts another one."""
        with self._lock:
            if self._watched:
                return False
            self._thread = None
            return True

    @property
    def _watched(self) -> bool:
        present = self._viewers or time.monotonic() - self._seen < self._grace
        return bool(present) and not self.closed

    def _look_while_watched(self) -> None:
        failures = 0
        while self._watched:
            self._wake.clear()
            worked = time.thread_time()
            try:
                read, pause = self._look(), self._every
                failures = 0
            except Exception as error:
                longer = min(self._every * 2.0**failures, _LONGEST_PAUSE)
                read, pause = 0.0, max(self._every, longer)
                failures = min(failures + 1, 10)
                self._failed(reason_of(error))
            # This thread's CPU time, so that other load does not lengthen pauses, and the time of
            # reading, part of which is spent at the other end.
            busy = read + time.thread_time() - worked
            self._wake.wait(pause_after(busy, pause))


def activity_of(finished: int, running: int, quiet: float | None) -> Activity:
    """Return how a study is doing; ``quiet``: seconds since a trial was last seen to finish."""
    if running or (quiet is not None and quiet <= _QUIET):
        return "live"
    return "idle" if finished else "waiting"


def pause_after(busy: float, every: float) -> float:
    """Return how long to pause after this many seconds of work, to keep to a fifth of the time."""
    return max(every, busy * (1 / _SHARE - 1))


def reason_of(error: Exception) -> str:
    """Return the message of an error for viewers; log where an unexpected one was raised."""
    if isinstance(error, CondpedError):
        return without_passwords(str(error))
    # Its message may hold a password.
    where = "".join(traceback.format_tb(error.__traceback__))
    _LOGGER.error("%s while a source was read:\n%s", type(error).__name__, where)
    return f"The source cannot be read at the moment ({type(error).__name__})."


def timed(function: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    """Return what a function returns, and how many seconds it took."""
    began = time.perf_counter()
    found = function(*arguments)
    return found, time.perf_counter() - began
