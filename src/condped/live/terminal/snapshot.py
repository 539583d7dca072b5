"""What is known about a running study at one moment, and when watching ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import condped
from condped.errors import SettingsError
from condped.live.looks import Verdicts
from condped.live.sources import without_passwords
from condped.live.viewers import Activity, activity_of
from condped.safe_text import printable


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A study at one moment; replaced rather than changed.

    Attributes
    ----------
    name
        The name that is displayed.
    result, summary
        Of all trials so far; None if there are none, and ``reason`` says why.
    testing
        Finished trials for which verdicts are being computed; None if they are not.
    last_finished
        When a trial was last seen to finish, in seconds of the clock; None if not while watching.
    unreachable, since
        Why the source cannot be read, None if it can; and since when, in seconds of the clock.
    """

    name: str
    finished: int = 0
    running: int = 0
    result: condped.ImportanceResult | None = None
    summary: condped.Summary | None = None
    reason: str | None = None
    verdicts: Verdicts | None = None
    testing: int | None = None
    last_finished: float | None = None
    unreachable: str | None = None
    since: float = 0.0

    def state(self, now: float) -> Activity | Literal["unreachable"]:
        """Return how the study is doing: idle if no trial is running or has finished recently."""
        if self.unreachable is not None:
            return "unreachable"
        quiet = None if self.last_finished is None else now - self.last_finished
        return activity_of(self.finished, self.running, quiet)

    @property
    def forecast(self) -> condped.Forecast | None:
        """The forecast as of these trials, if there is one."""
        return None if self.verdicts is None else self.verdicts.forecast_at(self.finished)


@dataclass(frozen=True, slots=True)
class Until:
    """When watching ends: at this many finished trials, or, without a number, once settled."""

    trials: int | None

    @classmethod
    def parse(cls, text: str) -> Until:
        """Return the condition in a text, or raise.

        Examples
        --------
        >>> Until.parse("500"), Until.parse("settled")
        (Until(trials=500), Until(trials=None))
        """
        plain = text.strip().lower().replace(",", "").replace("_", "")
        if plain == "settled":
            return cls(None)
        if not plain.isdecimal() or not int(plain):
            raise SettingsError(
                "--until takes 'settled' or a number of finished trials, such as 500 (got "
                f"{text!r})."
            )
        return cls(int(plain))

    def reached(self, snapshot: Snapshot) -> bool:
        """Return whether it holds."""
        if self.trials is not None:
            return snapshot.finished >= self.trials
        return snapshot.verdicts is not None and snapshot.verdicts.settled

    def missing(self, snapshot: Snapshot) -> str:
        """Return why it does not hold, as a clause."""
        if self.trials is None:
            return "the verdicts are not settled yet"
        have = "has" if snapshot.finished == 1 else "have"
        return f"only {snapshot.finished:,} of {self.trials:,} trials {have} finished"


def name_of(source: str, study: str | None) -> str:
    """Return the displayed name of a source: with the study's name and without a password.

    Examples
    --------
    >>> name_of("postgresql://me:secret@host/studies", "tuning")
    'tuning · postgresql://me@host/studies'
    >>> name_of("sqlite:////data/study.db", None)
    'sqlite:////data/study.db'
    """
    shown = without_passwords(source)
    return printable(shown if study is None else f"{study} · {shown}")
