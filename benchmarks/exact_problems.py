"""Problem families with exact truth that nothing was tuned on.

``python -m benchmarks.exact_problems`` compares each truth with ten million random trials.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, product
from math import factorial, prod
from typing import Any, TypeAlias

import numpy as np

import condped
from condped import Categorical, Float, Int, Space, TrialTable, when

Array: TypeAlias = Any
_STEPS = 4000  # of a value, between which its effect is taken as constant
NOISE = ""  # a term of the loss that is not a parameter


@dataclass(frozen=True)
class Branch:
    """One way to choose: the loss is the base plus slopes times values between 0 and 1."""

    weight: float
    chosen: Mapping[str, Any]
    base: float
    slopes: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class AdditiveProblem:
    """Choices and whole numbers decide which values add up to the loss.

    With ``levels`` the loss is rounded up to one of this many steps of 1, so that trials tie.
    """

    name: str
    domains: Mapping[str, Any]
    branches: tuple[Branch, ...]
    levels: int | None = None

    @cached_property
    def space(self) -> Space:
        """The search space, with its conditions."""
        return Space(self.domains)

    def sample(self, trials: int, *, seed: int) -> TrialTable:
        """Draw trials at random."""
        return condped.read(self.columns(trials, seed), objective="loss", space=self.space)

    def columns(self, trials: int, seed: int) -> dict[str, Any]:
        """Draw columns; None or NaN where a parameter is absent."""
        rng = np.random.default_rng(seed)
        place = rng.choice(len(self.branches), trials, p=[b.weight for b in self.branches])
        columns: dict[str, Any] = {}
        loss = np.array([b.base for b in self.branches])[place]
        for name in dict.fromkeys(n for b in self.branches for n in b.chosen):
            values = np.empty(len(self.branches), dtype=object)
            values[:] = [b.chosen.get(name) for b in self.branches]
            columns[name] = values[place]
        for name in self._values:
            slopes = np.array([b.slopes.get(name, np.nan) for b in self.branches])[place]
            drawn = np.where(np.isnan(slopes), np.nan, rng.random(trials))
            loss = loss + np.nan_to_num(slopes * drawn)
            if name != NOISE:
                columns[name] = drawn
        if self.levels is not None:
            loss = np.ceil(loss * self.levels) / self.levels
        return columns | {"loss": loss}

    @cached_property
    def _values(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for b in self.branches for name in b.slopes))

    def truth(self, target_quantile: float) -> dict[str, float]:
        """Return the exact importances."""
        found = self.variances(target_quantile)
        total = sum(found.values())
        return {name: float(value / total) for name, value in found.items()}

    @lru_cache  # noqa: B019
    def variances(self, target_quantile: float) -> dict[str, float]:
        """Return the exact variances of the chance of reaching the target set."""
        weights = np.array([b.weight for b in self.branches])
        cutoff = self._cutoff(target_quantile)
        chance = np.array([_reached(b.slopes, cutoff - b.base) for b in self.branches])
        found = {}
        for name in self.domains:
            inside = np.array([name in b.chosen or name in b.slopes for b in self.branches])
            if name in self._values:
                found[name] = self._value_variance(name, cutoff, inside)
                continue
            groups: dict[Any, Array] = {}
            for place in np.flatnonzero(inside):
                groups.setdefault(self.branches[place].chosen[name], []).append(place)
            found[name] = _between(weights, chance, list(groups.values()))
        return found

    def _value_variance(self, name: str, cutoff: float, inside: Array) -> float:
        value = (np.arange(_STEPS) + 0.5) / _STEPS
        total = np.zeros(_STEPS)
        for place in np.flatnonzero(inside):
            branch = self.branches[place]
            others = {n: slope for n, slope in branch.slopes.items() if n != name}
            rest = cutoff - branch.base - branch.slopes[name] * value
            total += branch.weight * _reached(others, rest)
        share = sum(self.branches[place].weight for place in np.flatnonzero(inside))
        return float(share * np.var(total / share))

    def _cutoff(self, quantile: float) -> float:
        def below(loss: float) -> float:
            return sum(b.weight * float(_reached(b.slopes, loss - b.base)) for b in self.branches)

        if self.levels is not None:
            steps = [level / self.levels for level in range(20 * self.levels)]
            return next(step for step in steps if below(step) >= quantile)
        low, high = -100.0, 100.0
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if below(middle) < quantile else (low, middle)
        return high


def _reached(slopes: Mapping[str, float], loss: Array) -> Array:
    """Return the chance that uniform values times slopes sum to at most a loss, exactly."""
    sizes = list(slopes.values())
    if not sizes:
        return np.asarray(np.asarray(loss) >= 0, dtype=float)
    number, total = len(sizes), np.zeros(np.shape(loss))
    for count in range(number + 1):
        for chosen in combinations(sizes, count):
            total = total + (-1) ** count * np.maximum(loss - sum(chosen), 0.0) ** number
    return np.clip(total / (factorial(number) * prod(sizes)), 0.0, 1.0)


def _between(weights: Array, chance: Array, groups: list[list[int]]) -> float:
    shares = np.array([weights[group].sum() for group in groups])
    means = np.array([(weights[g] * chance[g]).sum() / weights[g].sum() for g in groups])
    mean = (shares * means).sum() / shares.sum()
    return float((shares * (means - mean) ** 2).sum())


@dataclass(frozen=True, eq=False)
class GridProblem:
    """A function of numbers; its truth comes from all points of a fine grid."""

    name: str
    bounds: Mapping[str, tuple[float, float]]
    function: Callable[..., Array]
    steps: int  # of the grid, for each number

    @cached_property
    def space(self) -> Space:
        """The search space."""
        return Space({name: Float(low, high) for name, (low, high) in self.bounds.items()})

    def sample(self, trials: int, *, seed: int) -> TrialTable:
        """Draw trials at random."""
        return condped.read(self.columns(trials, seed), objective="loss", space=self.space)

    def columns(self, trials: int, seed: int) -> dict[str, Any]:
        """Draw columns."""
        rng = np.random.default_rng(seed)
        columns = {n: rng.uniform(low, high, trials) for n, (low, high) in self.bounds.items()}
        return columns | {"loss": self.function(*columns.values())}

    @cached_property
    def _grid(self) -> Array:
        axes = [
            low + (high - low) * (np.arange(self.steps, dtype=np.float32) + 0.5) / self.steps
            for low, high in self.bounds.values()
        ]
        return self.function(*np.meshgrid(*axes, indexing="ij", sparse=True)).astype(np.float32)

    @lru_cache  # noqa: B019
    def truth(self, target_quantile: float) -> dict[str, float]:
        """Return the importances of the grid."""
        rank = int(np.ceil(target_quantile * self._grid.size)) - 1
        hit = self._grid <= np.partition(self._grid, rank, axis=None)[rank]
        every = range(self._grid.ndim)
        found = [np.var(hit.mean(axis=tuple(a for a in every if a != axis))) for axis in every]
        return {n: float(v / sum(found)) for n, v in zip(self.bounds, found, strict=True)}


def _branin(x: Array, y: Array) -> Array:
    a = y - 5.1 / (4 * np.pi**2) * x**2 + 5 / np.pi * x - 6
    return a**2 + 10 * (1 - 1 / (8 * np.pi)) * np.cos(x) + 10


def _ishigami(x: Array, y: Array, z: Array) -> Array:
    return np.sin(x) + 7 * np.sin(y) ** 2 + 0.1 * z**4 * np.sin(x)


_HARTMANN_A = ((10, 3, 17, 3.5, 1.7, 8), (0.05, 10, 17, 0.1, 8, 14),
               (3, 3.5, 1.7, 10, 17, 8), (17, 8, 0.05, 10, 0.1, 14))  # fmt: skip
_HARTMANN_P = (
    (1312, 1696, 5569, 124, 8283, 5886),
    (2329, 4135, 8307, 3736, 1004, 9991),
    (2348, 1451, 3522, 2883, 3047, 6650),
    (4047, 8828, 8732, 5743, 1091, 381),
)


def _hartmann(*x: Array) -> Array:
    total: Array = 0.0
    for alpha, a, p in zip((1.0, 1.2, 3.0, 3.2), _HARTMANN_A, _HARTMANN_P, strict=True):
        # One factor for each number: on a grid these are short rows.
        factors = [np.exp(-a[i] * (x[i] - p[i] / 1e4) ** 2) for i in range(6)]
        total = total - alpha * prod(factors[:3]) * prod(factors[3:])
    return total


def _crossed(a: Array, b: Array, c: Array, d: Array) -> Array:
    return (a - 0.5) * (b - 0.5) + 0.5 * (c - 0.5) * (d - 0.5)


def _nested() -> AdditiveProblem:
    choose: dict[str, Any] = {
        "model": Categorical(["p", "q"]),
        "kernel": when("model == 'p'", Categorical(["r", "s", "t"])),
        "order": when("kernel == 's'", Categorical(["v", "w"])),
        "u": when("model == 'p'", Float(0, 1)),
        "y": when("order == 'v'", Float(0, 1)),
        "z": when("model == 'q'", Float(0, 1)),
    }
    s = {"model": "p", "kernel": "s"}
    return AdditiveProblem(
        "three levels", choose,
        (
            Branch(1 / 2, {"model": "q"}, 0.5, {"z": 1.0}),
            Branch(1 / 6, {"model": "p", "kernel": "r"}, 1.0, {"u": 1.0}),
            Branch(1 / 6, {"model": "p", "kernel": "t"}, 0.6, {"u": 1.0}),
            Branch(1 / 12, s | {"order": "w"}, 0.3, {"u": 1.0}),
            Branch(1 / 12, s | {"order": "v"}, 0.0, {"u": 1.0, "y": 0.7}),
        ),
    )  # fmt: skip


def _overlapping() -> AdditiveProblem:
    branches = []
    for a, b in product((0, 1), ("k", "l", "m")):
        slopes = {"x": 0.6}
        if a == 1 or b == "m":
            slopes["s"] = 1.0
        if a == 0:
            slopes["t"] = 0.5
        base = {"k": 0.5, "l": 0.8, "m": 0.0}[b] + 0.3 * a
        branches.append(Branch(1 / 6, {"a": a, "b": b}, base, slopes))
    choose: dict[str, Any] = {
        "a": Int(0, 1),
        "b": Categorical(["k", "l", "m"]),
        "x": Float(0, 1),
        "s": when("a == 1 or b == 'm'", Float(0, 1)),
        "t": when("a == 0", Float(0, 1)),
    }
    return AdditiveProblem("overlapping switches", choose, tuple(branches))


def _integers() -> AdditiveProblem:
    branches = tuple(
        Branch(1 / 140, {"i": i, "j": j, "k": k}, (i - 1) ** 2 + 0.8 * (j - 2) ** 2 + 0.5 * k,
               {"x": 1.5})
        for i, j, k in product(range(5), range(4), range(7))
    )  # fmt: skip
    domains = {"i": Int(0, 4), "j": Int(0, 3), "k": Int(0, 6), "x": Float(0, 1)}
    return AdditiveProblem("few-level integers", domains, branches)


def _sum(name: str, slopes: dict[str, float], levels: int | None = None) -> AdditiveProblem:
    domains = {n: Float(0, 1) for n in slopes if n != NOISE}
    return AdditiveProblem(name, domains, (Branch(1.0, {}, 0.0, slopes),), levels)


ExactProblem: TypeAlias = AdditiveProblem | GridProblem
FAMILIES: tuple[ExactProblem, ...] = (
    _nested(),
    _overlapping(),
    GridProblem("Branin", {"x1": (-5.0, 10.0), "x2": (0.0, 15.0)}, _branin, 3000),
    GridProblem(
        "Ishigami", dict.fromkeys(("x1", "x2", "x3"), (-np.pi, np.pi)), _ishigami, 240
    ),
    GridProblem("Hartmann6", {f"x{i}": (0.0, 1.0) for i in range(1, 7)}, _hartmann, 18),
    GridProblem("interaction only", dict.fromkeys("abcd", (0.0, 1.0)), _crossed, 72),
    _integers(),
    _sum("20 tied levels", {"x": 0.6, "y": 0.3, "z": 0.1}, levels=20),
    _sum("noise", {"x": 0.5, "y": 0.3, "z": 0.15, NOISE: 1.0}),
)  # fmt: skip


def sampled_truth(
    problem: ExactProblem, quantiles: tuple[float, ...], trials: int, bins: int = 1000
) -> dict[float, dict[str, float]]:
    """Return the importances of many random trials in equal bins: a check of the exact ones.

    The scatter of the shares of hits in bins by chance is subtracted.
    """
    columns = problem.columns(trials, seed=1)
    loss = columns.pop("loss")
    found = {}
    for quantile in quantiles:
        rank = int(np.ceil(quantile * trials)) - 1
        hit = loss <= np.partition(loss, rank)[rank]
        within = {name: _explained(values, hit, bins) for name, values in columns.items()}
        total = sum(within.values())
        found[quantile] = {name: value / total for name, value in within.items()}
    return found


def _explained(values: Array, hit: Array, bins: int) -> float:
    if values.dtype == object:
        present = values != None  # noqa: E711
        _, place = np.unique(values[present].astype(str), return_inverse=True)
    else:
        present = ~np.isnan(values)
        low, high = values[present].min(), values[present].max()
        place = np.minimum((values[present] - low) / (high - low) * bins, bins - 1).astype(int)
    trials = np.bincount(place)
    share = np.bincount(place, weights=hit[present]) / trials
    mean = hit[present].mean()
    chance = mean * (1 - mean) * (len(trials) - 1)
    return float(((trials * (share - mean) ** 2).sum() - chance) / len(values))


def main() -> None:
    """Print the largest difference between exact and sampled importances of each family."""
    quantiles = (0.05, 0.1, 0.25)
    for problem in FAMILIES:
        start = time.perf_counter()
        exact = {quantile: problem.truth(quantile) for quantile in quantiles}
        took = time.perf_counter() - start
        sampled = sampled_truth(problem, quantiles, 10_000_000)
        worst = max(abs(exact[q][n] - sampled[q][n]) for q in quantiles for n in exact[q])
        told = ", ".join(f"{name} {value:.3f}" for name, value in exact[0.1].items())
        print(f"{problem.name}: {told}; within {worst:.4f} of 10^7 trials; {took:.1f} s")


if __name__ == "__main__":
    main()
