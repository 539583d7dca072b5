"""Threads that share out work which comes in stretches, each taken one piece after the other."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from queue import Empty, SimpleQueue
from typing import Generic, TypeAlias, TypeVar

Piece = TypeVar("Piece")
Told = TypeVar("Told")
State = TypeVar("State")
Stretch: TypeAlias = Callable[[], Generator[Piece]]

# Beyond this many, threads wait for each other rather than for the processor.
_MOST_WORKERS = 8
_LISTEN = 0.2  # seconds until an interrupt is noticed at the latest
_Place: TypeAlias = tuple[int, int]  # of a piece: the stretch, and its place there
_NOWHERE: _Place = (1 << 62, 0)


def worker_count() -> int:
    """Return how many threads to work with: one for each processor that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), _MOST_WORKERS)
    return min(os.cpu_count() or 1, _MOST_WORKERS)


def share_out(
    stretches: Sequence[Stretch[Piece]],
    make: Callable[[], State],
    step: Callable[[State, Piece], Told],
    done: Callable[[Told], None],
    workers: int,
    *,
    cancel: Callable[[], None] = lambda: None,
) -> list[State]:
    """Let each worker make a state and take pieces into it; return the states.

    A worker takes a stretch of its own; when none is left, it helps with those of others. Whatever
    goes wrong stops all, and the error that is raised is that of the earliest piece, however the
    work was shared out. ``done`` hears what each step returns, in the calling thread; ``cancel``
    ends the wait for a piece when that thread is interrupted.
    """
    team = _Team(stretches, step)
    threads = [
        threading.Thread(target=team.work, args=(make(),), daemon=True)
        for _ in range(max(1, min(workers, 4 * len(stretches))))
    ]
    try:
        for thread in threads:
            thread.start()
        for told in team.told(len(threads)):
            done(told)
    except BaseException:
        cancel()
        raise
    finally:
        # On an error or an interrupt in this thread, the others end with their next piece.
        team.stop((-1, 0))
        for thread in threads:
            if thread.ident is not None:
                thread.join()
        team.close()
    if team.failures:
        raise team.failures[min(team.failures)]
    return team.states


class _Lane(Generic[Piece]):
    """A stretch, and how far it has been taken."""

    def __init__(self, number: int, stretch: Stretch[Piece]) -> None:
        self.number, self.stretch = number, stretch
        self.pieces: Generator[Piece] | None = None
        self.taken = 0
        self.empty = False
        self.lock = threading.Lock()

    def close(self) -> None:
        if self.pieces is not None:
            self.pieces.close()


class _Team(Generic[State, Piece, Told]):
    """What the workers share."""

    def __init__(
        self, stretches: Sequence[Stretch[Piece]], step: Callable[[State, Piece], Told]
    ) -> None:
        self.lanes = [_Lane(number, stretch) for number, stretch in enumerate(stretches)]
        self.waiting = iter(self.lanes)
        self.step = step
        self.states: list[State] = []
        self.failures: dict[_Place, BaseException] = {}
        self.end = _NOWHERE
        self.lock = threading.Lock()
        self.news: SimpleQueue[tuple[Told] | None] = SimpleQueue()

    def work(self, state: State) -> None:
        lane: _Lane[Piece] | None = None
        while True:
            lane = self._next(lane)
            if lane is None:
                break
            taken = self._take(lane)
            if taken is None:
                continue
            place, piece = taken
            try:
                self.news.put((self.step(state, piece),))
            except BaseException as error:  # raised again in the calling thread
                self._fail(place, error)
        with self.lock:
            self.states.append(state)
        self.news.put(None)

    def _next(self, lane: _Lane[Piece] | None) -> _Lane[Piece] | None:
        """Return the stretch to go on with; None if nothing is left."""
        if lane is not None and not lane.empty:
            return lane
        with self.lock:
            return next(self.waiting, None) or next((o for o in self.lanes if not o.empty), None)

    def _take(self, lane: _Lane[Piece]) -> tuple[_Place, Piece] | None:
        with lane.lock:
            place = (lane.number, lane.taken)
            if lane.empty or place >= self.end:
                lane.empty = True
                return None
            try:
                if lane.pieces is None:
                    lane.pieces = lane.stretch()
                piece = next(lane.pieces)
            except StopIteration:
                lane.empty = True
                return None
            except BaseException as error:
                self._fail(place, error)
                lane.empty = True
                return None
            lane.taken += 1
            return place, piece

    def _fail(self, place: _Place, error: BaseException) -> None:
        with self.lock:
            self.failures[place] = error
        self.stop(place)

    def stop(self, place: _Place) -> None:
        """Let no piece be taken that comes after a place."""
        with self.lock:
            self.end = min(self.end, place)

    def told(self, workers: int) -> Iterable[Told]:
        """Iterate over what steps returned, until all workers have ended."""
        while workers:
            try:
                # Not for ever: a library that handles signals may keep an interrupt from ending it.
                news = self.news.get(timeout=_LISTEN)
            except Empty:
                continue
            if news is None:
                workers -= 1
            else:
                yield news[0]

    def close(self) -> None:
        for lane in self.lanes:
            lane.close()
