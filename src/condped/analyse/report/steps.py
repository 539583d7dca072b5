"""The study at every target quantile of the slider, by both methods."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from condped.analyse.importance.analysis import Analysis, analyse, analyse_outcome
from condped.analyse.importance.evidence import Verdict, verdict_of
from condped.analyse.importance.intervals import Uncertainty, uncertainty
from condped.arrays import FloatArray
from condped.count.resampling import Intervals
from condped.count.trials import Trials
from condped.errors import SettingsError
from condped.estimate.calibrated import regime_p_values
from condped.estimate.independence import adjusted
from condped.estimate.settings import Method, Settings
from condped.trials.outcome import Target
from condped.trials.topsets import Handling

_STEPS = (
    0.01, 0.02, 0.03, 0.05, 0.07, *(percent / 100 for percent in range(10, 100, 5)), 0.99,
)  # fmt: skip
VERDICTS: dict[str, Verdict] = {"m": "matters", "u": "unclear", "n": "noise", "-": "untested"}
_LETTERS = {verdict: letter for letter, verdict in VERDICTS.items()}
_NARROW = 0.3  # region quantiles up to which steps are 0.01 apart


def slider_quantiles(asked: float, region_quantile: float) -> tuple[float, ...]:
    """Return the target quantiles that the slider stops at, the one that was asked for included.

    Examples
    --------
    >>> slider_quantiles(0.04, region_quantile=1.0)[:6]
    (0.01, 0.02, 0.03, 0.04, 0.05, 0.07)
    """
    steps = _STEPS
    if region_quantile <= _NARROW:
        steps = tuple(percent / 100 for percent in range(1, 30))
    return tuple(sorted({float(asked), *(step for step in steps if step < region_quantile)}))


@dataclass(frozen=True, slots=True)
class Question:
    """What a report is asked to tell, and how."""

    target_quantile: float
    target: Target | None
    settings: Settings  # with the method that is shown first
    handling: Handling
    intervals: Intervals | None = None
    level: float = 0.9
    seed: int = 0

    @property
    def quantiles(self) -> tuple[float, ...] | None:
        """The slider's steps; None for an outcome, which has one target set."""
        if self.target is not None:
            return None
        return slider_quantiles(self.target_quantile, self.settings.region_quantile)

    @property
    def start(self) -> int:
        """The step that was asked for."""
        return 0 if self.quantiles is None else self.quantiles.index(float(self.target_quantile))

    @property
    def methods(self) -> tuple[Method, ...]:
        """The methods that can answer."""
        try:
            replace(self.settings, method="calibrated")
        except SettingsError:  # its measure or reference is the paper's alone
            return ("paper",)
        return ("paper", "calibrated")


@dataclass(frozen=True, eq=False)
class Answers:
    """Analyses of T target sets and P parameters by each method."""

    by_method: dict[Method, Analysis]
    bands: dict[Method, Uncertainty | None]

    @property
    def paper(self) -> Analysis:
        """The analysis whose counts have the units of the values."""
        return self.by_method["paper"]

    @cached_property
    def p_values(self) -> FloatArray:
        """(T, P); the test is the same for all methods."""
        return self._tested.p_values()

    @cached_property
    def adjusted(self) -> FloatArray:
        """(T, P): the same, adjusted for the number of parameters."""
        return adjusted(self.p_values)

    @cached_property
    def verdicts(self) -> list[list[Verdict]]:
        """(T, P)."""
        return verdicts_of(self.p_values)

    @cached_property
    def regime_p_values(self) -> list[list[FloatArray]]:
        """(T,) for each regime of each parameter."""
        study = self._tested.ranks()
        several = [place for place, regimes in enumerate(study.blocks) if len(regimes) > 1]
        if not several:
            return [[self.p_values[:, p]] * len(b) for p, b in enumerate(study.blocks)]
        some = replace(study, blocks=tuple(study.blocks[place] for place in several))
        found = dict(zip(several, regime_p_values(some), strict=True))
        # By itself a parameter's only regime shows what the parameter shows.
        return [
            found.get(place, [self.p_values[:, place]] * len(regimes))
            for place, regimes in enumerate(study.blocks)
        ]

    @property
    def _tested(self) -> Analysis:
        return self.by_method.get("calibrated", self.paper)


def answers_of(trials: Trials, question: Question) -> Answers:
    """Analyse trials at every step by every method."""
    found: dict[Method, Analysis] = {}
    bands: dict[Method, Uncertainty | None] = {}
    quantiles = question.quantiles
    for method in question.methods:
        settings = replace(question.settings, method=method)
        if quantiles is None:
            target: Any = question.target
            one = analyse_outcome(trials, target, settings, question.handling)
        else:
            one = analyse(trials, quantiles, settings, question.handling)
        found[method] = one
        bands[method] = None
        if question.intervals is not None:
            bands[method] = uncertainty(
                one, quantiles, intervals=question.intervals, level=question.level,
                seed=question.seed,
            )  # fmt: skip
    return Answers(found, bands)


def verdicts_of(p_values: FloatArray) -> list[list[Verdict]]:
    """Return (T, P) verdicts, the p-values of each step adjusted for their number."""
    pairs = zip(p_values.tolist(), adjusted(p_values).tolist(), strict=True)
    return [
        [verdict_of(p, corrected) for p, corrected in zip(*rows, strict=True)] for rows in pairs
    ]


def letters(verdicts: list[Verdict]) -> str:
    """Return verdicts as a letter each."""
    return "".join(_LETTERS[verdict] for verdict in verdicts)
