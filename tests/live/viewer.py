"""A viewer of a feed, without a browser."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import condped
from condped.live.background import Background
from condped.live.feed import StudyFeed


class Viewer:
    """Applies events as a page does."""

    def __init__(self, feed: StudyFeed, version: str | None = None) -> None:
        self.feed = feed
        self.news = threading.Event()
        self.cursor = feed.cursor(version)
        self.data: dict[str, Any] = {}
        self.status: dict[str, Any] = {}
        self.kinds: list[str] = []

    def until(self, reached: Callable[[], bool]) -> None:
        """Take events until something holds."""
        for _ in range(3000):
            for event in self.feed.news(self.cursor):
                told = json.loads(event.data)
                self.kinds.append(event.kind)
                if event.kind == "page":
                    self.data = told["data"]
                elif event.kind == "changes":
                    self.data |= told["changes"]
                else:
                    self.status = told
            if reached():
                return
            self.news.wait(0.1)
            self.news.clear()
        raise AssertionError(f"It never came: {self.status}")


def feed_of(url: str, background: Background, **pace: float) -> StudyFeed:
    return StudyFeed(
        lambda: condped.follow(url, study="tuning"), background, {"title": "tuning"},
        **{"every": 0.05, **pace},
    )  # fmt: skip
