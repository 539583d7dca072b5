"""Threads that share out work: every piece once, errors once, nothing left running."""

from __future__ import annotations

import _thread
import signal
import threading
import time
from collections.abc import Generator
from functools import partial

import pytest

from condped.read.stream.workers import run_workers, worker_count


def _numbers(start: int, stop: int, closed: list[int] | None = None) -> Generator[int]:
    try:
        yield from range(start, stop)
    finally:
        if closed is not None:
            closed.append(start)


@pytest.mark.parametrize("stretches", [0, 1, 2, 7])
@pytest.mark.parametrize("workers", [1, 2, 5])
def test_every_piece_is_taken_once(stretches: int, workers: int) -> None:
    """However stretches and workers divide, the states together hold all pieces."""
    work = [partial(_numbers, 10 * n, 10 * n + n) for n in range(stretches)]
    heard: list[int] = []

    def step(state: list[int], piece: int) -> int:
        state.append(piece)
        return piece

    states = run_workers(work, list[int], step, heard.append, workers)
    expected = [10 * n + place for n in range(stretches) for place in range(n)]
    assert sorted(piece for state in states for piece in state) == expected
    assert sorted(heard) == expected


def test_several_workers_share_one_stretch() -> None:
    """A single stretch keeps all workers busy."""
    together = threading.Barrier(3, timeout=20)

    def step(state: list[int], piece: int) -> None:
        together.wait()  # passes only if three pieces are worked on at a time
        state.append(piece)

    states = run_workers([partial(_numbers, 0, 30)], list[int], step, lambda piece: None, 3)
    assert sorted(map(len, states)) == [10, 10, 10]


@pytest.mark.parametrize("attempt", range(5))
def test_the_earliest_error_is_raised(attempt: int) -> None:
    """Of several errors that which a single worker would have met is raised; all stop."""
    taken: list[int] = []
    before = threading.active_count()

    def step(state: None, piece: int) -> None:
        taken.append(piece)
        if piece % 100 == 50:
            raise ValueError(piece)
        time.sleep(0.0005 * (piece < 100))  # the first stretch is the slowest

    closed: list[int] = []
    work = [partial(_numbers, 100 * n, 100 * n + 100, closed) for n in range(20)]
    with pytest.raises(ValueError, match=r"^50$"):
        run_workers(work, lambda: None, step, lambda piece: None, 3)
    assert len(taken) < 1000
    assert 0 in closed
    assert threading.active_count() == before


def test_an_error_in_reading_is_raised() -> None:
    """What goes wrong between pieces comes out as it was."""

    def broken() -> Generator[int]:
        yield 1
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        run_workers([broken], lambda: None, lambda state, piece: None, lambda piece: None, 2)


def test_an_interrupt_stops_all() -> None:
    """Whoever presses Ctrl-C gets the prompt back, with no thread left."""
    before = threading.active_count()
    closed: list[int] = []

    def step(state: None, piece: int) -> None:
        if piece == 5:
            _thread.interrupt_main()
        time.sleep(0.001)

    # A cluster that another test of this process started may have left a handler of its own.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            run_workers(
                [partial(_numbers, 0, 10**9, closed)], lambda: None, step, lambda piece: None, 2
            )
    finally:
        signal.signal(signal.SIGINT, handler or signal.default_int_handler)
    assert closed == [0]
    assert threading.active_count() == before


def test_there_is_at_least_one_worker() -> None:
    """Whatever the machine."""
    assert worker_count() >= 1
