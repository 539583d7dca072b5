"""Forecasts: the verdicts so far, and how many more trials would settle open ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from condped.analyse.by_name import ByName
from condped.analyse.evidence.evidence import Verdict
from condped.analyse.result import Result
from condped.estimate.looks import FIRST_LOOK, next_look
from condped.safe_text import shortened

Outlook = Literal["settled", "open", "unlikely", "not testable"]
LEVEL = 0.8  # of the intervals
TIMES = 10  # times as many trials, up to which the study is assumed to continue


@dataclass(frozen=True, slots=True)
class ParameterForecast:
    """What is known about one parameter, and when more will be.

    Attributes
    ----------
    verdict
        The verdict so far, with p-values that hold however often the study was looked at.
    p_value
        The p-value of that verdict; None if it is not testable.
    settled_at
        The number of finished trials since which its verdict has been ``matters``; None if it is
        not.
    outlook
        ``settled``: it matters. ``open``: more trials may show that it does. ``unlikely``: more
        trials of this kind are unlikely to show it. ``not testable``: see the reason.
    more_trials
        How many more trials would settle it in half of all simulated futures; None if more than ten
        times as many as there are.
    more_low, more_high
        An 80 % interval around it: 3 % of these futures settle it earlier, 17 % later or never.
    chance
        Probability that it is settled within ten times the trials; 1 if it already is.
    reason
        Why it is not testable; empty if it is.
    """

    name: str
    verdict: Verdict
    p_value: float | None
    settled_at: int | None
    outlook: Outlook
    more_trials: int | None
    more_low: int | None
    more_high: int | None
    chance: float | None
    reason: str = ""

    @property
    def more_text(self) -> str:
        """How many more trials would settle it, in a few words, for tables.

        Examples
        --------
        >>> import condped
        >>> found = condped.forecast(condped.problems.get("nested").sample(100, seed=0))
        >>> found["x"].more_text
        'settled at 40'
        """
        if self.outlook == "settled":
            return "settled" if self.settled_at is None else f"settled at {self.settled_at:,}"
        if self.outlook != "open":
            return self.outlook
        if self.more_low is None:
            return "too early to say"
        interval = self._interval
        return interval if self.more_trials is None else f"≈ {self.more_trials:,} ({interval})"

    @property
    def more_words(self) -> str:
        """The same as a clause."""
        if self.outlook == "settled":
            return "now" if self.settled_at is None else f"since trial {self.settled_at:,}"
        if self.outlook == "unlikely":
            return "no number of trials of this kind is likely to settle it"
        if self.outlook != "open" or self.more_low is None:
            return self.more_text
        if self.more_trials is None:
            return f"at least {self.more_low:,} more trials, if ever"
        return f"about {self.more_trials:,} more trials ({self._interval})"

    @property
    def _interval(self) -> str:
        end = "or more" if self.more_high is None else f"to {self.more_high:,}"
        return f"{self.more_low:,} {end}"


@dataclass(frozen=True)
class Forecast(ByName[ParameterForecast], Result):
    """Whether there are enough trials for verdicts, and how many more would be enough.

    Attributes
    ----------
    parameters
        In the order of the space.
    finished
        Trials that have finished.
    looks
        The numbers of finished trials at which the study was tested.
    next_look
        The number of finished trials at which it is tested next.
    level
        Confidence level of the intervals.

    Examples
    --------
    >>> import condped
    >>> found = condped.forecast(condped.problems.get("nested").sample(100, seed=0))
    >>> found["x"].outlook, found["x"].settled_at
    ('settled', 40)
    """

    schema: ClassVar[str] = "condped.forecast/1"
    _columns: ClassVar[tuple[str, ...]] = (
        "parameter",
        "verdict",
        "p_value",
        "settled_at",
        "outlook",
        "more_trials",
        "more_low",
        "more_high",
        "chance",
        "reason",
    )

    parameters: tuple[ParameterForecast, ...]
    finished: int
    looks: tuple[int, ...]
    next_look: int
    level: float = LEVEL
    sampling: str = ""

    @property
    def settled(self) -> bool:
        """Whether no testable parameter is open."""
        tested = any(one.outlook != "not testable" for one in self.parameters)
        return tested and not any(one.outlook == "open" for one in self.parameters)

    @property
    def message(self) -> str:
        """The answer in a sentence."""
        if not self.looks and self.finished < FIRST_LOOK:
            return f"Too early to say: the first look is at {self.next_look} finished trials."
        if not self.looks:
            return self.sampling
        open_ones = [one for one in self.parameters if one.outlook == "open"]
        if not self.settled and not open_ones:
            return "No parameter can be tested yet."
        found = sum(one.outlook == "settled" for one in self.parameters)
        verb = "is" if found == 1 else "are"
        known = f"{found} of {len(self.parameters)} parameters {verb} known to matter"
        known = known if found else "no parameter is known to matter"
        if not open_ones:
            return f"Enough trials: {known}, and more of this kind are unlikely to change that."
        nearest = min(
            open_ones,
            key=lambda one: (one.more_trials is None, one.more_trials or 0, -(one.chance or 0.0)),
        )
        known = f"{known[0].upper()}{known[1:]}{'' if found else ' yet'}"
        if nearest.more_low is None:
            return f"{known}; it is too early to say how many trials the others would take."
        several = f"{len(open_ones)} {'others ' if found else ''}may turn out to matter"
        name = shortened(nearest.name)
        when = nearest.more_words
        if nearest.more_trials is not None:
            when = f"about {nearest.more_trials:,} more trials (interval: {nearest._interval})"
        who = f"{several}, {name} first," if open_ones[1:] else f"{name} may turn out to matter"
        return f"{known}; {who} after {when}."

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record per parameter."""
        return [
            self._row(one, parameter=one.name, reason=one.reason or None) for one in self.parameters
        ]

    def _readable(self) -> dict[str, Any]:
        return {
            "finished": self.finished,
            "looks": self.looks,
            "next_look": self.next_look,
            "level": self.level,
            "settled": self.settled,
            "message": self.message,
            "sampling": self.sampling,
            "parameters": self.rows(),
        }

    def at(self, finished: int) -> Forecast:
        """Return the same forecast, counted from another number of finished trials.

        Examples
        --------
        >>> import condped
        >>> found = condped.forecast(condped.problems.get("nested").sample(100, seed=0))
        >>> found.at(120).finished, found.at(140).next_look
        (120, 160)
        """
        passed, following = finished - self.finished, next_look(finished)

        def left(more: int | None) -> int | None:
            # Nothing is settled before the next look.
            return None if more is None else max(more - passed, following - finished)

        parameters = tuple(
            replace(
                one,
                more_trials=left(one.more_trials),
                more_low=left(one.more_low),
                more_high=left(one.more_high),
            )
            for one in self.parameters
        )
        return replace(self, parameters=parameters, finished=finished, next_look=following)
