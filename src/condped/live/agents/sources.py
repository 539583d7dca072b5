"""The sources given at the start, and the names by which tools refer to their studies.

Nothing else can be accessed: what a tool is given is looked up among these names, and never opened
as a path or a URL.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from threading import Lock
from typing import Any

from condped.errors import CondpedError, DataError, NameNotFoundError, SettingsError, not_found
from condped.live.agents.answers.fields import MOST_NAME
from condped.live.names import check_names, split_name
from condped.live.sources import (
    list_place,
    login_of,
    names_in,
    passwords_of,
    places_of,
    requested_objectives,
    without_passwords,
)
from condped.safe_text import shortened

_MOST_MESSAGE = 600
_PAUSE = 1.0  # seconds after which sources are listed again for an unknown name
_SHARE = 0.2  # of the time that may be spent on that
# Any URL or path: hiding only the real ones would reveal which path or login is right.
_URL = re.compile(r"\b([A-Za-z][\w+.-]*):/{2,}[^\s'\"<>]*")
_PATH = re.compile(r"(?<![\w./~…])(?:~|[A-Za-z]:)?/(?:[^\s/'\",;:()<>]+/)*[^\s/'\",;:()<>]+")


@dataclass(frozen=True, slots=True)
class Source:
    """One of the given sources; only its ``name`` is ever shown."""

    name: str
    place: str

    def label(self, place: str) -> str:
        """Return the label of a place: that of the source, or of one of its files."""
        return self.name if place == self.place else f"{self.name}:{Path(place).stem}"

    @contextmanager
    def reading(self, place: str, label: str | None = None) -> Iterator[None]:
        """Raise errors of reading a place with its label instead of its path and password."""
        try:
            yield
        except CondpedError as error:
            # The same type: no trials is not the same as no access.
            message = self.hidden(str(error), place, label)
            raise type(error)(message) if _plain(error) else DataError(message) from None
        except OSError as error:
            why = self.hidden(error.strerror or type(error).__name__, place, label)
            raise DataError(f"No access to {label or self.label(place)!r}: {why}.") from None

    def hidden(self, text: str, place: str, label: str | None = None) -> str:
        """Return a message about reading a place, with its location replaced by its name."""
        for secret in passwords_of(self.place):
            text = text.replace(secret, "***")
        for location, name in ((place, label or self.label(place)), (self.place, self.name)):
            for form in _forms(location):
                text = text.replace(form, name)
        return without_places(without_passwords(text))


@dataclass(frozen=True, slots=True)
class Listed:
    """A study by the name that tools take.

    Attributes
    ----------
    study
        Its name in the source.
    place
        Where it is: the source, or what its pattern matches.
    row
        How far it had come when it was listed.
    note
        What could not be read with the server's options, and why.
    """

    name: str
    source: Source
    place: str
    study: str
    row: Mapping[str, Any]
    note: str | None = None


class Sources:
    """The given sources, by name.

    Parameters
    ----------
    given
        Sources, each optionally with a name and an equals sign in front.
    patterns
        Names or patterns of the studies to offer; all if empty.
    reading
        How they are read, the same for all.
    """

    def __init__(
        self,
        given: Sequence[str],
        patterns: Sequence[str] = (),
        reading: Mapping[str, Any] | None = None,
    ) -> None:
        self.every = tuple(_named(given))
        self.patterns = tuple(patterns)
        self.reading = dict(reading or {})
        self._known: dict[str, Listed] = {}
        self._problems: dict[str, str] = {}
        self._lock = Lock()
        self._listing = Lock()
        self._next_look = float("-inf")

    def listed(self) -> tuple[list[Listed], dict[str, str]]:
        """Return all studies as of now, and why sources, or files of them, cannot be read."""
        found: list[Listed] = []
        problems: dict[str, str] = {}
        before, known = self._known, dict[str, Listed]()
        for source in self.every:
            rows: list[tuple[str, dict[str, Any], bool]] = []
            for place in places_of(source.place):
                # The content of a file is unknown, but its name may be that of a study.
                label = source.label(place) if self._offered(Path(place).stem) else source.name
                try:
                    with source.reading(place, label):
                        own = list_place(place, self.reading).studies.rows()
                except CondpedError as error:
                    problems[label] = shortened(str(error), _MOST_MESSAGE)
                    # A study that was there stays known: opening it shows whether it is back.
                    known |= {name: one for name, one in before.items() if one.place == place}
                    continue
                rows += [(place, row, len(own) == 1) for row in own if self._offered(row["study"])]
            here = [replace(one, note=self._note(one)) for one in _addressed(source, rows)]
            found += here
            if len(here) == 1:
                known[source.name] = here[0]
        known |= {one.name: one for one in found}
        with self._lock:
            self._known, self._problems = known, problems
        return found, problems

    def find(self, name: str) -> Listed:
        """Return the study with a name, or raise."""
        if name not in self._known:
            self._look_again()
        with self._lock:
            known, problems = self._known, self._problems
        if name in known:
            return known[name]
        for label, problem in problems.items():
            if name.startswith(label) or label.startswith(f"{name}:"):
                raise DataError(problem)
        raise not_found("study", shortened(name, MOST_NAME), known)

    def check(self, one: Listed) -> None:
        """Raise if a study is gone; the error lists only the names on offer."""
        with one.source.reading(one.place):
            if one.study in names_in(one.place, self.reading):
                return
        self.listed()
        raise not_found("study", one.name, self._known)

    def _look_again(self) -> None:
        """List all sources, unless this was done a moment ago.

        A name may be new, or its source may not have been reachable; but requests for what does not
        exist must not keep the sources busy.
        """
        with self._listing:
            began = time.monotonic()
            if began >= self._next_look:
                try:
                    self.listed()
                finally:
                    took = time.monotonic() - began
                    self._next_look = began + max(_PAUSE, took / _SHARE)

    def _note(self, one: Listed) -> str | None:
        """Return a note if a study lacks the objective that the server was started with."""
        requested, own = requested_objectives(self.reading), one.row["objectives"]
        if requested <= {*own} or not one.row["complete"]:
            return None
        given = " ".join(f"--objective {name}" for name in sorted(requested))
        return (
            f"The server was started with {given}, which this study does not record: its own is "
            f"explained instead ({', '.join(own)})."
        )

    def _offered(self, study: str) -> bool:
        return not self.patterns or any(fnmatchcase(study, one) for one in self.patterns)


def without_places(text: str) -> str:
    """Return a text without paths of this machine and without addresses.

    Examples
    --------
    >>> without_places("No table at postgresql://me:secret@host/db or /home/me/runs/a.csv.")
    'No table at postgresql://… or ….'
    """
    return _PATH.sub(_ended, _URL.sub(r"\1://…", text))


def _ended(found: re.Match[str]) -> str:
    return "…." if found[0].endswith(".") else "…"


def _plain(error: CondpedError) -> bool:
    """Return whether an error can be built from its message alone."""
    return type(error) is SettingsError or isinstance(error, DataError | NameNotFoundError)


def _addressed(
    source: Source, rows: Sequence[tuple[str, Mapping[str, Any], bool]]
) -> Iterator[Listed]:
    """Yield the studies of a source under unique names."""
    taken: set[str] = set()
    for place, row, alone in rows:
        study = row["study"]
        # A file with one study goes by the name of the file.
        same = alone and place == source.place and study == Path(place).stem
        full = source.name if same else f"{source.name}:{study}"
        yield Listed(_unique(shortened(full, MOST_NAME - 8), taken), source, place, study, row)


def _named(given: Sequence[str]) -> Iterator[Source]:
    pairs = [split_name(one) for one in given]
    names = [name for name, _ in pairs if name is not None]
    check_names(names)
    taken = set(names)
    for own, place in pairs:
        yield Source(_unique(_derived(place), taken) if own is None else own, place)


def _derived(place: str) -> str:
    """Return a name that reveals only the last part of a path or a URL.

    Examples
    --------
    >>> _derived("postgresql://me:secret@host/tuning?sslmode=require")
    'tuning'
    """
    _, sign, rest = place.partition("://")
    path = rest.rpartition("@")[2].partition("?")[0] if sign else place
    last = Path(path.rstrip("/\\") or "source").name
    plain = re.sub(r"[^\w.-]+", "-", Path(last).stem).strip("-.")
    return plain[:40] or "source"


def _unique(name: str, taken: set[str]) -> str:
    number, own = 1, name
    while own in taken:
        number += 1
        own = f"{name}-{number}"
    taken.add(own)
    return own


def _forms(place: str) -> list[str]:
    """Return the forms in which messages may contain a source's location, longest first."""
    _, sign, rest = place.partition("://")
    path = rest.partition("?")[0].removeprefix("/") if sign else place
    forms = {place, place.partition("?")[0]}
    login = login_of(place)
    if sign:
        forms |= {form.replace(f"{login}@", "") for form in forms if login}
        forms |= {form.replace(login, login.partition(":")[0]) for form in tuple(forms) if login}
    if not login and "://" not in path:
        home = os.path.expanduser(path)  # noqa: PTH111  (which leaves ~nobody as it is)
        forms |= {path, home, str(Path(home).absolute())}
    return sorted((form for form in forms if len(form) > 1), key=len, reverse=True)
