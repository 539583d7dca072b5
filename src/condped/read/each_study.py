"""Reading the studies of one source, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from condped.errors import CondpedError, DataError, NoTrialsError, SettingsError
from condped.progress import report
from condped.safe_text import shortened
from condped.trials.table import Objective, TrialTable, all_complete

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
