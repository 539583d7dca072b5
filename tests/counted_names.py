"""Names that count how often they are compared."""

from __future__ import annotations


class Counted(str):
    """A name that counts how often names are compared, which no profile of calls shows."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__
