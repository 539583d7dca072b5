"""Names that occur twice."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

Name = TypeVar("Name", bound=Hashable)


def first_duplicate(names: Iterable[Name]) -> Name | None:
    """Return the first name that occurs a second time; None if all differ.

    Examples
    --------
    >>> first_duplicate(["a", "b", "c", "b", "a"])
    'b'
    """
    seen: set[Name] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None
