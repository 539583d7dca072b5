"""The studies of one source: read one after the other, or only listed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from fnmatch import fnmatchcase

import numpy as np

from condped.errors import CondpedError, DataError, NoTrialsError, SettingsError, not_found
from condped.progress import report
from condped.safe_text import brief, listed, shortened
from condped.trials.table import Direction, Objective, State, TrialTable, all_complete

_SHOWN = 5  # names in messages
_YEAR = 365 * 86_400.0
# A study without trials, whose parameters and objectives are unknown.
NOTHING = TrialTable((), (Objective("", np.zeros(0)),), all_complete(0))


@contextmanager
def naming_study(study: str) -> Iterator[None]:
    """Name the study in errors, unless they name it already."""
    try:
        yield
    except CondpedError as error:
        if repr(shortened(study)) in str(error):
            raise
        kind = next(
            (one for one in (SettingsError, NoTrialsError) if isinstance(error, one)), DataError
        )
        raise kind(f"In the study {shortened(study)!r}: {error}") from error


def matching(names: Sequence[str], patterns: Sequence[str]) -> list[str]:
    """Return the names that match any pattern, or all without one; raise if a pattern fits none."""
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise not_found("study", pattern, names)
    return [
        name
        for name in names
        if not patterns or any(fnmatchcase(name, pattern) for pattern in patterns)
    ]


def unknown_study(kind: str, requested: str, names: Sequence[str]) -> CondpedError:
    """Return the error for one requested study whose name is unknown, or a pattern."""
    found = [name for name in names if fnmatchcase(name, requested)]
    if not found:
        return not_found(kind, requested, names)
    return SettingsError(
        f"study takes one name here, not a pattern (got {brief(requested)}). Name one: "
        f"{listed([repr(name) for name in found], _SHOWN)}."
    )


def read_each(
    names: Sequence[str], read: Callable[[str], TrialTable]
) -> list[tuple[str, TrialTable]]:
    """Return the trials of each study by its name; errors say which study they are about.

    A study without trials is no error: its table is ``NOTHING``.
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


@dataclass(frozen=True, slots=True)
class StudyState:
    """The progress of a study.

    Attributes
    ----------
    study
        Its name.
    trials
        How many there are, in any state.
    complete, pruned, failed, running
        How many of them are in each state; ``running`` includes those that wait.
    objectives, directions
        The names of the objectives, and which way is better.
    best
        The best finite value of a complete and feasible trial; None without one, and for several
        objectives.
    last_finished
        When the last trial ended, as ISO 8601 without a zone; None if no time is recorded.
    """

    study: str
    trials: int
    complete: int
    pruned: int
    failed: int
    running: int
    objectives: tuple[str, ...]
    directions: tuple[Direction, ...]
    best: float | None
    last_finished: str | None

    @classmethod
    def of(cls, study: str, table: TrialTable) -> StudyState:
        """Return the state of a study whose trials have been read."""
        complete, pruned, failed, running = np.bincount(table.states, minlength=len(State)).tolist()
        nothing = table is NOTHING
        return cls(
            study=study,
            trials=len(table),
            complete=complete,
            pruned=pruned,
            failed=failed,
            running=running,
            objectives=() if nothing else tuple(entry.name for entry in table.objectives),
            directions=() if nothing else tuple(entry.direction for entry in table.objectives),
            best=best_value(table),
            last_finished=_last_finished(table),
        )


def best_value(table: TrialTable) -> float | None:
    """Return the best value of a complete and feasible trial; None if there is none.

    Also None for several objectives.
    """
    if len(table.objectives) > 1:
        return None
    usable = (table.states == State.COMPLETE) & table.finite
    if table.infeasible is not None:
        usable &= ~table.infeasible
    values = table.objectives[0].values[usable]
    if not len(values):
        return None
    return float(values.max() if table.objectives[0].direction == "maximize" else values.min())


def _last_finished(table: TrialTable) -> str | None:
    ended = np.array([np.nan]) if table.times is None else table.times.ended
    ended = ended[np.isfinite(ended)]
    if not len(ended) or ended.max() < _YEAR:  # relative to the start of the run, not dates
        return None
    try:
        return time_text(datetime(1970, 1, 1) + timedelta(seconds=float(ended.max())))
    except OverflowError:  # beyond the last year of datetime
        return None


def time_text(moment: datetime) -> str:
    """Return a moment as text, without fractions of a second."""
    return moment.replace(tzinfo=None).isoformat(timespec="seconds")
