"""What all views have in common."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Generic, TypeVar

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
