"""Studies as of one moment: reread when there are new trials, and kept for the next call."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Lock

import condped
from condped.errors import CondpedError, NameNotFoundError, SettingsError
from condped.live.agents.answers.fields import AsOf, Looks
from condped.live.agents.sources import Listed, Source, Sources
from condped.live.sources import open_study

_MOST_OPEN = 64  # studies that are held in memory


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The trials of a study as of one moment.

    Attributes
    ----------
    name
        The name that tools take.
    place
        Where it is: the source, or what its pattern matches.
    version
        Differs if the trials differ.
    looks
        Whether verdicts are for a single look or for repeated looks at a running study.
    note
        What could not be read with the server's options, and why.
    """

    name: str
    source: Source
    place: str
    table: condped.TrialTable
    finished: int
    running: int
    version: tuple[int, int]
    read_at: str
    looks: Looks
    note: str | None = None

    @property
    def as_of(self) -> AsOf:
        """The trials that an answer is based on, as stated in it."""
        at = condped.last_look(self.finished) if self.looks == "repeated" else None
        return AsOf(
            finished=self.finished,
            running=self.running,
            looks=self.looks,
            verdicts_at=at or None,
            read_at=self.read_at,
        )


@dataclass(slots=True)
class _Open:
    """A study that is followed; one call at a time reads it."""

    followed: condped.Followed
    identity: int
    version: int = 0
    lock: Lock = field(default_factory=Lock)


class Snapshots:
    """The requested studies, the latest ones held in memory."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self._open: OrderedDict[tuple[str, str], _Open] = OrderedDict()
        self._lock = Lock()
        self._opened = 0
        self._finished: dict[tuple[str, str], int] = {}  # when a study was first requested
        self._growing: set[tuple[str, str]] = set()

    def take(self, name: str, looks: Looks | None = None) -> Snapshot:
        """Return the trials of a study by its name as of now, or raise."""
        listed = self.sources.find(name)
        try:
            with listed.source.reading(listed.place):
                own = self._followed(listed)
                with own.lock:
                    own.version += own.followed.update()
                    followed, version = own.followed, (own.identity, own.version)
                    table, finished, running = followed.table, followed.finished, followed.running
        except CondpedError as error:
            self._forget(listed)  # deleted, replaced or unreachable: start afresh next time
            if isinstance(error, NameNotFoundError | SettingsError):
                self.sources.check(listed)
            raise
        repeated = self._grows(listed, finished, running)
        return Snapshot(
            listed.name,
            listed.source,
            listed.place,
            table,
            finished,
            running,
            version,
            datetime.now(UTC).isoformat(timespec="seconds"),
            looks or ("repeated" if repeated else "once"),
            listed.note,
        )

    def close(self) -> None:
        """Release everything."""
        with self._lock:
            for own in self._open.values():
                own.followed.close()
            self._open.clear()

    def _followed(self, listed: Listed) -> _Open:
        key = listed.place, listed.study
        with self._lock:
            if key in self._open:
                self._open.move_to_end(key)
                return self._open[key]
        name = listed.source.name
        followed = open_study(listed.place, listed.study, self.sources.reading, shown=name)
        with self._lock:
            self._opened += 1
            own = self._open.setdefault(key, _Open(followed, self._opened))
            if own.followed is not followed:
                followed.close()  # another thread was faster
            while len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)
        return own

    def _grows(self, listed: Listed, finished: int, running: int) -> bool:
        """Return whether a study runs, or has grown since it was first requested.

        Between two trials none may be running, and a study that has ended was tested before.
        """
        key = listed.place, listed.study
        with self._lock:
            if running or finished > self._finished.setdefault(key, finished):
                self._growing.add(key)
            return key in self._growing

    def _forget(self, listed: Listed) -> None:
        with self._lock:
            self._open.pop((listed.place, listed.study), None)
