"""Feeds whose source, analysis or process of verdicts fails for a while."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import condped
from condped.errors import DataError
from condped.live.background import Background, Outcome
from condped.live.feed import StudyFeed
from condped.live.looks import numbers as numbers_of
from tests.live.studies import run_trials, storage_in
from tests.live.viewer import Viewer, feed_of

SECRET = "xyzzy-plugh"


def test_a_source_that_is_gone_for_a_while_comes_back(background: Background) -> None:
    """Errors become a status without passwords, the numbers stay, and reading is tried again."""
    table = condped.problems.get("nested").sample(20, seed=0)
    problem: list[Exception | None] = [None]

    class _Followed:
        finished, running = 20, 0

        def __init__(self) -> None:
            self.table = table

        def update(self) -> bool:
            if problem[0] is not None:
                raise problem[0]
            return False

        def close(self) -> None:
            pass

    feed = StudyFeed(_Followed, background, {}, every=0.01)  # type: ignore[arg-type]
    viewer = Viewer(feed)
    with feed.viewing(viewer.news.set):
        viewer.until(lambda: viewer.status.get("state") == "idle")
        problem[0] = DataError(f"No answer from postgresql://tuner:{SECRET}@db:5432/studies.")
        viewer.until(lambda: viewer.status["state"] == "unreachable")
        assert viewer.status["message"] == "No answer from postgresql://tuner@db:5432/studies."
        assert viewer.data["used"] == 20
        problem[0] = OSError(f"password={SECRET}")
        viewer.until(lambda: "OSError" in viewer.status["message"])
        assert SECRET not in str(viewer.status)
        problem[0] = None
        viewer.until(lambda: viewer.status["state"] == "idle")
    feed.close()
    viewer.until(lambda: viewer.status["state"] == "ended")


def test_a_locked_database_is_told_of_and_comes_back(
    tmp_path: Path, background: Background
) -> None:
    """While another program has SQLite to itself the last numbers stay, and then go on."""
    url = storage_in(tmp_path)
    run_trials(url, 5)
    feed = feed_of(url, background)
    viewer = Viewer(feed)
    with feed.viewing(viewer.news.set):
        viewer.until(lambda: viewer.status.get("state") == "idle")
        with closing(sqlite3.connect(tmp_path / "studies.db")) as other:
            other.execute("BEGIN EXCLUSIVE")
            viewer.until(lambda: viewer.status["state"] == "unreachable")
            assert "locked" in viewer.status["message"]
            assert viewer.data["used"] == 5
            other.rollback()
        run_trials(url, 5, seed=1)
        viewer.until(lambda: viewer.data["used"] == 10)
        assert viewer.status["state"] == "live"
    feed.close()


def test_an_analysis_that_failed_once_is_made_again(
    tmp_path: Path, background: Background, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The trials that it was for are not lost, though the source has nothing new after them."""
    url = storage_in(tmp_path)
    run_trials(url, 5)
    feed = feed_of(url, background)
    viewer = Viewer(feed)
    with feed.viewing(viewer.news.set):
        viewer.until(lambda: viewer.data.get("used") == 5)
        made = numbers_of
        failures = [MemoryError()]

        def numbers(*arguments: Any) -> condped.Report:
            if failures:
                raise failures.pop()
            return made(*arguments)

        monkeypatch.setattr("condped.live.feed.numbers", numbers)
        run_trials(url, 1, seed=1)
        viewer.until(lambda: viewer.data["used"] == 6)
    feed.close()
    assert not failures


@pytest.mark.parametrize(("times", "words"), [(1, "ready"), (3, "failed")])
def test_verdicts_are_computed_again_if_their_process_was_ended(
    tmp_path: Path, background: Background, times: int, words: str
) -> None:
    """And given up with a word for it if that happens again and again."""
    url = storage_in(tmp_path)
    run_trials(url, 45)
    left = [times]

    class _Ended:
        """Has its process ended a few times."""

        def submit(self, *job: Any, then: Callable[[Outcome], None]) -> None:
            left[0] -= 1
            if left[0] < 0:
                background.submit(*job, then=then)
            else:
                then(Outcome(None, "It was ended.", again=True))

        def withdraw(self, _: object) -> None:
            pass

    feed = feed_of(url, _Ended())  # type: ignore[arg-type]
    viewer = Viewer(feed)
    with feed.viewing(viewer.news.set):
        viewer.until(lambda: viewer.status.get("verdicts") == words)
    feed.close()
    assert (viewer.data["tested"] is None) == (words == "failed")
    assert viewer.status["message"] == ("" if words == "ready" else "It was ended.")


def test_ending_does_not_wait_for_what_hangs(tmp_path: Path, background: Background) -> None:
    """Closing returns while a read goes on; waiting for it is another step, with an end."""
    begun, go_on = threading.Event(), threading.Event()

    def follow() -> condped.Followed:
        begun.set()
        go_on.wait()
        raise DataError("gone")

    feed = StudyFeed(follow, background, {})
    feed.touch()
    assert begun.wait(60)
    feed.close()
    feed.join(time.monotonic())
    assert not feed.idle
    go_on.set()
    feed.join(time.monotonic() + 60)
    assert feed.idle


def test_a_source_that_fails_is_not_asked_more_often_than_one_that_works(
    background: Background, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pauses after failures grow up to ten seconds, but none is shorter than asked for."""

    def follow() -> condped.Followed:
        raise DataError("gone")

    def pauses_of(every: float) -> list[float]:
        feed, pauses = StudyFeed(follow, background, {}, every=every), list[float]()

        def wait(seconds: float) -> None:
            pauses.append(seconds)
            feed.closed = len(pauses) == 6

        monkeypatch.setattr(feed._wake, "wait", wait)
        feed._seen = time.monotonic()
        feed._look_while_watched()
        return pauses

    assert pauses_of(60.0) == [60.0] * 6
    assert pauses_of(1.0) == [1.0, 2.0, 4.0, 8.0, 10.0, 10.0]
