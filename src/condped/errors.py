"""What can go wrong, as one tree.

::

    CondpedError
    ├── SpaceError (ValueError)        a search space that makes no sense
    │   └── ConditionError             a ``when`` condition that cannot be understood
    ├── DataError (ValueError)         trials that contradict the space or the settings
    ├── NameNotFoundError (KeyError)   a column, parameter, objective or problem that is not there
    ├── SettingsError (ValueError)     an option out of its range
    ├── SourceError (TypeError)        a source that no reader understands
    └── MissingLibraryError (ImportError)   an optional library that a feature needs

Every message says what is wrong, what was given, what is allowed and what to do next.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = [
    "ConditionError",
    "CondpedError",
    "DataError",
    "MissingLibraryError",
    "NameNotFoundError",
    "SettingsError",
    "SourceError",
    "SpaceError",
]


class CondpedError(Exception):
    """The root of every error that condped raises on purpose."""


class SpaceError(CondpedError, ValueError):
    """A search space that makes no sense."""


class ConditionError(SpaceError):
    """A ``when`` condition that cannot be read, or that names something unknown."""


class DataError(CondpedError, ValueError):
    """Trials that contradict the space.

    Attributes
    ----------
    column
        The parameter or column at fault, if there is one.
    first_row
        Position of the first offending row, counted from 0.
    count
        How many rows offend.
    """

    def __init__(
        self,
        message: str,
        *,
        column: str | None = None,
        first_row: int | None = None,
        count: int | None = None,
    ) -> None:
        super().__init__(message)
        self.column = column
        self.first_row = first_row
        self.count = count


class NameNotFoundError(CondpedError, KeyError):
    """A column, parameter, objective or problem that is not there."""

    def __str__(self) -> str:
        # KeyError would show the repr of its argument, quotes and escapes included.
        return str(self.args[0])


class SettingsError(CondpedError, ValueError):
    """An option out of its range."""


class SourceError(CondpedError, TypeError):
    """A source that no reader understands."""


class MissingLibraryError(CondpedError, ImportError):
    """A feature needs a library that is not installed."""

    def __init__(self, *, feature: str, library: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs {library}, which is not installed. "
            f"Install it with: pip install 'condped[{extra}]'."
        )


def not_found(kind: str, name: object, known: Iterable[object]) -> NameNotFoundError:
    """Build the error for an unknown name, with what there is and a near match."""
    names = [str(entry) for entry in known]
    shown = ", ".join(repr(entry) for entry in names[:12]) or "none"
    more = f" and {len(names) - 12} more" if len(names) > 12 else ""
    near = get_close_matches(str(name), names, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    there = "There are" if len(names) > 1 else "There is"
    return NameNotFoundError(f"There is no {kind} {name!r}. {there}: {shown}{more}.{hint}")
