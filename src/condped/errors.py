"""The errors that condped raises, as one tree.

::

    CondpedError
    ├── SpaceError (ValueError)        an invalid search space
    │   └── ConditionError             a ``when`` condition that cannot be parsed
    ├── DataError (ValueError)         trials that contradict the space or the settings
    │   └── NoTrialsError              a source without any trial, or none that is wanted
    ├── NameNotFoundError (KeyError)   an unknown column, parameter, objective or problem
    ├── SettingsError (ValueError)     an option with an invalid value
    ├── SourceError (TypeError)        a source that no reader recognises
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
    "NoTrialsError",
    "SettingsError",
    "SourceError",
    "SpaceError",
]


class CondpedError(Exception):
    """Base class of all errors that condped raises on purpose."""


class SpaceError(CondpedError, ValueError):
    """An invalid search space."""


class ConditionError(SpaceError):
    """A ``when`` condition that cannot be parsed, or that names something unknown."""


class DataError(CondpedError, ValueError):
    """Trials that contradict the space.

    Attributes
    ----------
    column
        The invalid parameter or column, if there is one.
    first_row
        Position of the first invalid row, counted from 0.
    count
        How many rows are invalid.
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


class NoTrialsError(DataError):
    """A source without any trial, or without one that is wanted."""


class NameNotFoundError(CondpedError, KeyError):
    """An unknown column, parameter, objective or problem."""

    def __str__(self) -> str:
        # KeyError shows the repr of its argument, quotes and escapes included.
        return str(self.args[0])


class SettingsError(CondpedError, ValueError):
    """An option with an invalid value."""


class SourceError(CondpedError, TypeError):
    """A source that no reader recognises."""


class MissingLibraryError(CondpedError, ImportError):
    """A feature needs a library that is not installed."""

    def __init__(self, *, feature: str, library: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs {library}, which is not installed. "
            f"Install it with: pip install 'condped[{extra}]'."
        )


def not_found(kind: str, name: object, known: Iterable[object]) -> NameNotFoundError:
    """Build the error for an unknown name, with the known names and a close match."""
    names = [str(entry) for entry in known]
    listed = ", ".join(repr(entry) for entry in names[:12]) or "none"
    more = f" and {len(names) - 12} more" if len(names) > 12 else ""
    matches = get_close_matches(str(name), names, n=1)
    hint = f" Did you mean {matches[0]!r}?" if matches else ""
    verb = "There are" if len(names) > 1 else "There is"
    return NameNotFoundError(f"There is no {kind} {name!r}. {verb}: {listed}{more}.{hint}")
