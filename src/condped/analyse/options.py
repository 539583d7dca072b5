"""The options that analyses share, and where they are parsed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from condped.analyse.importance.question import IntervalOptions, Question
from condped.estimate.settings import EstimatorOptions, Settings
from condped.options import check_options, declared
from condped.read.options import Reading, ReadOptions
from condped.trials.outcome import Target
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
