"""A test of whether two values together have to do with reaching the target set: arrays in and out.

The statistic is what both explain together less what each explains alone, each trial left out of
its own cell: a form Σ B_jk y_j y_k over pairs of different trials, with mean 0 if the chances of a
hit only add up. Its variance is 2 Σ B_jk² s_j² s_k², where s_j² is the variance of one membership.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from condped.arrays import BoolArray, FloatArray, IntArray
from condped.estimate.gamma_distribution import upper_tail
from condped.estimate.leave_one_out import excess

MOST_CELLS = 1000  # that hold a trial, for which all pairs of cells fit into memory


@dataclass(frozen=True, slots=True)
class Cumulants:
    """The variance and the third cumulant of the statistic under a hypothesis; they add up."""

    variance: float = 0.0
    third: float = 0.0

    def __add__(self, other: Cumulants) -> Cumulants:
        return Cumulants(self.variance + other.variance, self.third + other.third)

    def p_value(self, statistic: float) -> float:
        """Return how often chance gives as much: by the gamma distribution with these, shifted."""
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
        Its cumulants if membership has to do with neither value: all trials scatter alike.
    additive
        Its cumulants if the chances that both give add up: where hits are likely trials scatter
        more. They are estimated, and too small by themselves where trials are few.
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
        """How often chance gives as much, by either hypothesis; None if nothing can deviate."""
        if not self.testable or self.random.variance <= 0:
            return None
        return max(one.p_value(self.statistic) for one in (self.random, self.additive))


def pair_deviation(first: IntArray, second: IntArray, hit: BoolArray) -> PairDeviation:
    """Compare the hits of trials with these cells of two parameters, in one joint regime."""
    trials, width = len(first), int(second.max()) + 1
    both = _Cells.of(first * width + second)
    ones, others = _Cells.of(first), _Cells.of(second)
    statistic = both.excess(hit) - ones.excess(hit) - others.excess(hit)
    hits = int(hit.sum())
    if not 0 < hits < trials or trials < 2:
        return PairDeviation(statistic)
    if len(both.sizes) > MOST_CELLS:
        return PairDeviation(statistic, testable=False)
    # Of each joint cell: the cells of both parameters that it lies in.
    one, other = (cells.places[both.firsts] for cells in (ones, others))
    form = both.form(np.arange(len(both.sizes)), trials)
    form += 1.0 / (trials - 1) - ones.form(one, trials) - others.form(other, trials)
    chance = hits / trials
    added = ones.shares(hit)[one] + others.shares(hit)[other] - chance
    lost = len(ones.sizes) + len(others.sizes) - 1  # by estimating the shares
    return PairDeviation(
        statistic,
        _cumulants(form, both.sizes, np.full(len(form), chance), trials / (trials - 1)),
        _cumulants(form, both.sizes, np.clip(added, 0.0, 1.0), trials / max(trials - lost, 1)),
    )


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

    def shares(self, hit: BoolArray) -> FloatArray:
        return np.asarray(self.hits(hit) / self.sizes)

    def excess(self, hit: BoolArray) -> float:
        return float(excess(self.sizes, self.hits(hit)[None], None)[0])

    def form(self, places: IntArray, trials: int) -> FloatArray:
        """Return what pairs of trials add, for trials of all pairs of joint cells, symmetric."""
        alone = self.sizes < 2
        near = np.where(alone, 0.0, 1.0 / np.maximum(self.sizes - 1, 1))[places]
        rows = (places[:, None] == places) * near
        # Who is alone is compared with all others.
        far = np.where(alone, 0.5 / (trials - 1), 0.0)[places]
        return np.asarray(rows + far[:, None] + far)


def _cumulants(form: FloatArray, sizes: IntArray, chance: FloatArray, factor: float) -> Cumulants:
    """Return the cumulants of the form in independent memberships with these chances per cell."""
    n = sizes.astype(np.float64)
    variance = factor * chance * (1.0 - chance)
    third = variance * (1.0 - 2.0 * chance)
    scaled = np.sqrt(variance)[:, None] * form * np.sqrt(variance)
    own = np.diag(scaled)
    squares = scaled**2
    # Over pairs of different trials: all pairs less each trial with itself.
    second = 2.0 * float(n @ squares @ n - n @ own**2)
    # 8 tr(B³) without its diagonal, and what the skewness of a single membership adds.
    spread = np.sqrt(n)[:, None] * scaled * np.sqrt(n)
    cubes = float(np.einsum("ij,ji->", spread @ spread, spread))
    cubes += float(-3.0 * n @ (squares @ n * own) + 2.0 * n @ own**3)
    skewed = form**3
    single = float((n * third) @ skewed @ (n * third) - n @ (third**2 * np.diag(skewed)))
    return Cumulants(second, 8.0 * cubes + 4.0 * single)
