"""Problems whose gates select which parameter's value is the loss."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from condped.arrays import FloatArray, IntArray
from condped.estimate.settings import check_target
from condped.problems.truth import Truth, branch_shares, spread, without_shares
from condped.read import read
from condped.space.domain import Float
from condped.space.space import Space, when
from condped.trials.table import TrialTable


@dataclass(frozen=True, slots=True)
class Leaf:
    """A branch: the loss is this parameter's value, uniform between low and high."""

    name: str
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Gate:
    """A parameter, uniform between 0 and 1, whose value chooses a branch by the cuts."""

    name: str
    cuts: tuple[float, ...]
    branches: tuple[Node, ...]

    def condition(self, branch: int) -> str:
        """Return the condition on which a branch is chosen."""
        edges = (None, *self.cuts, None)
        low, high = edges[branch], edges[branch + 1]
        if low is None:
            return f"{self.name} < {high!r}"
        return f"{self.name} >= {low!r}" if high is None else f"{low!r} <= {self.name} < {high!r}"


Node: TypeAlias = Gate | Leaf


@dataclass(frozen=True, slots=True)
class _Path:
    """A leaf and the gates above it."""

    leaf: Leaf
    turns: tuple[tuple[Gate, int], ...]
    weight: float


@dataclass(frozen=True)
class BranchingProblem:
    """Minimise the value of whichever leaf the gates choose."""

    name: str
    description: str
    root: Gate

    @cached_property
    def paths(self) -> tuple[_Path, ...]:
        """All leaves with the paths to them."""
        return tuple(_paths(self.root, (), 1.0))

    @cached_property
    def space(self) -> Space:
        """The search space, with its conditions."""
        domains: dict[str, list[Any]] = {}
        for path in self.paths:
            so_far: list[str] = []
            for gate, branch in path.turns:
                domains.setdefault(gate.name, [_domain(Float(0, 1), so_far)])
                so_far.append(gate.condition(branch))
            leaf = path.leaf
            domains.setdefault(leaf.name, []).append(_domain(Float(leaf.low, leaf.high), so_far))
        return Space(domains)

    def sample(self, trials: int, *, seed: int) -> TrialTable:
        """Draw trials uniformly from the space."""
        rng = np.random.default_rng(seed)
        columns = {name: np.full(trials, np.nan) for name in ("loss", *self.space)}
        _draw(self.root, np.arange(trials), columns, rng)
        return read(columns, objective="loss", space=self.space)

    def objective(self, trial: Any) -> float:
        """Evaluate one trial of Optuna or anything else with ``suggest_float``."""
        node: Node = self.root
        while isinstance(node, Gate):
            value = trial.suggest_float(node.name, 0, 1)
            node = node.branches[int(np.searchsorted(node.cuts, value, side="right"))]
        return float(trial.suggest_float(node.name, node.low, node.high))

    def truth(self, target_quantile: float = 0.1, region_quantile: float = 1.0) -> Truth:
        """Return the exact importances for γ' and γ."""
        check_target(target_quantile, region_quantile)
        lows = np.array([path.leaf.low for path in self.paths])
        highs = np.array([path.leaf.high for path in self.paths])
        weights = np.array([path.weight for path in self.paths])

        def cdf(t: float) -> FloatArray:
            return np.asarray(np.clip((t - lows) / (highs - lows), 0.0, 1.0))

        # The loss's distribution is piecewise linear between the leaves' bounds.
        bounds = np.unique(np.concatenate([lows, highs]))
        reached = [float(weights @ cdf(bound)) for bound in bounds]
        t_target, t_region = np.interp([target_quantile, region_quantile], reached, bounds)
        share, chance = branch_shares(weights, cdf, t_target, t_region)
        names = tuple(self.space)
        terms = [self._terms(name, share, chance) for name in names]
        return Truth(
            names=names,
            within=np.array([sum(term for term, _ in parameter) for parameter in terms]),
            inter=np.array([spread(share, chance, self._regimes(name)) for name in names]),
            unweighted=np.array(
                [
                    sum(without_shares(term, share, chance, leaves) for term, leaves in parameter)
                    for parameter in terms
                ]
            ),
            kappa=target_quantile / region_quantile,
        )

    def _terms(
        self, name: str, share: FloatArray, chance: FloatArray
    ) -> list[tuple[float, list[int]]]:
        """Return what each active regime adds to the variance, and which leaves it holds."""
        turns: dict[int, list[int]] = {}
        for place, path in enumerate(self.paths):
            for gate, branch in path.turns:
                if gate.name == name:
                    turns.setdefault(branch, []).append(place)
        if turns:
            below = [place for places in turns.values() for place in places]
            return [(spread(share, chance, list(turns.values())), below)]
        # Inside a leaf its value alone decides: a Bernoulli variable of chance q.
        domains: dict[tuple[float, float], list[int]] = {}
        for place, path in enumerate(self.paths):
            if path.leaf.name == name:
                domains.setdefault((path.leaf.low, path.leaf.high), []).append(place)
        return [
            (float((share[leaves] * chance[leaves] * (1 - chance[leaves])).sum()), leaves)
            for leaves in domains.values()
        ]

    def _regimes(self, name: str) -> list[list[int]]:
        """Return which leaves share a regime of the parameter: a domain, or absence."""
        regimes: dict[object, list[int]] = {}
        for place, path in enumerate(self.paths):
            if path.leaf.name == name:
                regime: object = (path.leaf.low, path.leaf.high)
            else:
                regime = any(gate.name == name for gate, _ in path.turns)
            regimes.setdefault(regime, []).append(place)
        return list(regimes.values())


def _domain(domain: Float, conditions: list[str]) -> Any:
    return when(" and ".join(conditions), domain) if conditions else domain


def _paths(node: Node, turns: tuple[tuple[Gate, int], ...], weight: float) -> Iterator[_Path]:
    if isinstance(node, Leaf):
        yield _Path(node, turns, weight)
        return
    widths = np.diff([0.0, *node.cuts, 1.0])
    for place, (branch, width) in enumerate(zip(node.branches, widths, strict=True)):
        yield from _paths(branch, (*turns, (node, place)), weight * float(width))


def _draw(
    node: Node, rows: IntArray, columns: dict[str, FloatArray], rng: np.random.Generator
) -> None:
    if isinstance(node, Leaf):
        columns[node.name][rows] = columns["loss"][rows] = rng.uniform(
            node.low, node.high, len(rows)
        )
        return
    values = columns[node.name][rows] = rng.random(len(rows))
    chosen = np.searchsorted(node.cuts, values, side="right")
    for place, branch in enumerate(node.branches):
        _draw(branch, rows[chosen == place], columns, rng)
