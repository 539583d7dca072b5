from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any

import pytest

from condped.errors import DataError
from condped.live.background import Background, Outcome, _Worker


def _priority() -> tuple[int, int]:
    return os.getpid(), os.nice(0)


def _fail(error: Exception) -> None:
    raise error


def _sleep() -> None:
    time.sleep(600)


def _exists(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


class _Answers:
    """Collects outcomes, and waits for them."""

    def __init__(self) -> None:
        self.found: list[Outcome] = []
        self._there = threading.Semaphore(0)

    def __call__(self, outcome: Outcome) -> None:
        self.found.append(outcome)
        self._there.release()

    def next(self) -> Outcome:
        assert self._there.acquire(timeout=60)
        return self.found[-1]


def test_functions_run_in_one_calm_process_that_lives_on() -> None:
    """The same process of low priority answers all calls, and ends with its owner."""
    background, answers = Background(), _Answers()
    try:
        background.submit("a", _priority, then=answers)
        process, nice = answers.next().value
        background.submit("a", _priority, then=answers)

        assert answers.next().value == (process, nice)
        assert process != os.getpid()
        assert nice > os.nice(0)
    finally:
        background.close()
    assert not _exists(process)


def test_errors_are_told_without_what_others_say() -> None:
    """Our own errors are told in full, others by their kind, for they may hold secrets."""
    background, answers = Background(), _Answers()
    try:
        background.submit("a", _fail, DataError("no trials"), then=answers)
        assert answers.next() == Outcome(None, "no trials")
        background.submit("a", _fail, ValueError("password xyzzy"), then=answers)
        assert answers.next() == Outcome(None, "ValueError in the analysis.")
    finally:
        background.close()


def test_a_process_that_was_killed_is_replaced() -> None:
    """The job that it was busy with has failed; the next one starts another process."""
    background, answers = Background(), _Answers()
    try:
        background.submit("a", _priority, then=answers)
        process, _ = answers.next().value
        os.kill(process, signal.SIGKILL)
        background.submit("a", _priority, then=answers)
        outcome = answers.next()
        assert outcome.problem is not None
        assert outcome.again  # another try may do
        background.submit("a", _priority, then=answers)
        assert answers.next().value[0] != process
    finally:
        background.close()


def test_what_cannot_be_sent_ends_no_other_job() -> None:
    """Neither a job nor an answer that cannot be pickled, which no other try would change."""
    background, answers = Background(), _Answers()
    try:
        background.submit("a", _priority, threading.Lock(), then=answers)
        assert answers.next() == Outcome(None, "TypeError before the analysis.")
        background.submit("a", threading.Lock, then=answers)
        assert answers.next() == Outcome(None, "TypeError after the analysis.")
        background.submit("a", _priority, then=answers)
        assert answers.next().problem is None
    finally:
        background.close()


def test_a_process_that_is_no_longer_needed_takes_no_new_one_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """While the old one is being ended after a long pause, the next job has another."""
    monkeypatch.setattr("condped.live.background._IDLE", 0.01)
    background, answers = Background(), _Answers()
    ending, go_on = threading.Event(), threading.Event()
    end = _Worker.end

    def slow_end(worker: _Worker) -> None:
        if not ending.is_set():
            ending.set()
            go_on.wait(60)
        end(worker)

    monkeypatch.setattr(_Worker, "end", slow_end)
    try:
        background.submit("a", _priority, then=answers)
        first, _ = answers.next().value
        assert ending.wait(60)
        monkeypatch.setattr("condped.live.background._IDLE", 300.0)
        background.submit("a", _priority, then=answers)
        second, _ = answers.next().value
        go_on.set()
        while _exists(first):
            time.sleep(0.01)
        background.submit("a", _priority, then=answers)
        assert answers.next().value[0] == second
    finally:
        background.close()


def test_ctrl_c_is_left_to_the_parent_and_closing_does_not_wait() -> None:
    """An interrupt does not touch the process; closing ends it in the middle of its work."""
    background, answers = Background(), _Answers()
    background.submit("a", _priority, then=answers)
    process, _ = answers.next().value
    os.kill(process, signal.SIGINT)
    background.submit("a", _priority, then=answers)
    assert answers.next().value[0] == process
    background.submit("a", _sleep, then=answers)
    background.submit("b", _sleep, then=answers)

    background.close()

    assert not _exists(process)
    assert len(answers.found) == 2
    background.submit("a", _priority, then=answers)  # quietly nothing


def test_waiting_jobs_are_replaced_and_withdrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one key only the newest job runs, and none that was withdrawn."""
    background, done = Background(), []
    release = threading.Event()

    class _Here:
        """Runs jobs in this process."""

        def run(self, job: Any) -> Outcome:
            release.wait(60)
            return Outcome(job.function(*job.arguments), None)

        def end(self) -> None:
            pass

    monkeypatch.setattr(background, "_start", _Here)
    finished = threading.Event()
    background.submit("first", int, 0, then=lambda found: done.append(found.value))
    while "first" in background._jobs:
        time.sleep(0.001)
    for number in (1, 2, 3):
        background.submit("again", int, number, then=lambda found: done.append(found.value))
    background.submit("gone", int, 4, then=lambda found: done.append(found.value))
    background.withdraw("gone")
    background.submit("last", int, 5, then=lambda _: finished.set())
    release.set()

    assert finished.wait(60)
    assert done == [0, 3]
    background.close()
