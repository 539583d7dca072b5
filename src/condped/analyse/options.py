"""From the arguments of an analysis to its trials and its question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict, Unpack, cast

from condped.count.resampling import Intervals
from condped.count.trials import Trials
from condped.errors import SettingsError
from condped.estimate.settings import EstimatorOptions, Method, Settings, check_level, check_target
from condped.options import (
    check_choices,
    check_options,
    declared,
    is_whole_number,
    option,
    options_of,
)
from condped.read.opening import open_source
from condped.read.options import Reading, ReadOptions
from condped.safe_text import brief
from condped.trials.outcome import Target
from condped.trials.table import TrialTable
from condped.trials.used_trials import ENDINGS, Handling, HandlingOptions


class IntervalOptions(TypedDict, total=False):
    """The options that :class:`Question` declares, for functions that take them."""

    intervals: Intervals | None
    level: float
    seed: int


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """The target sets to explain, and the settings of the estimator, the test and the intervals.

    Attributes
    ----------
    target_quantiles
        γ', ascending; one is a sweep of one. Ignored if there is a ``target``.
    target
        An outcome to explain instead of good objectives, or None.
    intervals, level, seed
        How to compute intervals; ``intervals`` is None for none.
    """

    target_quantiles: tuple[float, ...]
    settings: Settings = field(default_factory=Settings)
    handling: Handling = field(default_factory=Handling)
    target: Target | None = None
    intervals: Intervals | None = option(
        None, "Intervals around the numbers, by 200 halves of the trials or by 20 groups (faster)."
    )
    level: float = option(0.9, "Confidence level of the intervals.")
    seed: int = option(0, "Fixes the random subsets that intervals are computed from.")

    def __post_init__(self) -> None:
        for quantile in self.target_quantiles:
            check_target(quantile, self.settings.region_quantile)
        check_choices(self)
        check_level(self.level)
        if not is_whole_number(self.seed, 0):
            raise SettingsError(
                f"seed must be a whole number, 0 or above (got {brief(self.seed)})."
            )
        plain = self.settings.region_quantile == 1.0 and self.handling == Handling()
        if self.target is not None and not plain:
            raise SettingsError(
                "An outcome as target is compared with all trials that could have had it: it takes "
                f"no region_quantile, {', '.join(ENDINGS)}. Leave them out."
            )

    @property
    def quantiles(self) -> tuple[float, ...] | None:
        """The target quantiles; None for an outcome, which has one target set."""
        return None if self.target is not None else self.target_quantiles

    @property
    def methods(self) -> tuple[Method, ...]:
        """The methods that can answer the question."""
        try:
            replace(self.settings, method="calibrated")
        except SettingsError:  # only the paper's method has its measure or reference
            return ("paper",)
        return ("paper", "calibrated")

    def by(self, method: Method) -> Question:
        """Return the same question for another method."""
        return replace(self, settings=replace(self.settings, method=method))


class TrialOptions(Reading, HandlingOptions, total=False):
    """Which trials to use: how to read them, and what to do with those that failed."""


class AnalysisOptions(TrialOptions, EstimatorOptions, IntervalOptions, total=False):
    """What :func:`condped.importance` and others take beside a source and a target quantile."""


TRIALS = (ReadOptions, Handling)  # the declarations of TrialOptions
ANALYSIS = (ReadOptions, Settings, Question, Handling)  # and of AnalysisOptions


@dataclass(frozen=True, slots=True)
class Options:
    """An analysis's options by topic, checked, except those that are checked on reading."""

    settings: Settings
    handling: Handling
    intervals: IntervalOptions
    reading: Reading

    @classmethod
    def of(cls, function: Callable[..., Any], given: Mapping[str, Any]) -> Options:
        """Parse the options that a function was given, or raise."""
        check_options(function, given)
        settings = declared(Settings, given)
        takes_method = any(option.name == "method" for option in options_of(function))
        if given.get("groups") and takes_method and settings.method == "paper":
            raise SettingsError(
                "groups need method='calibrated' (--method calibrated): the paper's estimator "
                "shrinks choices, and joint cells are choices, so a group would count for less "
                "than its members."
            )
        return cls(
            settings,
            declared(Handling, given),
            cast(IntervalOptions, _options_of(IntervalOptions, given)),
            cast(Reading, _options_of(Reading, given)),
        )

    def question(self, quantiles: Sequence[float], target: Target | None = None) -> Question:
        """Return the question about these target quantiles, or about an outcome."""
        return Question(tuple(quantiles), self.settings, self.handling, target, **self.intervals)


def _options_of(kind: type, given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name in kind.__annotations__}


def open_trials(source: Any, **reading: Unpack[Reading]) -> Trials:
    """Return a source's trials as something that can be counted.

    ``source`` is anything that :func:`condped.read.opening.open_source` takes, or trials that are
    already open.
    """
    if not isinstance(source, Trials):
        return Trials.of(open_source(source, **reading))
    given = [name for name, value in reading.items() if value is not None and value != "auto"]
    if given:
        raise SettingsError(
            f"The trials are already open: {', '.join(given)} can no longer be set. Set them when "
            "opening."
        )
    return source


def open_table(purpose: str, source: Any, **reading: Unpack[Reading]) -> TrialTable:
    """Return a source's trials in memory, for what cannot be done by counting them."""
    engine = reading.get("engine", "auto")
    if engine == "stream" or (engine == "auto" and reading.get("backend") is not None):
        raise SettingsError(
            f"{purpose} needs the trials themselves, in memory (got engine {brief(engine)}). "
            "Set engine to 'memory' if they fit, or read a part of them."
        )
    if engine == "auto" and not isinstance(source, Trials):
        reading["engine"] = "memory"
    return open_trials(source, **reading).table(purpose)
