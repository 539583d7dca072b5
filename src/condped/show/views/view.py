"""What all views have in common."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from condped.errors import SettingsError, not_found
from condped.safe_text import brief

SIDE_BY_SIDE = 3
Panel = TypeVar("Panel")


# Without equality: many views hold arrays; those that do not have their own.
@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class View:
    """What a picture shows.

    Attributes
    ----------
    note
        What the picture leaves out, or why it shows nothing.
    first
        What has to be read before any number.
    """

    title: str
    note: str | None
    first: str | None = None

    @property
    def empty(self) -> bool:
        """Whether there is nothing to see."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Grid(View, Generic[Panel]):
    """Panels in rows and columns.

    Attributes
    ----------
    side_by_side
        How many panels a row has at most.
    """

    panels: tuple[Panel, ...]
    side_by_side: int = SIDE_BY_SIDE

    @property
    def columns(self) -> int:
        """The number of panels in a row."""
        return min(self.side_by_side, max(len(self.panels), 1))

    @property
    def rows(self) -> int:
        """The number of rows of panels."""
        return math.ceil(len(self.panels) / self.columns)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to see."""
        return not self.panels


def checked_names(parameters: Iterable[str] | None, known: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the given parameters without repeats; all if none are given."""
    if parameters is None:
        return tuple(known)
    if isinstance(parameters, str) or not isinstance(parameters, Iterable):
        raise SettingsError(f"parameters must be a list of names (got {brief(parameters)}).")
    names = list(parameters)
    for name in names:
        if not isinstance(name, str) or name not in known:
            raise not_found("parameter", name, known)
    return tuple(dict.fromkeys(names))
