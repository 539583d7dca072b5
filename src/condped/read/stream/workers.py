"""Threads that process segments of work, the items of each in order."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from queue import Empty, SimpleQueue
from typing import Generic, TypeAlias, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
State = TypeVar("State")
Segment: TypeAlias = Callable[[], Generator[Item]]

# With more, threads wait for each other rather than for the CPU.
_MOST_WORKERS = 8
_LISTEN = 0.2  # seconds until an interrupt is noticed at the latest
_Place: TypeAlias = tuple[int, int]  # of an item: its segment, and its index there
_END: _Place = (1 << 62, 0)


def worker_count() -> int:
    """Return the number of threads: one for each CPU that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), _MOST_WORKERS)
    return min(os.cpu_count() or 1, _MOST_WORKERS)


def run_workers(
    segments: Sequence[Segment[Item]],
    make: Callable[[], State],
    step: Callable[[State, Item], Result],
    done: Callable[[Result], None],
    workers: int,
    *,
    cancel: Callable[[], None] = lambda: None,
) -> list[State]:
    """Let each worker make a state and add items to it; return the states.

    A worker takes a segment for itself; when none is left, it helps with those of others. Any error
    stops all workers, and the one that is raised is that of the earliest item, whichever worker
    failed first. ``done`` is called with what each step returns, in the calling thread; ``cancel``
    ends the wait for an item when that thread is interrupted.
    """
    team = _Team(segments, step)
    threads = [
        threading.Thread(target=team.work, args=(make(),), daemon=True)
        for _ in range(max(1, min(workers, 4 * len(segments))))
    ]
    try:
        for thread in threads:
            thread.start()
        for result in team.results(len(threads)):
            done(result)
    except BaseException:
        cancel()
        raise
    finally:
        # On an error or an interrupt in this thread, the others end with their next item.
        team.stop((-1, 0))
        for thread in threads:
            if thread.ident is not None:
                thread.join()
        team.close()
    if team.failures:
        raise team.failures[min(team.failures)]
    return team.states


class _Lane(Generic[Item]):
    """A segment, and how many of its items have been taken."""

    def __init__(self, number: int, segment: Segment[Item]) -> None:
        self.number, self.segment = number, segment
        self.items: Generator[Item] | None = None
        self.taken = 0
        self.empty = False
        self.lock = threading.Lock()

    def close(self) -> None:
        if self.items is not None:
            self.items.close()


class _Team(Generic[State, Item, Result]):
    """What the workers share."""

    def __init__(
        self, segments: Sequence[Segment[Item]], step: Callable[[State, Item], Result]
    ) -> None:
        self.lanes = [_Lane(number, segment) for number, segment in enumerate(segments)]
        self.waiting = iter(self.lanes)
        self.step = step
        self.states: list[State] = []
        self.failures: dict[_Place, BaseException] = {}
        self.end = _END
        self.lock = threading.Lock()
        self.results_queue: SimpleQueue[tuple[Result] | None] = SimpleQueue()

    def work(self, state: State) -> None:
        lane: _Lane[Item] | None = None
        while True:
            lane = self._next(lane)
            if lane is None:
                break
            taken = self._take(lane)
            if taken is None:
                continue
            place, item = taken
            try:
                self.results_queue.put((self.step(state, item),))
            except BaseException as error:  # raised again in the calling thread
                self._fail(place, error)
        with self.lock:
            self.states.append(state)
        self.results_queue.put(None)

    def _next(self, lane: _Lane[Item] | None) -> _Lane[Item] | None:
        """Return the segment to continue with; None if nothing is left."""
        if lane is not None and not lane.empty:
            return lane
        with self.lock:
            return next(self.waiting, None) or next((o for o in self.lanes if not o.empty), None)

    def _take(self, lane: _Lane[Item]) -> tuple[_Place, Item] | None:
        with lane.lock:
            place = (lane.number, lane.taken)
            if lane.empty or place >= self.end:
                lane.empty = True
                return None
            try:
                if lane.items is None:
                    lane.items = lane.segment()
                item = next(lane.items)
            except StopIteration:
                lane.empty = True
                return None
            except BaseException as error:
                self._fail(place, error)
                lane.empty = True
                return None
            lane.taken += 1
            return place, item

    def _fail(self, place: _Place, error: BaseException) -> None:
        with self.lock:
            self.failures[place] = error
        self.stop(place)

    def stop(self, place: _Place) -> None:
        """Take no more items after a place."""
        with self.lock:
            self.end = min(self.end, place)

    def results(self, workers: int) -> Iterable[Result]:
        """Iterate over the results of steps, until all workers have ended."""
        while workers:
            try:
                # With a timeout: a library that handles signals may keep interrupts from ending it.
                entry = self.results_queue.get(timeout=_LISTEN)
            except Empty:
                continue
            if entry is None:
                workers -= 1
            else:
                yield entry[0]

    def close(self) -> None:
        for lane in self.lanes:
            lane.close()
