"""The studies of the given sources: their names, their ids in addresses, and a feed for each."""

from __future__ import annotations

import hashlib
import logging
import re
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import condped
from condped.errors import CondpedError, NameNotFoundError, NoTrialsError
from condped.live.background import Background
from condped.live.feed import StudyFeed
from condped.live.sources import (
    Listing,
    gone,
    has_no_trials,
    list_place,
    open_study,
    places_of,
    split_options,
    without_passwords,
)
from condped.live.versions import Event, Versions
from condped.live.viewers import Cursor, Feed, reason_of, timed

_MOST_IDLE = 8  # feeds without viewers whose last page is kept
_LONGEST_ID = 60  # letters
_PATIENCE = 1.0  # seconds that all threads together may take to end
_SHARE = 0.2  # of the time that may be spent on looking for studies
_LOGGER = logging.getLogger("condped.live")


class Entry(NamedTuple):
    """A study of a source.

    Attributes
    ----------
    id
        Its name in addresses.
    name
        Its name here, which is unique.
    study
        Its name in its source.
    """

    id: str
    name: str
    source: str
    study: str


class Catalogue(Feed):
    """The studies that are served; new ones in the same sources are found while there are viewers.

    Parameters
    ----------
    sources
        Files, directories, patterns and URLs; each of one study or of several.
    options
        Options for reading and for :func:`condped.report`.
    **pace
        Options of :class:`Feed`.

    Raises
    ------
    CondpedError
        If a source cannot be read now.
    """

    def __init__(self, sources: Sequence[str], options: Mapping[str, Any], **pace: float) -> None:
        super().__init__(**pace)
        self._sources = list(sources)
        self._pace = pace
        self._reading, self._analysis = split_options(options)
        self._background = Background()
        self._versions = Versions()
        self._listed: dict[str, condped.Studies] = {}
        self._ids: dict[tuple[str, str], str] = {}  # by source and study, as long as it serves
        self._notes: set[tuple[str, str]] = set()  # that were logged
        self._problems = False  # of any source
        self._entries: dict[str, Entry] = {}
        self._studies: condped.Studies | None = None
        self._feeds: dict[str, StudyFeed] = {}
        self._feeds_lock = threading.Lock()
        self._listing = threading.Lock()
        self._next_look = float("-inf")
        self._list(strict=True)
        self._check_first()

    # Called from any thread

    @property
    def entries(self) -> Mapping[str, Entry]:
        """The studies by their ids."""
        return self._entries

    def refresh(self) -> None:
        """Look for new studies now, unless that was done a moment ago or is in progress."""
        if not self._listing.acquire(blocking=False):
            return
        try:
            began = time.monotonic()
            if began >= self._next_look:
                try:
                    self._list(strict=False)
                finally:
                    # Requests for what does not exist must not keep a source busy.
                    took = time.monotonic() - began
                    self._next_look = began + max(self._every / 2, took / _SHARE)
        finally:
            self._listing.release()

    def feed(self, id: str) -> StudyFeed | None:
        """Return the feed of a study, the same for all viewers; None if there is no such study."""
        with self._feeds_lock:
            if self.closed:
                return None
            feed = self._feeds.pop(id, None)
            entry = self._entries.get(id)
            if feed is None and entry is not None:
                options = {"title": entry.name, **self._analysis}
                follow = partial(open_study, entry.source, entry.study, self._reading)
                feed = StudyFeed(follow, self._background, options, **self._pace)
            if feed is not None:
                self._feeds[id] = feed  # the most recent one is the last
            idle = [known for known, one in self._feeds.items() if one.idle and known != id]
            for known in idle[: max(0, len(idle) - _MOST_IDLE)]:
                del self._feeds[known]
            return feed

    def page(self, events: str) -> str:
        """Return the page that lists the studies."""
        with self._lock:
            studies, number = self._studies, self._versions.number
            links = {one.name: f"/study/{one.id}" for one in self._entries.values()}
            # The page has no problems in it; without a version the stream starts with them.
            query = "" if self._problems else f"?from={self._versions.id_of(number)}"
        assert studies is not None
        return studies.to_html(links, live=f"{events}{query}")

    def close(self) -> None:
        """End all feeds and the background process."""
        super().close()
        with self._feeds_lock:
            feeds = list(self._feeds.values())
        for feed in feeds:
            feed.close()
        self._background.close()
        ends_at = time.monotonic() + _PATIENCE
        for one in (self, *feeds):
            one.join(ends_at)

    def cursor(self, version: str | None) -> Cursor:
        """Return where a viewer of the list continues."""
        with self._lock:
            return Cursor(self._versions.number_of(version))

    def news(self, cursor: Cursor) -> list[Event]:
        """Return the whole list, which is short, if it has changed."""
        with self._lock:
            number = self._versions.number
            if cursor.version == number:
                return []
            cursor.version = number
            return [Event("studies", self._versions.text, self._versions.id_of(number))]

    # Called in the feed's thread

    def _look(self) -> float:
        _, took = timed(self.refresh)
        return float(took)

    def _leave(self) -> None:
        """Nothing is held open."""

    def _failed(self, reason: str) -> None:
        self._notify()

    def _list(self, *, strict: bool) -> None:
        """List all sources again; one that cannot be read keeps its studies, unless ``strict``."""
        listed: dict[str, condped.Studies] = {}
        problems: dict[str, str] = {}
        for place in [place for source in self._sources for place in places_of(source)]:
            try:
                listed[place], note = (list_place if strict else _list_again)(place, self._reading)
            except CondpedError as error:
                if strict and not has_no_trials(place, error):
                    raise
                problems[place] = reason_of(error)
                if place in self._listed:
                    listed[place] = self._listed[place]
            else:
                self._log_note(place, note)
        self._publish(listed, problems)

    def _publish(self, listed: dict[str, condped.Studies], problems: Mapping[str, str]) -> None:
        """Publish studies and why sources cannot be read, and notify viewers of changes."""
        entries = _entries(listed, self._ids)
        names = {(one.source, one.study): one for one in entries}
        states = tuple(
            replace(state, study=names[place, state.study].name)
            for place, found in listed.items()
            for state in found.studies
        )
        studies = condped.Studies(states)
        rows = [
            {**row, "link": f"/study/{one.id}", "problem": problems.get(one.source)}
            for row, one in zip(studies.rows(), entries, strict=True)
        ]
        labels = _labels([*listed, *problems])
        rows += [
            _row_of_problem(labels[place], problem)
            for place, problem in problems.items()
            if place not in listed
        ]
        with self._lock:
            self._listed = listed
            self._problems = bool(problems)
            self._entries = {one.id: one for one in entries}
            self._studies = studies
            changed = self._versions.put({"rows": rows})
        if changed:
            self._notify()

    def _log_note(self, place: str, note: str | None) -> None:
        """Log once what could not be read as requested."""
        if note is not None and (place, note) not in self._notes:
            self._notes.add((place, note))
            _LOGGER.warning("%s: %s", without_passwords(place), note)

    def _check_first(self) -> None:
        """Raise for listed studies that cannot be opened by their names."""
        for place, found in self._listed.items():
            if len(found.studies) > 1 and Path(place).is_dir():
                with suppress(NoTrialsError):
                    open_study(place, found.studies[0].study, self._reading).close()


def _list_again(place: str, reading: Mapping[str, Any]) -> Listing:
    """List a place whose studies may have been deleted, and do not reveal what else it has.

    A pattern without a study any more does not hide those of the others.
    """
    try:
        return list_place(place, reading)
    except NameNotFoundError as error:
        if error.kind != "study":
            raise
        study = reading.get("study")
        rest = [] if isinstance(study, str) else [one for one in study or () if one != error.name]
        if rest:
            return _list_again(place, {**reading, "study": rest})
        raise gone(str(error.name)) from None


def _entries(listed: Mapping[str, condped.Studies], ids: dict[tuple[str, str], str]) -> list[Entry]:
    """Return the studies with unique names and ids; ``ids`` is extended, never changed."""
    found = [(place, state.study) for place, studies in listed.items() for state in studies.studies]
    _add_ids(ids, found)
    times = Counter(study for _, study in found)
    labels = _labels(list(listed))
    return [
        Entry(
            ids[place, study],
            study if times[study] == 1 else f"{labels[place]}: {study}",
            place,
            study,
        )
        for place, study in found
    ]


def _labels(places: Sequence[str]) -> dict[str, str]:
    """Return unique labels of sources: as much of the ends of their paths as needed."""
    places = list(dict.fromkeys(places))
    parts = [re.split(r"[/\\]+", without_passwords(place).rstrip("/\\")) for place in places]
    for depth in range(1, max(map(len, parts), default=0) + 1):
        labels = ["/".join(part[-depth:]) for part in parts]
        if len(set(labels)) == len(labels):
            return dict(zip(places, labels, strict=True))
    return {place: f"source {number}" for number, place in enumerate(places, start=1)}


def _add_ids(ids: dict[tuple[str, str], str], found: Sequence[tuple[str, str]]) -> None:
    """Add the ids of studies: their own names if these are unique.

    Ids are the same at every start, and never contain a path. They do not change: a later study
    with the same name gets another one.
    """
    new = [key for key in found if key not in ids]
    times = Counter(map(_readable, (study for _, study in found)))
    taken = set(ids.values())
    for place, study in new:
        own = _readable(study)
        if times[own] > 1 or own in taken:
            key = f"{without_passwords(place)}\0{study}".encode("utf-8", "replace")
            own = f"{own[:40]}-{hashlib.sha256(key).hexdigest()[:8]}"
        while own in taken:  # sources that differ only in what is hidden, such as a password
            own = f"{own}-2"
        ids[place, study] = own
        taken.add(own)


def _readable(study: str) -> str:
    """Return a study's name in a form that is valid in an address."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", study)[:_LONGEST_ID].strip("-") or "study"


def _row_of_problem(label: str, problem: str) -> dict[str, Any]:
    """Return a row for a source without known studies."""
    counts = dict.fromkeys(("trials", "complete", "pruned", "failed", "running"), 0)
    nothing: dict[str, Any] = {"objectives": [], "directions": [], "best": None}
    nothing |= {"last_finished": None, "link": None}
    return {"study": label, **counts, **nothing, "problem": problem}
