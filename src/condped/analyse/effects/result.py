"""Effects: what trials with certain values of a parameter reached, in units of the objective."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Literal

from condped.analyse.by_name import ByName
from condped.analyse.effects.trials import ShownTrials
from condped.analyse.evidence.evidence import Verdict
from condped.analyse.importance.account import Account
from condped.analyse.importance.ties import plain_tie
from condped.analyse.result import Result
from condped.space.domain import Domain

# ``good``: values that target trials have more often than others. ``best``: the bin or choice with
# the best median.
Chosen = Literal["good", "best"]


@dataclass(frozen=True, slots=True)
class Reached:
    """What some trials reached in one objective, in its own units and sign.

    Attributes
    ----------
    median_low, median_high
        The exact interval of the median; None with fewer trials than it needs (5 at level 0.9).
    best
        The lowest or highest value, whichever is better.
    """

    objective: str
    median: float | None
    median_low: float | None
    median_high: float | None
    best: float | None


@dataclass(frozen=True, slots=True)
class ValueGroup:
    """Trials with certain values of a parameter.

    Attributes
    ----------
    label
        The values, such as ``0.009 … 0.11``, ``svm`` or ``absent``.
    trials, target_trials
        How many trials with an objective are here, and how many of these in the target set.
    reached
        What they reached, for each objective.
    low, high
        The lowest and highest value that belongs here; None for choices.
    left, right
        The outer edges of the grid cells that belong here, for drawing; None for choices.
    choice
        The position of the choice in its domain; None for numbers and for several choices.
    """

    label: str
    trials: int
    target_trials: int
    reached: tuple[Reached, ...]
    low: float | None = None
    high: float | None = None
    left: float | None = None
    right: float | None = None
    choice: int | None = None

    @property
    def target_share(self) -> float | None:
        """Share of these trials that are in the target set; None without trials."""
        return self.target_trials / self.trials if self.trials else None


@dataclass(frozen=True, slots=True)
class SameTime:
    """Trials inside compared with trials outside that were drawn at the same time.

    Attributes
    ----------
    pairs
        The number of pairs of one trial inside and one outside, within strata of ten consecutive
        trials.
    better
        Share of the pairs in which the one inside is better; ties count half.
    tied
        Share of the pairs in which both are equal.
    difference
        The median difference of their objectives, inside minus outside.
    """

    objective: str
    pairs: int
    better: float
    tied: float
    difference: float


@dataclass(frozen=True, slots=True)
class ValueSpan:
    """A range of numbers, both ends included, or one choice by its position in its domain."""

    low: float | None
    high: float | None
    choice: int | None = None


@dataclass(frozen=True, slots=True)
class Contrast:
    """Some values of a regime against all others in it.

    The values were chosen using the same trials that are compared here, so the contrast is a little
    too good; 'Trust' in the documentation says by how much.

    Attributes
    ----------
    chosen
        How the values inside were chosen.
    spans
        Which values these are.
    same_time
        One per objective, if the sampler learnt from results; empty if it did not, or if no two
        such trials were drawn at the same time.
    """

    chosen: Chosen
    spans: tuple[ValueSpan, ...]
    inside: ValueGroup
    outside: ValueGroup
    same_time: tuple[SameTime, ...] = ()


@dataclass(frozen=True, slots=True)
class RegimeEffect:
    """The trials of one regime, by value.

    Attributes
    ----------
    domain
        None if the parameter is absent.
    bins
        For numbers at most eight, of neighbouring cells of the domain's grid with about equally
        many trials; otherwise one per choice, or one where the parameter is absent.
    contrast
        None if there is no evidence of an effect, or nothing to compare.
    """

    domain: Domain | None
    label: str
    trials: int
    target_trials: int
    bins: tuple[ValueGroup, ...]
    contrast: Contrast | None = None


@dataclass(frozen=True, slots=True)
class ParameterEffect:
    """What the values of one parameter do.

    Attributes
    ----------
    regimes
        Those with a domain in the order of the densities, then the one in which it is absent.
    sentence
        The same in a sentence.
    short
        The medians inside and outside the good values in one line; None without a contrast.
    """

    name: str
    importance: float
    verdict: Verdict
    regimes: tuple[RegimeEffect, ...]
    sentence: str
    short: str | None = None


@dataclass(frozen=True)
class Effects(ByName[ParameterEffect], Result):
    """What trials reached by the values of each parameter, the most important first.

    Attributes
    ----------
    everything
        All trials with an objective.
    level
        Confidence level of the medians' intervals, valid for trials drawn at random.
    adaptive
        Whether values seem to depend on earlier results, so that they were tried at different
        times, and later trials may be better in everything.
    sampling
        How the trials were drawn, in a sentence.
    without_value
        Trials that count as worst; they have no value and are in no median.
    trials
        Some of the trials themselves, for figures.

    Examples
    --------
    >>> import condped
    >>> found = condped.effects(condped.problems.get("nested").sample(1000, seed=0))
    >>> found["x"].verdict, len(found["x"].regimes)
    ('matters', 2)
    """

    schema: ClassVar[str] = "condped.effects/1"
    _columns: ClassVar[tuple[str, ...]] = (
        "parameter",
        "verdict",
        "regime",
        "values",
        "low",
        "high",
        "trials",
        "target_trials",
        "target_share",
        "objective",
        "median",
        "median_low",
        "median_high",
        "best",
    )

    parameters: tuple[ParameterEffect, ...]
    target_quantile: float
    target_size: int
    everything: ValueGroup
    level: float
    adaptive: bool
    sampling: str
    without_value: int
    account: Account = field(repr=False)
    trials: ShownTrials = field(repr=False)

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record per parameter, regime, bin and objective."""
        return [
            {
                "parameter": parameter.name,
                "verdict": parameter.verdict,
                "regime": regime.label,
                "values": group.label,
                "low": group.low,
                "high": group.high,
                "trials": group.trials,
                "target_trials": group.target_trials,
                "target_share": group.target_share,
                **asdict(reached),
            }
            for parameter in self.parameters
            for regime in parameter.regimes
            for group in regime.bins
            for reached in group.reached
        ]

    def _readable(self) -> dict[str, Any]:
        return {
            "target_quantile": self.target_quantile,
            "target_size": self.target_size,
            "tie": plain_tie(self.account.tie(self.target_quantile)),
            "level": self.level,
            "adaptive": self.adaptive,
            "sampling": self.sampling,
            "without_value": self.without_value,
            "everything": self.everything,
            "parameters": self.parameters,
            "account": self.account,
        }
