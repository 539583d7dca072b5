"""What is asked of trials, and how it is to be answered."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import TypedDict

from condped.count.resampling import Intervals
from condped.errors import SettingsError
from condped.estimate.settings import Method, Settings, check_target
from condped.options import check_choices, option
from condped.trials.outcome import Target
from condped.trials.used_trials import ENDINGS, Handling


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
        γ', ascending; one is a sweep of one. Not looked at if there is a ``target``.
    target
        An outcome to explain in place of good objectives; None: none.
    intervals, level, seed
        How to find intervals; None: not at all.
    """

    target_quantiles: tuple[float, ...]
    settings: Settings = field(default_factory=Settings)
    handling: Handling = field(default_factory=Handling)
    target: Target | None = None
    intervals: Intervals | None = option(
        None, "Intervals around the numbers, by 200 halves of the trials or by 20 groups (faster)."
    )
    level: float = option(0.9, "How often an interval should hold the truth.")
    seed: int = option(0, "Fixes the subsets that intervals are made from.")

    def __post_init__(self) -> None:
        for quantile in self.target_quantiles:
            check_target(quantile, self.settings.region_quantile)
        check_choices(self)
        level, seed = self.level, self.seed
        if isinstance(level, bool) or not isinstance(level, Real) or not 0 < float(level) < 1:
            raise SettingsError(f"level must be a number between 0 and 1 (got {level!r}).")
        if isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0:
            raise SettingsError(f"seed must be a whole number, 0 or above (got {seed!r}).")
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
        """The methods that can answer."""
        try:
            replace(self.settings, method="calibrated")
        except SettingsError:  # its measure or reference is the paper's alone
            return ("paper",)
        return ("paper", "calibrated")

    def by(self, method: Method) -> Question:
        """Return the same question to another method."""
        return replace(self, settings=replace(self.settings, method=method))
