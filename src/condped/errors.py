"""The errors that condped raises, as one tree.

::

    CondpedError
    ├── SpaceError (ValueError)        an invalid search space
    │   └── ConditionError             a ``when`` condition that cannot be parsed
    ├── DataError (ValueError)         trials that contradict the space or the settings
    │   └── NoTrialsError              a source without trials, or without selected ones
    ├── NameNotFoundError (KeyError)   an unknown column, parameter, objective or problem
    ├── SettingsError (ValueError)     an option with an invalid value
    ├── SourceError (TypeError)        a source that no reader recognises
    └── MissingLibraryError (ImportError)   an optional library that a feature needs

Every message says what is wrong, what was given, what is allowed and what to do next.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from heapq import nlargest

from condped.installing import command_for
from condped.safe_text import bounded, brief

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

_LONGEST_COMPARED = 200  # characters; longer names get no suggestion
_MOST_COMPARED = 200  # names


class CondpedError(Exception):
    """Base class of all errors that condped raises on purpose."""

    def __str__(self) -> str:
        # Names in a source may have any length; messages stay readable.
        return bounded(super().__str__())


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
    """A source without any trials, or without any that were selected."""


class NameNotFoundError(CondpedError, KeyError):
    """An unknown column, parameter, objective or problem.

    Attributes
    ----------
    kind
        What was looked up, such as a parameter; None if unknown.
    name
        The unknown name.
    """

    def __init__(self, message: str, *, kind: str | None = None, name: object = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.name = name

    def __str__(self) -> str:
        # KeyError shows the repr of its argument, quotes and escapes included.
        return bounded(str(self.args[0]))


class SettingsError(CondpedError, ValueError):
    """An option with an invalid value."""


class SourceError(CondpedError, TypeError):
    """A source that no reader recognises."""


class MissingLibraryError(CondpedError, ImportError):
    """A feature needs a library that is not installed."""

    def __init__(self, *, feature: str, library: str, extra: str) -> None:
        are, them = ("are", "them") if " and " in library else ("is", "it")
        super().__init__(
            f"{feature} needs {library}, which {are} not installed. "
            f"Install {them} with: {command_for(extra)}"
        )


def not_found(kind: str, name: object, known: Iterable[object]) -> NameNotFoundError:
    """Build the error for an unknown name, with the known names and a close match."""
    names = [entry if isinstance(entry, str) else brief(entry) for entry in known]
    if not names:
        message = f"There is no {kind} {brief(name)}, nor any other."
        return NameNotFoundError(message, kind=kind, name=name)
    listed = ", ".join(map(brief, names[:12]))
    more = f" and {len(names) - 12} more" if len(names) > 12 else ""
    match = _close_match(name if isinstance(name, str) else brief(name), names)
    hint = "" if match is None else f" Did you mean {brief(match)}?"
    message = f"There is no {kind} {brief(name)}. Available: {listed}{more}.{hint}"
    return NameNotFoundError(message, kind=kind, name=name)


def _close_match(name: str, names: Iterable[str]) -> str | None:
    """Return the most similar name; None if none is similar.

    Comparing names is slow, so only those with the longest common ends are compared.
    """
    if len(name) > _LONGEST_COMPARED:
        return None
    short = (entry for entry in names if len(entry) <= _LONGEST_COMPARED)
    alike = nlargest(_MOST_COMPARED, short, key=lambda entry: _common_ends(name, entry))
    return next(iter(get_close_matches(name, alike, n=1)), None)


def _common_ends(one: str, other: str) -> int:
    return sum(_common_start(*pair) for pair in ((one, other), (one[::-1], other[::-1])))


def _common_start(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))
