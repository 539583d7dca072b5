"""Versions of a page's data: the changes since any of them, as events for viewers."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Any, NamedTuple

_MOST_MESSAGES = 8  # of one version: viewers are mostly at the last one or two


class Event(NamedTuple):
    """Something to send to a viewer.

    Attributes
    ----------
    kind
        ``changes``, ``page``, ``status`` or ``studies``.
    data
        JSON on one line.
    id
        Where to resume after an interruption; None if the event has no version.
    """

    kind: str
    data: str
    id: str | None = None


class Versions:
    """The newest data, and the version at which each part of it last changed.

    What has changed since *any* version follows from that, so nothing is stored for viewers that
    are slow or were disconnected: they get each part once, as it is now.
    """

    def __init__(self) -> None:
        # Another server, or this one after a restart, has versions of its own.
        self._run = secrets.token_hex(4)
        self.number = 0
        self._texts: dict[str, str] = {}
        self._changed: dict[str, int] = {}
        self._first = 0  # the oldest version from which changes alone lead to the newest
        self._messages: dict[int | None, Event] = {}

    def put(self, data: Mapping[str, Any]) -> bool:
        """Replace the data, and return whether anything has changed."""
        texts = {name: json_text(value) for name, value in data.items()}
        different = [name for name, text in texts.items() if self._texts.get(name) != text]
        gone = self._texts.keys() - texts.keys()
        if not different and not gone:
            return False
        self.number += 1
        self._texts = texts
        self._changed = {name: self._changed.get(name, self.number) for name in texts}
        self._changed |= dict.fromkeys(different, self.number)
        if gone:  # changes cannot take parts away
            self._first = self.number
        self._messages.clear()
        return True

    def id_of(self, number: int) -> str:
        """Return a version as text that is unique to this run of the server."""
        return f"{self._run}.{number}"

    def number_of(self, text: str | None) -> int | None:
        """Return the version that a viewer has; None if changes alone cannot update it."""
        run, _, number = (text or "").partition(".")
        if run != self._run or not (number.isascii() and number.isdecimal()) or len(number) > 15:
            return None
        return int(number) if self._first <= int(number) <= self.number else None

    def since(self, number: int | None) -> Event | None:
        """Return the event that leads from a version to the newest; None if it is the newest."""
        if number == self.number or not self.number:
            return None
        start = number if number is not None and number >= self._first else None
        if start not in self._messages:
            if len(self._messages) >= _MOST_MESSAGES:
                self._messages.clear()
            self._messages[start] = self._message(start)
        return self._messages[start]

    def _message(self, number: int | None) -> Event:
        kind, name = ("page", "data") if number is None else ("changes", "changes")
        parts = {
            key: text
            for key, text in self._texts.items()
            if number is None or self._changed[key] > number
        }
        data = f'{{"version":{self.number},"{name}":{_joined(parts)}}}'
        return Event(kind, data, self.id_of(self.number))

    @property
    def text(self) -> str:
        """All data as JSON."""
        return _joined(self._texts)


def json_text(value: Any) -> str:
    """Return JSON on one line that UTF-8 can encode."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")  # half a surrogate pair


def _joined(parts: Mapping[str, str]) -> str:
    return "{" + ",".join(f"{json_text(name)}:{text}" for name, text in parts.items()) + "}"
