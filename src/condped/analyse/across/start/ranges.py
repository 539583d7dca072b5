"""Where the best trials of past studies lie, and how far from there those of another one may lie.

The best trials with the parameter, of each study that has tried it often enough, need not be among
the best of their study: a branch that lost has good values as well.

Distances are in units of the range's width, so that one margin applies to all domains. A choice is
as far away as its best trial is from the good ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from condped.analyse.across.start.past import Past
from condped.analyse.advice.propose import covered, smaller_domain
from condped.analyse.advice.widen import places_in
from condped.analyse.branches.splits import short_between
from condped.arrays import BoolArray, FloatArray, IntArray
from condped.estimate.statistics.normal_distribution import normal_cdf
from condped.space.domain import Categorical, Domain, Numeric

# How often chance alone may make any domain seem narrower.
SURE = 0.01
# How many of its trials a study must have in a regime to show where good values lie.
FEWEST_IN_REGIME = 10
# How many such studies it takes to narrow a regime.
FEWEST_STUDIES = 3
# A range that keeps more of the domain than this is not worth the risk.
CLEARLY_LESS = 0.8
# How many of the best trials of each study span the range of a number: with the best alone, values
# that do not matter within a branch would seem to lie further out in another study.
SPANNED_BY = 3
# The margin at which values outside are tested for hardly ever being good.
_TESTED_AT = 0.05
# Distances are in units of the range's width, or of this share of the domain if it is narrower.
_NARROWEST = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class PastRegime:
    """The trials in which a parameter has one domain.

    Attributes
    ----------
    places
        (trials,): where values lie in the domain from 0 to 1, or which choice they are.
    study
        (trials,): as in :class:`Past`.
    rank
        (trials,): the place among the trials of this regime and study, from 0 for the best.
    order
        (trials,): the same as a share, from 0 to below 1.
    good
        (trials,): which are among the best of these.
    """

    name: str
    domain: Domain
    rows: IntArray
    places: FloatArray
    study: IntArray
    rank: IntArray
    order: FloatArray
    good: BoolArray


@dataclass(frozen=True, slots=True, eq=False)
class GoodRange:
    """The part of a domain that past studies found good.

    Attributes
    ----------
    low, high
        Of a number: where the best trials lie, from 0 to 1.
    apart
        Of a categorical domain: how far away each choice is; 0: it stays in any case.
    studies
        How many studies it comes from.
    dropped
        How many of the best trials at each end lie outside the range.
    """

    domain: Domain
    low: float
    high: float
    apart: FloatArray
    studies: int
    dropped: int = 0

    def distance(self, place: float) -> float:
        """Return the margin that is needed to keep the value at a place."""
        if isinstance(self.domain, Categorical):
            return float(self.apart[int(place)])
        away = max(self.low - place, place - self.high, 0.0)
        # From there on the whole domain is kept.
        enough = max((CLEARLY_LESS - (self.high - self.low)) / 2, 0.0)
        return min(away, enough) / self._unit

    @property
    def _unit(self) -> float:
        return max(self.high - self.low, _NARROWEST)

    def kept(self, margin: float) -> Domain | None:
        """Return the domain that is kept with a margin; None if all of it is."""
        if isinstance(self.domain, Categorical):
            stays = [c for c, away in zip(self.domain.choices, self.apart, strict=True)
                     if away <= margin]  # fmt: skip
            return None if len(stays) == len(self.domain.choices) else Categorical(stays)
        low, high = self.low - margin * self._unit, self.high + margin * self._unit
        if high - low >= CLEARLY_LESS:
            return None
        found = smaller_domain(self.domain, *_bounds(self.domain, low, high))
        return None if found is None or covered(found, self.domain) >= 0.9 else found


def regimes_of(past: Past) -> list[PastRegime]:
    """Return the trials of each parameter and domain that may be narrowed."""
    found = []
    for name, domain in past.regimes:
        rows = past.having(name, domain)
        sizes = np.bincount(past.study[rows], minlength=len(past.names))
        rows = rows[sizes[past.study[rows]] >= FEWEST_IN_REGIME]
        if domain.single or not len(rows):
            continue
        values = past.parameters[name].values[rows]
        places = values.astype(float) if isinstance(domain, Categorical) else places_in(
            domain, values
        )  # fmt: skip
        study = past.study[rows]
        rank = _rank_within(study, past.order[rows])
        order = rank / sizes[study]
        # At least one of each study is good.
        good = order < np.maximum(past.target_quantile, 1e-9)
        found.append(PastRegime(name, domain, rows, places, study, rank, order, good))
    return found


def _rank_within(study: IntArray, order: FloatArray) -> IntArray:
    """Return the rank of each trial among those of its study, from 0 for the best."""
    sizes = np.bincount(study)
    sorted_rows = np.lexsort((order, study))
    starts = np.cumsum(sizes) - sizes
    found = np.empty(len(study), dtype=np.intp)
    found[sorted_rows] = np.arange(len(study)) - starts[study[sorted_rows]]
    return found


def good_ranges(
    regimes: Sequence[PastRegime], used: BoolArray, risk: float
) -> dict[tuple[str, Domain], GoodRange]:
    """Return the good part of each domain for which the evidence is clear.

    ``used`` (studies,) says which studies to take into account.
    """
    tests = _number_of_tests(regimes)
    found = {}
    for regime in regimes:
        rows = used[regime.study]
        studies = len(np.unique(regime.study[rows]))
        if studies < FEWEST_STUDIES:
            continue
        one: GoodRange | None
        if isinstance(regime.domain, Categorical):
            one = _choices(regime, rows, tests, studies)
        else:
            one = _range(regime, rows, tests, studies, _trimmed_share(regimes, risk))
        if one is not None:
            found[regime.name, regime.domain] = one
    return found


def _number_of_tests(regimes: Sequence[PastRegime]) -> int:
    """Return the number of tests for rarely good values: one per choice or numeric domain."""
    return sum(len(r.domain.choices) if isinstance(r.domain, Categorical) else 1 for r in regimes)


def _trimmed_share(regimes: Sequence[PastRegime], risk: float) -> float:
    """Return the share of the best trials that may lie outside at each end."""
    return risk / (4 * max(len(regimes), 1))


def why_not_narrowed(regime: PastRegime, regimes: Sequence[PastRegime], risk: float) -> str:
    """Say why a regime is not narrowed, although enough studies have tried it often enough."""
    if isinstance(regime.domain, Categorical):
        return "no choice is good clearly less often than the others."
    low, high, _ = _span(
        regime, np.ones(len(regime.rows), dtype=bool), _trimmed_share(regimes, risk)
    )
    if _is_wide(low, high):
        return (
            "the best trials are spread over "
            f"{100 * (CLEARLY_LESS - 2 * _TESTED_AT):.0f} % of the domain or more."
        )
    return "the best trials lie close together, but those elsewhere are not clearly worse."


def _choices(regime: PastRegime, rows: BoolArray, tests: int, studies: int) -> GoodRange | None:
    assert isinstance(regime.domain, Categorical)
    codes = regime.places.astype(np.intp)
    apart = np.zeros(len(regime.domain.choices))
    for code in range(len(apart)):
        own = rows & (codes == code)
        if own.any() and _hardly_good(own, rows, regime, tests):
            # 1: its best trial is just not good.
            apart[code] = regime.order[own].min() / regime.order[regime.good].max(initial=1e-9)
    if not apart.any():
        return None
    return GoodRange(regime.domain, 0.0, 1.0, apart, studies)


def _range(
    regime: PastRegime, rows: BoolArray, tests: int, studies: int, trimmed: float
) -> GoodRange | None:
    low, high, dropped = _span(regime, rows, trimmed)
    if _is_wide(low, high):
        return None
    inside = (regime.places >= low - _TESTED_AT) & (regime.places <= high + _TESTED_AT)
    if not _hardly_good(rows & ~inside, rows, regime, tests):
        return None
    return GoodRange(regime.domain, low, high, np.empty(0), studies, dropped)


def _span(regime: PastRegime, rows: BoolArray, trimmed: float) -> tuple[float, float, int]:
    """Return the range of the best trials, and how many are left out at each end."""
    best = np.sort(regime.places[rows & (regime.rank < SPANNED_BY)])
    # With very many studies, a few odd ones may lie outside.
    drop = math.floor(trimmed * len(best))
    return float(best[drop]), float(best[len(best) - 1 - drop]), drop


def _is_wide(low: float, high: float) -> bool:
    return high - low + 2 * _TESTED_AT >= CLEARLY_LESS


def _hardly_good(own: BoolArray, rows: BoolArray, regime: PastRegime, tests: int) -> bool:
    """Return whether some trials are good clearly less often than others of the same studies.

    The number of good ones among ``own`` is compared with its distribution if good trials were
    assigned at random within each study (normal approximation).
    """
    size = int(regime.study.max()) + 1
    trials = np.bincount(regime.study[rows], minlength=size).astype(float)
    good = np.bincount(regime.study[rows & regime.good], minlength=size)
    drawn = np.bincount(regime.study[own], minlength=size)
    some = trials > 1
    share = drawn[some] / trials[some]
    expected = (good[some] * share).sum()
    spread = (
        good[some] * share * (1 - share) * (trials[some] - good[some]) / (trials[some] - 1)
    ).sum()
    seen = np.count_nonzero(own & regime.good)
    if spread <= 0:
        return False
    score = (seen + 0.5 - expected) / math.sqrt(spread)
    return float(normal_cdf(np.array([score]))[0]) * tests <= SURE


def _bounds(domain: Numeric, low: float, high: float) -> tuple[float, float]:
    """Return numbers with few digits just outside two places of a domain, or its own bounds."""
    slack = (high - low) / 50
    lowest, highest = float(domain.low), float(domain.high)
    if low > 0:
        outer, inner = _value_at(domain, max(low - slack, 0.0)), _value_at(domain, low)
        lowest = max(lowest, short_between(outer, inner, log=domain.log))
    if high < 1:
        inner, outer = _value_at(domain, high), _value_at(domain, min(high + slack, 1.0))
        highest = min(highest, short_between(inner, outer, log=domain.log))
    return lowest, highest


def _value_at(domain: Numeric, place: float) -> float:
    """Return the number at a place of a domain."""
    low, high = float(domain.low), float(domain.high)
    if domain.log:
        return math.exp(math.log(low) + place * (math.log(high) - math.log(low)))
    return low + place * (high - low)
