"""The problem whose gate switches the domains of two parameters that are always active."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from condped.arrays import FloatArray
from condped.estimate.settings import check_target
from condped.problems.truth import Truth, branch_shares, spread, without_shares
from condped.read import read
from condped.space.domain import Float
from condped.space.space import Space, when
from condped.trials.table import TrialTable

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(64)


@dataclass(frozen=True)
class SwitchingProblem:
    """Minimise x + y, whose domains depend on whether the gate c is below its cut."""

    name: str
    description: str
    cut: float
    x: tuple[Float, Float]  # below the cut, and from it on
    y: tuple[Float, Float]

    @cached_property
    def space(self) -> Space:
        """The search space, with its conditions."""
        below, above = f"c < {self.cut!r}", f"c >= {self.cut!r}"
        return Space(
            {
                "c": Float(0, 1),
                "x": [when(below, self.x[0]), when(above, self.x[1])],
                "y": [when(below, self.y[0]), when(above, self.y[1])],
            }
        )

    def sample(self, trials: int, *, seed: int) -> TrialTable:
        """Draw trials uniformly from the space."""
        rng = np.random.default_rng(seed)
        c = rng.random(trials)
        side = (c >= self.cut).astype(int)
        columns = {"c": c}
        for name, domains in (("x", self.x), ("y", self.y)):
            low = np.array([domain.low for domain in domains])[side]
            high = np.array([domain.high for domain in domains])[side]
            columns[name] = rng.uniform(low, high)
        columns["loss"] = columns["x"] + columns["y"]
        return read(columns, objective="loss", space=self.space)

    def objective(self, trial: Any) -> float:
        """Evaluate one trial of Optuna or anything else with ``suggest_float``."""
        side = 0 if trial.suggest_float("c", 0, 1) < self.cut else 1
        x = trial.suggest_float("x", self.x[side].low, self.x[side].high)
        return float(x + trial.suggest_float("y", self.y[side].low, self.y[side].high))

    def truth(self, target_quantile: float = 0.1, region_quantile: float = 1.0) -> Truth:
        """Return the exact importances for γ' and γ."""
        check_target(target_quantile, region_quantile)
        weights = np.array([self.cut, 1 - self.cut])
        t_target = self._threshold(target_quantile, weights)
        t_region = self._threshold(region_quantile, weights)
        share, chance = branch_shares(weights, self._cdf, t_target, t_region)
        gate = spread(share, chance, [[0], [1]])
        terms = [
            {
                side: share[side] * self._value_variance(one[side], other[side], t_target, t_region)
                for side in (0, 1)
                if share[side] > 0
            }
            for one, other in ((self.x, self.y), (self.y, self.x))
        ]
        alone = [
            sum(without_shares(term, share, chance, [side]) for side, term in parameter.items())
            for parameter in terms
        ]
        return Truth(
            names=("c", "x", "y"),
            within=np.array([gate, *(sum(parameter.values()) for parameter in terms)]),
            inter=np.array([0.0, gate, gate]),
            unweighted=np.array([gate, *alone]),
            kappa=target_quantile / region_quantile,
        )

    def _cdf(self, t: float) -> FloatArray:
        """Return each side's chance of x + y being at most t."""
        return np.array([_sum_cdf(t, self.x[side], self.y[side]) for side in (0, 1)])

    def _threshold(self, quantile: float, weights: FloatArray) -> float:
        low = min(x.low + y.low for x, y in zip(self.x, self.y, strict=True))
        high = max(x.high + y.high for x, y in zip(self.x, self.y, strict=True))
        if quantile == 1.0:
            return high
        for _ in range(100):  # bisection, down to neighbouring floats
            middle = (low + high) / 2
            low, high = (middle, high) if weights @ self._cdf(middle) < quantile else (low, middle)
        return high

    @staticmethod
    def _value_variance(one: Float, other: Float, t_target: float, t_region: float) -> float:
        """Return the variance, inside the region, of the chance that the value leaves."""

        def reach(value: FloatArray, t: float) -> FloatArray:
            return np.clip((t - value - other.low) / (other.high - other.low), 0.0, 1.0)

        # Between these points both chances are linear in the value.
        bends = [t - bound for t in (t_target, t_region) for bound in (other.low, other.high)]
        edges = np.unique(np.clip([one.low, *bends, one.high], one.low, one.high))
        half, middle = np.diff(edges)[:, None] / 2, (edges[1:] + edges[:-1])[:, None] / 2
        value = middle + half * _NODES
        weight = half * _WEIGHTS / (one.high - one.low)
        region, target = reach(value, t_region), reach(value, t_target)
        chance = np.divide(target, region, out=np.zeros_like(region), where=region > 0)
        mass = float((weight * region).sum())
        mean = float((weight * target).sum()) / mass
        return float((weight * region * (chance - mean) ** 2).sum()) / mass


def _sum_cdf(t: float, x: Float, y: Float) -> float:
    """Return the chance of the sum of two uniforms being at most t: a trapezoid's, exactly."""
    a, b = x.high - x.low, y.high - y.low
    u = t - x.low - y.low
    corners = [max(0.0, u - shift) ** 2 for shift in (0.0, a, b, a + b)]
    area = (corners[0] - corners[1] - corners[2] + corners[3]) / 2
    return min(1.0, max(0.0, area / (a * b)))
