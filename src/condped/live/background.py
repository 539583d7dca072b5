"""One low-priority process for slow work, so that quick work stays quick."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Hashable
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from condped.errors import CondpedError

_NICE = 15
_IDLE = 300.0  # seconds without work after which the process is ended


class Outcome(NamedTuple):
    """What a function returned, or why it failed; ``again``: retrying may help."""

    value: Any
    problem: str | None
    again: bool = False


class _Job(NamedTuple):
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    then: Callable[[Outcome], None]


class Background:
    """Runs functions one after the other in a low-priority process.

    The process is started when there is something to do, and kept for a while: what it has cached,
    such as the p-values of earlier looks, speeds up the next call.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._jobs: dict[Hashable, _Job] = {}
        self._thread: threading.Thread | None = None
        self._worker: _Worker | None = None
        self._closed = False

    def submit(
        self,
        key: Hashable,
        function: Callable[..., Any],
        *arguments: Any,
        then: Callable[[Outcome], None],
    ) -> None:
        """Queue a function; ``then`` is called with its outcome, in this object's thread.

        A waiting job with the same key is replaced. Function and arguments are pickled.
        """
        with self._changed:
            if self._closed:
                return
            self._jobs[key] = _Job(function, arguments, then)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="condped background")
                self._thread.daemon = True
                self._thread.start()
            self._changed.notify()

    def withdraw(self, key: Hashable) -> None:
        """Drop a waiting job."""
        with self._changed:
            self._jobs.pop(key, None)

    def close(self) -> None:
        """End the process at once."""
        with self._changed:
            self._closed = True
            self._jobs.clear()
            worker, thread = self._worker, self._thread
            self._changed.notify()
        if worker is not None:
            worker.process.kill()
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _run(self) -> None:
        worker: _Worker | None = None
        while True:
            job = self._next_job()
            if job is None:
                break
            try:
                if worker is None:
                    worker = self._start()
                outcome = worker.run(job)
            except Exception as error:  # whatever happened, the next job must run
                outcome = _failure(error)
                if worker is not None:
                    worker.end()
                worker = None
            if not self._closed:
                job.then(outcome)
        if worker is not None:
            worker.end()

    def _next_job(self) -> _Job | None:
        """Wait for the next job and return it; None after a long time without one, or if closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._jobs or self._closed, _IDLE)
            if self._closed or not self._jobs:
                self._thread = None
                return None
            return self._jobs.pop(next(iter(self._jobs)))

    def _start(self) -> _Worker:
        worker = _Worker()
        with self._changed:
            self._worker = worker
            closed = self._closed
        if closed:
            worker.process.kill()
        return worker


class _Worker:
    """A process that runs jobs, one after the other."""

    def __init__(self) -> None:
        spawn = multiprocessing.get_context("spawn")  # a fork would copy threads' locks
        self._connection, theirs = spawn.Pipe()
        self.process = spawn.Process(
            target=_work, args=(theirs,), name="condped verdicts", daemon=True
        )
        self.process.start()
        theirs.close()

    def run(self, job: _Job) -> Outcome:
        """Return a job's outcome; raise if it cannot be sent, or the process has ended."""
        self._connection.send((job.function, job.arguments))
        outcome: Outcome = self._connection.recv()
        return outcome

    def end(self) -> None:
        """End the idle process."""
        self._connection.close()
        self.process.join(1.0)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def _failure(error: Exception) -> Outcome:
    """Return the outcome of a job whose process ended, or that could not be sent."""
    if isinstance(error, EOFError | OSError):  # by close(), or for lack of memory
        return Outcome(None, "The process that computes verdicts was stopped.", again=True)
    return Outcome(None, f"{type(error).__name__} before the analysis.")


def _work(connection: Connection) -> None:
    """Run what is sent, until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    if hasattr(os, "nice"):
        os.nice(_NICE)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            function, arguments = connection.recv()
        except (EOFError, OSError):
            return
        try:
            outcome = Outcome(function(*arguments), None)
        except CondpedError as error:
            outcome = Outcome(None, str(error))
        except Exception as error:  # its message may hold secrets
            outcome = Outcome(None, f"{type(error).__name__} in the analysis.")
        try:
            connection.send(outcome)
        except Exception as error:  # it cannot be pickled
            connection.send(Outcome(None, f"{type(error).__name__} after the analysis."))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
