"""What a server waits for: trials that are not there yet, and threads that end."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from condped.live.feed import StudyFeed
from condped.live.serve.catalogue import Catalogue
from tests.live.serve.served import served
from tests.live.serve.test_pages import rows_of, write_csv


@pytest.mark.parametrize("head", ["", "x,loss\n"])
def test_a_table_without_rows_is_waited_for(tmp_path: Path, head: str) -> None:
    """A file that is empty, or only names its columns, may be one that was just begun."""
    file = tmp_path / "begun.csv"
    file.write_text(head)
    with served([str(file)], {"objective": "loss"}) as server:
        assert rows_of(server)["begun.csv"]["problem"]
        assert server.get("/").status_code == 200
        write_csv(file)
        while "begun" not in rows_of(server):
            pass
        assert server.get("/study/begun/data.json").json()["used"] == 12


def test_the_end_waits_once_for_all_that_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All threads are told to end before any is waited for, and share one patience."""
    for number in range(3):
        write_csv(tmp_path / f"run{number}.csv")
    catalogue = Catalogue([str(tmp_path / "*.csv")], {"objective": "loss"})
    go_on, hanging = threading.Event(), threading.Semaphore(0)

    def hang(_: object) -> float:
        hanging.release()
        go_on.wait()
        return 0.0

    monkeypatch.setattr(StudyFeed, "_look", hang)
    feeds = [catalogue.feed(id) for id in catalogue.entries]
    for feed in feeds:
        assert feed is not None
        feed.touch()
        assert hanging.acquire(timeout=60)
    until: list[float] = []
    join = StudyFeed.join

    def joined(feed: StudyFeed, ends_at: float) -> None:
        assert all(one is not None and one.closed for one in feeds)
        until.append(ends_at)
        join(feed, ends_at)

    monkeypatch.setattr(StudyFeed, "join", joined)
    catalogue.close()
    go_on.set()
    assert len(until) == 3
    assert len(set(until)) == 1
