"""A study in a database that is followed: only new and unfinished trials are read.

Optuna never changes a trial that has ended, and numbers trials in the order of their creation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from condped.errors import CondpedError
from condped.read.follow.grown_study import GrownStudy
from condped.read.options import ReadOptions
from condped.read.optuna.drawing import DrawingLog
from condped.read.optuna.objective import Attribute, attribute_of, explained_table
from condped.read.optuna.records import select_study
from condped.read.optuna.sql.attributes import known_keys, recorded_values
from condped.read.optuna.sql.database import Database, Trials
from condped.read.optuna.sql.kinds import WHOLE
from condped.read.optuna.sql.study import (
    FetchedTrials,
    StudyHeader,
    fetch,
    header_of,
    trial_rows,
)
from condped.trials.course.drawing import MOST_RECORDED
from condped.trials.table import TrialTable

_OPEN = ("RUNNING", "WAITING")
# New trials that are read in one transaction: writers of an SQLite file wait for its end.
_AT_ONCE = 10_000


@dataclass(slots=True)
class _ReadSoFar:
    """What was read so far.

    Attributes
    ----------
    number
        The id of the study.
    unfinished
        The rows of trials that had not ended, by their ids.
    guards
        The rows of the first and of the last trial that had ended: another study with the same
        ids has different ones.
    running
        What is recorded about running trials, to detect when there is more.
    """

    number: int
    header: StudyHeader
    study: GrownStudy
    unfinished: dict[int, Any]
    guards: dict[int, Any]
    running: object = None
    log: DrawingLog = field(default_factory=DrawingLog)
    recorded: dict[int, Any] = field(default_factory=dict)  # the requested attribute, by trial


class FollowedDatabase:
    """A study in a database; each update is one short transaction of its own.

    A large study is read in several: trials that have ended do not change, and the last transaction
    rereads the others.
    """

    def __init__(
        self, opened: Callable[[], AbstractContextManager[Database]], options: ReadOptions
    ) -> None:
        self._opened = opened
        self._options = options
        self._known: _ReadSoFar | None = None
        self._pending = False  # whether something was read that no table contains yet
        self.fetched = 0

    def update(self) -> TrialTable | None:
        """Return all trials; None if nothing has changed."""
        self.fetched = 0
        while True:
            with self._opened() as database:
                update = _Update(database, self._number(database), self._options)
                later = update.after(self._known)
                known = self._known if later is None else later
                assert known is not None  # the first update always finds something
                changed = self._pending or later is not None
                table = update.table(known) if changed and not update.more else None
                self._known, self._pending = known, update.more
                self.fetched += database.fetched
            if not update.more:
                return table

    def _number(self, database: Database) -> int:
        """Return the number of the study."""
        if self._known is None:
            database.check_schema()
        try:
            studies = database.studies()
            return studies[select_study(list(studies), self._options.study, database.place)]
        except CondpedError:
            self._known = None  # if it comes back, it is another one
            raise


class _Update:
    """One update of a study, inside a transaction."""

    def __init__(self, database: Database, number: int, options: ReadOptions) -> None:
        self.database = database
        self.number = number
        self.options = options
        self.trials = database.trials_of(number)
        self.header = header_of(database, number)
        self.more = False  # whether there are more new trials than are read at once

    def after(self, known: _ReadSoFar | None) -> _ReadSoFar | None:
        """Return ``known`` with what is new, without it everything; None if nothing is new."""
        if known is None:
            nothing = fetch(self.database, self.header, [], [], all_keys=False)
            known = _ReadSoFar(self.number, self.header, GrownStudy(nothing.records(), ()), {}, {})
            return self.after(known) or known
        new, seen = self._fetch_rows(known)
        if self._is_another(known, new, seen):
            return self.after(None)
        self.more = len(new) == _AT_ONCE
        states = {trial: row for trial, row in seen.items() if trial in known.unfinished}
        changed = [trial for trial, row in states.items() if row != known.unfinished[trial]]
        # Only these may have more parameters or attributes than before.
        active = [trial for trial, row in states.items() if row[1] == "RUNNING"]
        again = sorted({*changed, *active})
        rows = [states[trial] for trial in again] + new
        last = known.study.records.trial_ids[-1:].tolist()
        parts = list(self.trials.among(again))
        if new:
            part = self.trials.after(last[0]) if last else self.trials
            parts.append(part.up_to(new[-1][0]) if self.more else part)
        logged = len(known.study.records.trial_ids) + len(new) <= MOST_RECORDED
        found = fetch(self.database, self.header, parts, rows, all_keys=logged)
        requested = self._requested_values(parts)
        running = _marks_of_running(found, requested)
        if not new and not changed and running == known.running and self.header == known.header:
            return None
        study = known.study.with_trials(
            found.records(), found.parameters.parameters(found.trial_ids)
        )
        later = _ReadSoFar(
            self.number, self.header, study, dict(known.unfinished), dict(known.guards), None,
            known.log.without(again) if logged else DrawingLog(), dict(known.recorded),
        )  # fmt: skip
        self._remember(later, found, requested)
        return later

    def _fetch_rows(self, known: _ReadSoFar) -> tuple[list[Any], dict[int, Any]]:
        """Return the rows of new trials, and of those that had not ended or serve as guards."""
        last = known.study.records.trial_ids[-1:].tolist()
        part = self.trials.after(last[0]) if last else self.trials
        new = trial_rows(self.database, part, _AT_ONCE)
        watched = sorted({*known.unfinished, *known.guards})
        parts = self.trials.among(watched)
        return new, {row[0]: row for part in parts for row in trial_rows(self.database, part)}

    def _is_another(self, known: _ReadSoFar, new: list[Any], seen: Mapping[int, Any]) -> bool:
        """Return whether the study was recreated, or trials appeared or vanished before the last.

        SQLite reuses the numbers of deleted studies and trials.
        """
        if self.number != known.number or len(seen) < len({*known.unfinished, *known.guards}):
            return True
        if self.header.directions != known.header.directions or any(
            seen[trial] != row for trial, row in known.guards.items()
        ):
            return True
        count = len(known.study.records.trial_ids)
        numbered = [row[4] for row in new] == list(range(count, count + len(new)))
        if not count or (numbered and not self.database.visible):
            return False
        last = int(known.study.records.trial_ids[-1])
        ((before,),) = self.database.rows(
            "trials",
            {"trial_id": WHOLE},
            f"SELECT COUNT(*) FROM trials t WHERE {self.trials.condition} AND t.trial_id <= ?",
            *self.trials.values,
            last,
        )
        return bool(before != count)

    def _remember(
        self,
        known: _ReadSoFar,
        found: FetchedTrials,
        requested: Mapping[int, Any],
    ) -> None:
        """Keep what the next update needs."""
        known.recorded |= requested
        known.running = _marks_of_running(found, requested)
        for row in found.rows:
            if row[1] in _OPEN:
                known.unfinished[row[0]] = row
            else:
                known.unfinished.pop(row[0], None)
        ended = [row for row in found.rows if row[1] not in _OPEN]
        if ended:
            rows = sorted([*known.guards.values(), ended[0], ended[-1]], key=lambda row: row[0])
            known.guards = {row[0]: row for row in (rows[0], rows[-1])}
        if len(known.study.records.trial_ids) <= MOST_RECORDED:
            found.fill(known.log)

    def _requested_values(self, parts: list[Trials]) -> dict[int, Any]:
        """Return the requested attribute of some trials."""
        attribute = attribute_of(self.options)
        if attribute is None:
            return {}
        found: dict[int, Any] = {}
        for part in parts:
            found |= recorded_values(self.database, part, attribute)
        return found

    def table(self, known: _ReadSoFar) -> TrialTable:
        """Return all trials with the requested objective."""
        trial_ids = known.study.records.trial_ids
        drawing = partial(known.log.records, trial_ids.tolist(), known.header.keys)
        table = known.study.table(drawing if len(trial_ids) <= MOST_RECORDED else None)
        rows = np.searchsorted(trial_ids, np.array([*known.recorded], dtype=np.int64)).tolist()
        recorded = dict(zip(rows, known.recorded.values(), strict=True))
        attributes = _ReadAttribute(self.database, self.trials, recorded)
        return explained_table(table, self.options, attributes)


def _marks_of_running(found: FetchedTrials, requested: Mapping[int, Any]) -> object:
    """Return a value that differs once running trials have recorded more."""
    running = [row[0] for row in found.rows if row[1] == "RUNNING"]
    own = set(running)
    return (
        found.parameters.count(np.array(running, dtype=np.int64)),
        [entry for entry in found.constraints() if entry[0] in own],
        {trial: value for trial, value in requested.items() if trial in own},
    )


@dataclass(frozen=True, slots=True)
class _ReadAttribute:
    """The requested attribute, already read; the names of others are queried for messages."""

    database: Database
    trials: Trials
    values: dict[int, Any]

    def recorded(self, attribute: Attribute) -> dict[int, Any]:
        return self.values

    def known(self, attribute: Attribute) -> list[Any]:
        return known_keys(self.database, self.trials, attribute)

    def reported(self) -> Iterator[tuple[int, float, float]]:
        return iter(())  # not requested
