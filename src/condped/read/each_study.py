"""Reading the studies of one source, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase

import numpy as np

from condped.errors import CondpedError, DataError, NoTrialsError, SettingsError, not_found
from condped.progress import report
from condped.safe_text import listed, shortened
from condped.trials.table import Objective, TrialTable, all_complete

_SHOWN = 5  # names in messages
# A study in which there is nothing: neither trials nor what they would be about.
NOTHING = TrialTable((), (Objective("", np.zeros(0)),), all_complete(0))


@contextmanager
def naming_study(study: str) -> Iterator[None]:
    """Say in errors which of several studies they are about."""
    try:
        yield
    except CondpedError as error:
        if repr(shortened(study)) in str(error):
            raise
        kind = next(
            (one for one in (SettingsError, NoTrialsError) if isinstance(error, one)), DataError
        )
        raise kind(f"In the study {shortened(study)!r}: {error}") from error


def matching(kind: str, names: Sequence[str], patterns: Sequence[str]) -> list[str]:
    """Return the names that match any of the patterns, all without one; each must match some."""
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise not_found(kind, pattern, names)
    return [
        name
        for name in names
        if not patterns or any(fnmatchcase(name, pattern) for pattern in patterns)
    ]


def unknown_study(kind: str, requested: str, names: Sequence[str]) -> CondpedError:
    """Return the error where one study is wanted and its name is not known."""
    found = [name for name in names if fnmatchcase(name, requested)]
    if not found:
        return not_found(kind, requested, names)
    return SettingsError(
        f"study takes one name here, not a pattern (got {requested!r}). Name one: "
        f"{listed([repr(name) for name in found], _SHOWN)}."
    )


def read_each(
    names: Sequence[str], read: Callable[[str], TrialTable]
) -> list[tuple[str, TrialTable]]:
    """Return the trials of each study by its name; errors say which study they are about.

    One without trials does not stand in the way of the others.
    """
    found = []
    for number, name in enumerate(names, start=1):
        with naming_study(name):
            try:
                table = read(name)
            except NoTrialsError:
                table = NOTHING
        found.append((name, table))
        report("Reading studies", number, len(names))
    return found
