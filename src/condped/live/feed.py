"""A running study for many viewers: numbers at once, verdicts when they are ready."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import condped
from condped.errors import NameNotFoundError, NoTrialsError
from condped.live.background import Background, Outcome
from condped.live.looks import Look, Looks, numbers, verdicts
from condped.live.sources import NotRecordedError, gone
from condped.live.versions import Event, Versions, json_text
from condped.live.viewers import Activity, Cursor, Feed, activity_of, timed


class StudyFeed(Feed):
    """Follows a study while it has viewers.

    Parameters
    ----------
    follow
        Opens the study; called again if that failed.
    background
        Where verdicts are computed.
    options
        Options of :func:`condped.report`, without those for reading.
    **pace
        Options of :class:`Feed`.
    """

    def __init__(
        self,
        follow: Callable[[], condped.Followed],
        background: Background,
        options: Mapping[str, Any],
        **pace: float,
    ) -> None:
        super().__init__(**pace)
        self._follow = follow
        self._followed: condped.Followed | None = None
        self._background = background
        self._options = options
        self._versions = Versions()
        self._report: condped.Report | None = None
        self._looks = Looks()
        self._arrived: list[tuple[Look, Outcome]] = []
        self._stale = True  # whether there are trials that the report does not cover
        self._finished: int | None = None  # trials at the last reading; None before the first
        self._last_finished: float | None = None  # when a trial was seen to finish
        self._state: dict[str, Any] = {
            "state": "waiting", "message": "Reading the trials.", "finished": 0, "running": 0,
            "best": None, "verdicts": "computing",
        }  # fmt: skip
        self._status = 0, ""  # nothing is published before the first look
        self._published = 0  # the version that viewers were last notified of
        self._page: tuple[tuple[int, str | None], str] | None = None
        self._page_lock = threading.Lock()

    def page(self, events: str, index: str | None = None) -> str | None:
        """Return the page; None before there are any trials.

        ``events`` is the address of the stream that continues from this page's version, ``index``
        that of the list of studies, if there are several.
        """
        with self._page_lock:
            with self._lock:
                report, number = self._report, self._versions.number
            if report is None:
                return None
            if self._page is None or self._page[0] != (number, index):
                live = f"{events}?from={self._versions.id_of(number)}"
                self._page = (number, index), report.to_html(live=live, index=index)
            return self._page[1]

    def data(self) -> str | None:
        """Return the data of the page as JSON; None before there are any trials."""
        with self._lock:
            return self._versions.text if self._versions.number else None

    @property
    def status(self) -> dict[str, Any]:
        """The study's state as viewers see it."""
        with self._lock:
            return dict(self._state)

    def cursor(self, version: str | None) -> Cursor:
        """Return where a viewer with a given version continues, even one from another server."""
        with self._lock:
            return Cursor(self._versions.number_of(version))

    def news(self, cursor: Cursor) -> list[Event]:
        """Return what a viewer has not received yet, each part once, and move its cursor."""
        with self._lock:
            found = []
            change = self._versions.since(cursor.version)
            if change is not None:
                found.append(change)
                cursor.version = self._versions.number
            serial, text = self._status
            if cursor.status != serial:
                found.append(Event("status", text))
                cursor.status = serial
            return found

    def close(self) -> None:
        """End the feed, and notify viewers."""
        self._background.withdraw(self)
        self._publish(state="ended", message="The server was stopped.")
        super().close()

    def _look(self) -> float:
        took = 0.0
        try:
            if self._followed is None:
                self._followed, took = timed(self._follow)
                changed = True
            else:
                changed, took = timed(_update, self._followed)
            self._stale |= changed
            self._renew(self._followed)
        except NotRecordedError as error:
            self._publish(state="waiting", message=str(error))
        except NoTrialsError:
            self._publish(state="waiting", message="There are no trials yet.")
        return took

    def _leave(self) -> None:
        followed, self._followed = self._followed, None
        self._finished = self._last_finished = None
        if followed is not None:
            followed.close()

    def _failed(self, reason: str) -> None:
        self._publish(state="unreachable", message=reason)

    def _renew(self, followed: condped.Followed) -> None:
        """Analyse what is new, and notify viewers."""
        looks = self._looks
        with self._lock:
            arrived, self._arrived = self._arrived, []
        for look, outcome in arrived:
            self._stale |= looks.take(look, outcome)
        if self._stale:
            self._compute_verdicts(looks.due(followed.table))
            report = numbers(followed.table, looks.verdicts, self._options)
            data = report.page_data
            with self._lock:
                self._versions.put(data)
                self._report = report
            self._stale = False  # only now: what has failed is retried
        self._publish(
            state=self._activity(followed),
            message=looks.problem or "",
            finished=followed.finished,
            running=followed.running,
            best=_best(self._report),
            verdicts="computing" if looks.pending else "failed" if looks.problem else "ready",
        )

    def _activity(self, followed: condped.Followed) -> Activity:
        """Return how the study is doing, judging by when trials were seen to finish."""
        now = time.monotonic()
        if self._finished not in (None, followed.finished):
            self._last_finished = now
        self._finished = followed.finished
        quiet = None if self._last_finished is None else now - self._last_finished
        return activity_of(followed.finished, followed.running, quiet)

    def _compute_verdicts(self, look: Look | None) -> None:
        """Compute the verdicts of a due look in the background."""
        if look is not None:
            then = partial(self._take_verdicts, look)
            self._background.submit(
                self, verdicts, look.table, look.trials, self._options, then=then
            )

    def _take_verdicts(self, look: Look, outcome: Outcome) -> None:
        """Take what the background process has computed; called in its thread."""
        with self._lock:
            self._arrived.append((look, outcome))
        self._wake.set()

    def _publish(self, **about: Any) -> None:
        """Update the state, and notify viewers if anything has changed."""
        with self._lock:
            if self.closed:
                return
            self._state = {**self._state, **about}
            text, serial = json_text(self._state), self._status[0]
            if text != self._status[1]:
                self._status = serial + 1, text
            elif self._versions.number == self._published and self._tried:
                return
            self._published = self._versions.number
        self._notify()


def _update(followed: condped.Followed) -> bool:
    """Read what is new; if the study was deleted, viewers are not told of others."""
    try:
        return followed.update()
    except NameNotFoundError as error:
        if error.kind == "study":
            raise gone(str(error.name)) from None
        raise


def _best(report: condped.Report | None) -> float | None:
    """Return the best value in a report, if there is one objective."""
    best = ((report.data["summary"] or {}).get("best") if report is not None else None) or []
    value: float | None = best[0]["value"] if len(best) == 1 else None
    return value
