"""A test of the joint effect of two values on reaching the target set: arrays in, arrays out.

The statistic is what both explain together less what each explains alone, each trial left out of
its own cell: a form Σ B_jk y_j y_k over pairs of different trials, with mean 0 if the chances of a
hit only add up. Its variance is 2 Σ B_jk² s_j² s_k², where s_j² is the variance of one membership.

Within strata, such as stretches of time, y_j is a membership less its stratum's share of hits, so
that trials of different strata are only compared in how they differ from their neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from condped.arrays import BoolArray, FloatArray, IntArray
from condped.estimate.leave_one_out import excess
from condped.estimate.statistics.gamma_distribution import upper_tail

MOST_CELLS = 1000  # that hold a trial, for which all pairs of cells fit into memory


@dataclass(frozen=True, slots=True)
class Cumulants:
    """The variance and the third cumulant of the statistic under a hypothesis; they add up."""

    variance: float = 0.0
    third: float = 0.0

    def __add__(self, other: Cumulants) -> Cumulants:
        return Cumulants(self.variance + other.variance, self.third + other.third)

    def p_value(self, statistic: float) -> float:
        """Return the p-value, by the shifted gamma distribution with these cumulants."""
        if self.variance <= 0:
            return 1.0
        deviation = self.variance**0.5
        skewness = max(self.third / deviation**3, 1e-3)  # nearly normal below
        shape = np.array([4.0 / skewness**2])
        tail = upper_tail(shape + np.sqrt(shape) * statistic / deviation, shape, shape)
        return float(tail[0])


@dataclass(frozen=True, slots=True)
class PairDeviation:
    """The statistic of a pair of parameters; those of several regimes add up.

    Attributes
    ----------
    random
        Its cumulants if membership depends on neither value: all trials scatter alike.
    additive
        Its cumulants if the chances due to both add up: trials scatter more where hits are likely.
        They are estimated, and by themselves too small if trials are few.
    testable
        False if there are too many cells.
    """

    statistic: float = 0.0
    random: Cumulants = Cumulants()
    additive: Cumulants = Cumulants()
    testable: bool = True

    def __add__(self, other: PairDeviation) -> PairDeviation:
        return PairDeviation(
            self.statistic + other.statistic,
            self.random + other.random,
            self.additive + other.additive,
            self.testable and other.testable,
        )

    @property
    def p_value(self) -> float | None:
        """The larger p-value of both hypotheses; None if nothing can deviate."""
        if not self.testable or self.random.variance <= 0:
            return None
        return max(one.p_value(self.statistic) for one in (self.random, self.additive))


def pair_deviation(
    first: IntArray, second: IntArray, hit: BoolArray, strata: IntArray | None = None
) -> PairDeviation:
    """Compare the hits of trials with these cells of two parameters, in one joint regime.

    With ``strata``, a number for each trial, they are compared within these.
    """
    trials, width = len(first), int(second.max()) + 1
    both = _Cells.of(first * width + second)
    ones, others = _Cells.of(first), _Cells.of(second)
    testable = len(both.sizes) <= MOST_CELLS
    hits = int(hit.sum())
    form = None
    if testable and 0 < hits < trials and trials > 1:
        # Of each joint cell: the cells of both parameters that it lies in.
        one, other = (cells.places[both.firsts] for cells in (ones, others))
        form = both.form(np.arange(len(both.sizes)), trials)
        form += 1.0 / (trials - 1) - ones.form(one, trials) - others.form(other, trials)
    whole = np.zeros(trials, dtype=np.intp)
    parts = _Strata.of(whole if strata is None else strata, hit)
    if strata is None:
        statistic = both.excess(hit) - ones.excess(hit) - others.excess(hit)
    elif form is None:
        statistic = 0.0
    else:
        statistic = _statistic(form, both, parts)
    if form is None:
        return PairDeviation(statistic, testable=testable)
    lost = len(ones.sizes) + len(others.sizes) + len(parts.sizes) - 2  # by estimating the shares
    added = parts.chance + ones.means(parts.beyond) + others.means(parts.beyond)
    added = np.clip(added, 0.0, 1.0)
    factor = trials / max(trials - lost, 1)
    return PairDeviation(
        statistic,
        _cumulants(form, both, parts.variance, parts.chance),
        _cumulants(form, both, factor * added * (1.0 - added), added),
    )


def _statistic(form: FloatArray, both: _Cells, strata: _Strata) -> float:
    """Return the form in memberships less their strata's shares, minus its mean by chance."""
    sums, squares = both.sums(strata.beyond), both.sums(strata.beyond**2)
    own = np.diag(form)
    cells = np.zeros((len(strata.sizes), len(own)))
    np.add.at(cells, (strata.places, both.places), 1.0)
    # Memberships in one stratum are slightly negatively correlated: their sum is fixed.
    among = ((cells @ form) * cells).sum(axis=1) - cells @ own
    return float(sums @ form @ sums - own @ squares + strata.opposed @ among)


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """Which of the cells that hold a trial each trial lies in."""

    places: IntArray  # (trials,)
    sizes: IntArray  # (cells,)
    firsts: IntArray  # (cells,): one trial of each

    @classmethod
    def of(cls, cells: IntArray) -> _Cells:
        _, firsts, places, sizes = np.unique(
            cells, return_index=True, return_inverse=True, return_counts=True
        )
        return cls(places, sizes, firsts)

    def hits(self, hit: BoolArray) -> IntArray:
        return np.bincount(self.places[hit], minlength=len(self.sizes))

    def sums(self, numbers: FloatArray) -> FloatArray:
        summed = np.bincount(self.places, weights=numbers, minlength=len(self.sizes))
        return summed.astype(np.float64)

    def means(self, numbers: FloatArray) -> FloatArray:
        """Return (trials,): the mean of the numbers in each trial's cell."""
        return np.asarray((self.sums(numbers) / self.sizes)[self.places])

    def excess(self, hit: BoolArray) -> float:
        return float(excess(self.sizes, self.hits(hit)[None], None)[0])

    def form(self, places: IntArray, trials: int) -> FloatArray:
        """Return what pairs of trials add, for trials of all pairs of joint cells, symmetric."""
        alone = self.sizes < 2
        near = np.where(alone, 0.0, 1.0 / np.maximum(self.sizes - 1, 1))[places]
        rows = (places[:, None] == places) * near
        # A trial alone in its cell is compared with all others.
        far = np.where(alone, 0.5 / (trials - 1), 0.0)[places]
        return np.asarray(rows + far[:, None] + far)


@dataclass(frozen=True, slots=True, eq=False)
class _Strata:
    """Each trial's stratum, and its membership relative to the stratum's share."""

    places: IntArray  # (trials,)
    sizes: IntArray  # (strata,)
    chance: FloatArray  # (trials,): the share of hits in its stratum
    beyond: FloatArray  # (trials,): its membership less that
    variance: FloatArray  # (trials,): of a membership within its stratum
    opposed: FloatArray  # (strata,): minus the covariance of two memberships

    @classmethod
    def of(cls, strata: IntArray, hit: BoolArray) -> _Strata:
        _, places, sizes = np.unique(strata, return_inverse=True, return_counts=True)
        hits = np.bincount(places, weights=hit, minlength=len(sizes))
        spread = hits * (sizes - hits) / (sizes * np.maximum(sizes - 1, 1))
        chance = (hits / sizes)[places]
        return cls(places, sizes, chance, hit - chance, spread[places], spread / sizes)


def _cumulants(
    form: FloatArray, cells: _Cells, variance: FloatArray, chance: FloatArray
) -> Cumulants:
    """Return the cumulants of the form in independent memberships.

    ``variance`` and ``chance`` are those of each trial's membership.
    """
    n = cells.sizes.astype(np.float64)
    third = cells.sums(variance * (1.0 - 2.0 * chance))
    spread, fourth = cells.sums(variance), cells.sums(variance**2)
    # Over pairs of different trials: all pairs less each trial with itself.
    second = 2.0 * float(spread @ form**2 @ spread - np.diag(form) ** 2 @ fourth)
    # 8 tr(B³) without its diagonal, and what the skewness of a single membership adds.
    whole = np.sqrt(spread)[:, None] * form * np.sqrt(spread)
    cubes = float(np.einsum("ij,ji->", whole @ whole, whole))
    each = np.sqrt(spread / n)
    scaled = each[:, None] * form * each
    own, squares = np.diag(scaled), scaled**2
    cubes += float(-3.0 * n @ (squares @ n * own) + 2.0 * n @ own**3)
    skewed = form**3
    single = float(third @ skewed @ third - (third**2 / n) @ np.diag(skewed))
    return Cumulants(second, 8.0 * cubes + 4.0 * single)
