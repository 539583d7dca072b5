"""The options that analyses share, where they are parsed, and the source opened by them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack, cast

from condped.analyse.importance.question import IntervalOptions, Question
from condped.count.trials import Trials
from condped.errors import SettingsError
from condped.estimate.settings import EstimatorOptions, Settings
from condped.options import check_options, declared
from condped.read.opening import open_source
from condped.read.options import Reading, ReadOptions
from condped.trials.outcome import Target
from condped.trials.table import TrialTable
from condped.trials.used_trials import Handling, HandlingOptions


class TrialOptions(Reading, HandlingOptions, total=False):
    """Which trials there are: how to read them, what to do with those that failed."""


class AnalysisOptions(TrialOptions, EstimatorOptions, IntervalOptions, total=False):
    """What :func:`condped.importance` and others take beside a source and a target quantile."""


TRIALS = (ReadOptions, Handling)  # the declarations of TrialOptions
ANALYSIS = (ReadOptions, Settings, Question, Handling)  # and of AnalysisOptions


@dataclass(frozen=True, slots=True)
class Options:
    """Options of an analysis by what they are about, checked; reading them checks the rest."""

    settings: Settings
    handling: Handling
    intervals: IntervalOptions
    reading: Reading

    @classmethod
    def of(cls, function: Callable[..., Any], given: Mapping[str, Any]) -> Options:
        """Parse what a function was given, or raise."""
        check_options(function, given)
        return cls(
            declared(Settings, given),
            declared(Handling, given),
            cast(IntervalOptions, _own(IntervalOptions, given)),
            cast(Reading, _own(Reading, given)),
        )

    def question(self, quantiles: Sequence[float], target: Target | None = None) -> Question:
        """Return the question about these target quantiles, or about an outcome."""
        return Question(tuple(quantiles), self.settings, self.handling, target, **self.intervals)


def _own(kind: type, given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name in kind.__annotations__}


def open_trials(source: Any, **reading: Unpack[Reading]) -> Trials:
    """Return a source's trials as something that can be counted.

    ``source`` is anything that :func:`condped.read.opening.open_source` takes, or trials that have
    been opened before.
    """
    if not isinstance(source, Trials):
        return Trials.of(open_source(source, **reading))
    given = [name for name, value in reading.items() if value is not None and value != "auto"]
    if given:
        raise SettingsError(
            f"The trials are opened already: {', '.join(given)} cannot be set any more. Set them "
            "when opening."
        )
    return source


def open_table(purpose: str, source: Any, **reading: Unpack[Reading]) -> TrialTable:
    """Return a source's trials in memory, for what cannot be done by counting them."""
    engine = reading.get("engine", "auto")
    if engine == "stream" or (engine == "auto" and reading.get("backend") is not None):
        raise SettingsError(
            f"{purpose} needs the trials themselves, in memory (got engine {engine!r}). Set engine "
            "to 'memory' if they fit, or read a part of them."
        )
    if engine == "auto" and not isinstance(source, Trials):
        reading["engine"] = "memory"
    return open_trials(source, **reading).table(purpose)
