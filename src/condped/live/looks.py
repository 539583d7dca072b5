"""Verdicts of a running study: when they are due, and whether they still apply to its trials."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import condped
from condped.errors import CondpedError
from condped.live.background import Outcome

_MOST_TRIES = 3  # of a look whose process was ended


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The outcome of a scheduled look, which takes longer than the numbers.

    Attributes
    ----------
    trials
        Number of finished trials that were tested: those that finished first.
    result
        With its evidence computed.
    forecast
        None if there is none; ``problem`` says why.
    report
        The whole page, if there is one.
    """

    trials: int
    result: condped.ImportanceResult
    forecast: condped.Forecast | None
    problem: str | None = None
    report: condped.Report | None = None

    @classmethod
    def of(
        cls, trials: int, result: condped.ImportanceResult, report: condped.Report | None = None
    ) -> Verdicts:
        """Return the verdicts with their forecast."""
        if result.has_evidence:
            _ = result.evidence  # computed here, so that displaying it takes no time
        try:
            return cls(trials, result, result.forecast(), None, report)
        except CondpedError as error:  # an outcome is explained, or there is nothing to learn from
            return cls(trials, result, None, str(error), report)

    @property
    def settled(self) -> bool:
        """Whether more trials are not expected to change a verdict."""
        return self.forecast is not None and self.forecast.settled

    @property
    def by_name(self) -> dict[str, str]:
        """The verdicts, by parameter; new parameters have none."""
        if not self.result.has_evidence:
            return {}
        return {one.name: one.verdict for one in self.result.evidence}

    def forecast_at(self, finished: int) -> condped.Forecast | None:
        """Return the forecast as of this many finished trials."""
        return None if self.forecast is None else self.forecast.at(finished)


class Look(NamedTuple):
    """A look that is due: the study as it was when that many trials had finished."""

    trials: int
    table: condped.TrialTable
    study: int  # other trials under the same name count as another study


class _Trials(NamedTuple):
    """The trials that a look is based on."""

    look: int
    names: tuple[str, ...]
    hashes: frozenset[int]


class Looks:
    """The scheduled looks at one source; used by one thread at a time.

    Attributes
    ----------
    verdicts
        The newest ones that are based on trials that the study still has.
    problem
        Why there are no newer ones.
    pending
        The look that is being computed.
    """

    def __init__(self) -> None:
        self.verdicts: Verdicts | None = None
        self.problem: str | None = None
        self.pending: Look | None = None
        self._study = 0
        self._last: _Trials | None = None  # of the last look that was due
        self._tries = 0
        self._retry = False

    def due(self, table: condped.TrialTable) -> Look | None:
        """Return the look to compute now; forget looks at trials that are gone."""
        if self._last is not None and not self._last.hashes <= _hashes(table, self._last.names):
            self.forget()
        trials = condped.last_look(table.finished)
        if trials > (0 if self._last is None else self._last.look):
            self._tries = 0
        elif not self._retry:
            return None
        self._retry, self.problem = False, None
        first, names = table.first(trials), tuple(_entries(table))
        self._last = _Trials(trials, names, _hashes(first, names))
        self.pending = Look(trials, first, self._study)
        return self.pending

    def forget(self) -> None:
        """Forget everything, including what is being computed: its trials are gone."""
        self.verdicts = self.problem = self.pending = self._last = None
        self._study += 1

    def take(self, look: Look, outcome: Outcome) -> bool:
        """Take the outcome of a look, and return whether it is still useful."""
        if look.study != self._study:
            return False
        if look is self.pending:
            self.pending = None
            self.problem = outcome.problem
            self._tries += 1
            self._retry = outcome.again and self._tries < _MOST_TRIES
        if outcome.value is not None:
            self.verdicts = outcome.value
        return True


def numbers(
    table: condped.TrialTable, verdicts: Verdicts | None, options: Mapping[str, Any]
) -> condped.Report:
    """Return what is quick to compute, with the verdicts of an earlier look."""
    report = condped.report(table, verdicts=False, **options)
    if verdicts is None or verdicts.report is None:
        return report
    report = report.with_verdicts_of(verdicts.report)
    forecast = verdicts.forecast_at(table.finished)
    return report if forecast is None else report.with_forecast(forecast)


def verdicts(table: condped.TrialTable, trials: int, options: Mapping[str, Any]) -> Verdicts:
    """Return what is slow to compute, for the table as of a scheduled look."""
    report = condped.report(table, **{**options, "looks": "repeated"})
    return Verdicts.of(trials, report.importance, report)


def _whole(table: condped.TrialTable) -> condped.TrialTable:
    return table if table.whole is None else table.whole


def _hashes(table: condped.TrialTable, names: tuple[str, ...]) -> frozenset[int]:
    """Return a hash of each trial of a study, from everything that is recorded of it.

    The order of trials does not matter, and neither do domains, which may be inferred from values.
    """
    whole, known = _whole(table), _entries(table)
    columns: list[npt.NDArray[Any]] = [whole.states]
    columns += [objective.values for objective in whole.objectives]
    columns += [] if whole.times is None else [whole.times.ended]
    absent = np.full(len(whole), np.nan)
    columns += [_values(known[name]) if name in known else absent for name in names]
    return frozenset(hash(row.tobytes()) for row in np.column_stack(columns))


def _entries(table: condped.TrialTable) -> dict[str, Any]:
    """Return the parameters of a study by name; groups, which have no values, by their members."""
    whole = _whole(table)
    own = [entry for entry in whole.parameters if entry.name not in whole.groups]
    members = [member for group in whole.groups.values() for member in group]
    return {entry.name: entry for entry in (*own, *members)}


def _values(entry: Any) -> npt.NDArray[np.float64]:
    """Return the value in each trial; a choice as a number that does not depend on the others."""
    values = np.where(entry.domain_ids < 0, np.nan, entry.values)
    for place, domain in enumerate(entry.domains):
        if isinstance(domain, condped.Categorical):
            own = entry.domain_ids == place
            numbers = np.array([float(hash(repr(choice))) for choice in domain.choices])
            values[own] = numbers[entry.values[own].astype(np.int64)]
    return values
