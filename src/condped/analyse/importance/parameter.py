"""One parameter's importance and what it is made of."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

from condped.analyse.importance.analysis import Analysis
from condped.analyse.importance.estimates import ImportanceEstimates
from condped.analyse.importance.intervals import Uncertainty
from condped.space.domain import Domain, plain_domain


@dataclass(frozen=True, slots=True)
class RegimeImportance:
    """One regime of a parameter.

    Attributes
    ----------
    domain
        None if the parameter is absent.
    target_share, region_share
        α and β: the shares of the target set and of the region set that are in this regime.
    divergence
        D: the Pearson divergence of the target set's values from the region set's.
    contribution
        What the regime adds to the parameter's variance.
    target_trials, region_trials
        How many trials of both sets are in it.
    """

    domain: Domain | None
    target_share: float
    region_share: float
    divergence: float
    contribution: float
    target_trials: int
    region_trials: int

    @property
    def label(self) -> str:
        """A short description."""
        return "absent" if self.domain is None else self.domain.label

    def row(self, condition: str | None = None) -> dict[str, Any]:
        """Return a flat record; ``condition`` says when the parameter is in this regime."""
        own = {one.name: getattr(self, one.name) for one in fields(self)}
        domain = None if self.domain is None else plain_domain(self.domain)
        return {"regime": self.label, **own, "domain": domain, "condition": condition}


@dataclass(frozen=True, slots=True)
class Interval:
    """Where a number may lie with other trials of the same kind.

    Attributes
    ----------
    low, high
        The interval of this number by itself.
    standard_error
        The number's standard error.
    joint_low, joint_high
        Jointly for all parameters, and all target quantiles that were requested together.
    """

    low: float
    high: float
    standard_error: float
    joint_low: float
    joint_high: float


@dataclass(frozen=True, slots=True)
class ParameterIntervals:
    """Intervals of the numbers of one parameter.

    Attributes
    ----------
    importance, variance, eta_squared
        One :class:`Interval` each.
    """

    importance: Interval
    variance: Interval
    eta_squared: Interval


@dataclass(frozen=True, slots=True)
class ParameterImportance:
    """One parameter's importance and what it is made of.

    Methods that explain a forest have their own score as ``variance``, NaN for what is about target
    sets, and no regimes.

    Attributes
    ----------
    name
        The parameter.
    importance
        Share of what all parameters explain; 0 if the result is undetermined.
    variance
        v, by the requested measure.
    eta_squared
        v / (κ (1 − κ)): share of the variance of "reaches the target set" that it explains. At most
        1 in theory; smoothing can push an estimate from few trials above it.
    within, inter
        The variance inside the regimes, and between them; the latter is credited to the gate.
    regimes
        One :class:`RegimeImportance` each.
    intervals
        None unless requested.
    """

    name: str
    importance: float
    variance: float
    eta_squared: float
    within: float
    inter: float
    regimes: tuple[RegimeImportance, ...]
    intervals: ParameterIntervals | None = None

    def row(self) -> dict[str, Any]:
        """Return a flat record."""
        interval = None if self.intervals is None else self.intervals.importance
        return {
            "parameter": self.name,
            "importance": self.importance,
            "variance": self.variance,
            "eta_squared": _none_if_nan(self.eta_squared),
            "within": _none_if_nan(self.within),
            "inter": _none_if_nan(self.inter),
            "importance_low": None if interval is None else interval.low,
            "importance_high": None if interval is None else interval.high,
            "joint_low": None if interval is None else interval.joint_low,
            "joint_high": None if interval is None else interval.joint_high,
            "regimes": len(self.regimes),
        }


def _none_if_nan(number: float) -> float | None:
    """Return None for NaN, which JSON does not have."""
    return None if math.isnan(number) else number


def _with_one_nan(number: float) -> float:
    """Return the same NaN object for every NaN, so that tuples of equal results are equal."""
    return math.nan if math.isnan(number) else float(number)


def parameters_of(
    numbers: ImportanceEstimates, analysis: Analysis | None
) -> tuple[ParameterImportance, ...]:
    """Return the parameters at the first target set, the most important first.

    Without an analysis there are no regimes and no intervals.
    """
    regimes = None if analysis is None else _regimes(analysis)
    bands = None if analysis is None or analysis.bands is None else _intervals(analysis.bands)
    found = [
        ParameterImportance(
            name=name,
            importance=float(numbers.importance[0, place]),
            variance=float(numbers.variance[0, place]),
            eta_squared=_with_one_nan(numbers.eta_squared[0, place]),
            within=_with_one_nan(numbers.within[0, place]),
            inter=_with_one_nan(numbers.inter[0, place]),
            regimes=() if regimes is None else tuple(regimes[place]),
            intervals=None if bands is None else bands[place],
        )
        for place, name in enumerate(numbers.names)
    ]
    # Sorting is stable: equal parameters stay in the order of the space.
    return tuple(sorted(found, key=lambda parameter: -parameter.variance))


def _intervals(bands: Uncertainty) -> list[ParameterIntervals]:
    """Return the intervals of each parameter."""
    columns = [
        [end[0].tolist() for end in (b.low, b.high, b.error, b.joint_low, b.joint_high)]
        for b in (bands.importance, bands.variance, bands.eta_squared)
    ]
    each = [[Interval(*ends) for ends in zip(*column, strict=True)] for column in columns]
    return [ParameterIntervals(*three) for three in zip(*each, strict=True)]


def _regimes(analysis: Analysis) -> list[list[RegimeImportance]]:
    """Return the regimes of each parameter."""
    found = analysis.estimate
    parameters = analysis.counts.by(analysis.settings.method).parameters
    grouped: list[list[RegimeImportance]] = [[] for _ in parameters]
    flat = [regime for parameter in parameters for regime in parameter.regimes]
    for place, regime in enumerate(flat):
        grouped[found.owner[place]].append(
            RegimeImportance(
                domain=regime.domain,
                target_share=float(found.target_shares[place, 0]),
                region_share=float(found.region_shares[place]),
                divergence=float(found.divergence[place, 0]),
                contribution=float(found.contribution[place, 0]),
                target_trials=int(found.target_trials[place, 0]),
                region_trials=int(found.region_trials[place]),
            )
        )
    return grouped
