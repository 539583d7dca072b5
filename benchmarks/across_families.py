"""Families of studies whose exact truth is known, for benchmarks.across.

A family has members: problems that differ in one number, on nine steps from low to high. The middle
one is what studies that are alike have in common; an odd study is a member far away.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from statistics import NormalDist
from typing import Any, TypeAlias

import numpy as np

import condped
from benchmarks.exact_problems import NOISE, AdditiveProblem, Branch
from benchmarks.statistics_problems import idle_parameters
from condped import Categorical, Float, TrialTable, when
from condped.problems.branching import BranchingProblem, Gate, Leaf

Problem: TypeAlias = BranchingProblem | AdditiveProblem
# Members are at the middles of nine equally likely parts of a normal distribution.
PLACES = tuple(NormalDist().inv_cdf((place + 0.5) / 9) for place in range(9))
MIDDLE = 4
IDLE = 2  # parameters that do nothing
LARGE = 40_000  # trials, for the limit of the paper's estimator


@dataclass(frozen=True)
class Family:
    """Problems that differ in one number.

    Attributes
    ----------
    make
        The problem at a place, in standard deviations from the middle.
    odd
        The place of an odd study.
    moving
        The parameters that differ between members.
    """

    name: str
    what: str
    make: Callable[[float], Problem]
    odd: float
    moving: tuple[str, ...]

    def place(self, member: int | str) -> float:
        """Return where a member is: one of nine, or the odd one."""
        return self.odd if isinstance(member, str) else PLACES[member]

    def sample(
        self, member: int | str, trials: int, seed: int, *, wide: bool = False
    ) -> TrialTable:
        """Return random trials of a member, and parameters that do nothing.

        ``wide``: in other units, so that all domains of numbers differ and no effect does.
        """
        table = _problem(self, self.place(member)).sample(trials, seed=seed)
        if wide:
            table = replace(table, parameters=tuple(_scaled(one) for one in table.parameters))
        return replace(table, parameters=(*table.parameters, *idle_parameters(trials, IDLE, seed)))

    def objective(self, member: int | str, seed: int) -> Callable[[Any], float]:
        """Return a member as an objective for Optuna, with the parameters that do nothing."""
        problem, rng = _problem(self, self.place(member)), np.random.default_rng(seed)

        def objective(trial: Any) -> float:
            trial.suggest_float("idle0", 0, 1)
            trial.suggest_int("idle1", 0, 8)
            if isinstance(problem, BranchingProblem):
                return problem.objective(trial)
            return _suggested(problem, trial, rng.random())

        return objective

    @cache  # noqa: B019
    def explained(self, member: int | str, quantile: float = 0.1) -> Mapping[str, float]:
        """Return the exact share of reaching the target set that each parameter explains."""
        problem = _problem(self, self.place(member))
        if isinstance(problem, BranchingProblem):
            found = dict(problem.truth(quantile).eta_squared)
        else:
            unit = quantile * (1 - quantile)
            found = {name: own / unit for name, own in problem.variances(quantile).items()}
        return found | {f"idle{number}": 0.0 for number in range(IDLE)}

    @cache  # noqa: B019
    def importance(self, member: int | str, method: str, quantile: float = 0.1) -> dict[str, float]:
        """Return exact importances, or what the paper's estimator makes of very many trials."""
        if method == "calibrated":
            explained = self.explained(member, quantile)
            return {name: own / sum(explained.values()) for name, own in explained.items()}
        table = self.sample(member, LARGE, seed=1)
        return condped.importance(table, target_quantile=quantile).to_dict()


@cache
def _problem(family: Family, place: float) -> Problem:
    return family.make(place)


def _suggested(problem: AdditiveProblem, trial: Any, noise: float) -> float:
    """Evaluate one trial; branches are equally likely."""
    chosen = {
        name: trial.suggest_categorical(name, list(domain.choices))
        for name, domain in problem.domains.items()
        if isinstance(domain, Categorical)
    }
    branch = next(one for one in problem.branches if dict(one.chosen) == chosen)
    values = {
        name: noise if name == NOISE else trial.suggest_float(name, 0, 1) for name in branch.slopes
    }
    return branch.base + sum(slope * values[name] for name, slope in branch.slopes.items())


def _scaled(parameter: Any) -> Any:
    if any(isinstance(domain, Categorical) for domain in parameter.domains):
        return parameter
    domains = tuple(Float(3 * one.low - 1, 3 * one.high - 1) for one in parameter.domains)
    return replace(parameter, values=3 * parameter.values - 1, domains=domains)


def _branches(place: float) -> BranchingProblem:
    """Two branches; the better the second one is, the less the first decides alone."""
    return BranchingProblem(
        "branches", "",
        Gate("c", (0.4,), (Leaf("x", -3, 3), Leaf("y", -2.2 - 0.35 * place, 4))),
    )  # fmt: skip


def _sum(place: float) -> AdditiveProblem:
    """Three numbers and noise; one gains what another loses."""
    slopes = {"u": 0.6 + 0.08 * place, "v": 0.45 - 0.08 * place, "w": 0.2, NOISE: 0.5}
    domains = {name: Float(0, 1) for name in "uvw"}
    return AdditiveProblem("sum", domains, (Branch(1.0, {}, 0.0, slopes),))


def _models(place: float) -> AdditiveProblem:
    """Two models with a number each, and a choice that counts for both."""
    return _two_models(0.15, 0.6 + 0.12 * place)


def _winners(place: float) -> AdditiveProblem:
    """Two models, the first better in the middle and the second far away."""
    return _two_models(0.3 - 0.1 * place, 0.6)


def _twins(place: float) -> AdditiveProblem:
    """Two models that are exactly alike: which of them a sampler settles on is luck."""
    return _two_models(0.0, 0.6 + 0.12 * place)


def _two_models(second: float, rate: float) -> AdditiveProblem:
    domains: dict[str, Any] = {
        "model": Categorical(["p", "q"]),
        "size": Categorical(["s", "m", "l"]),
        "a": when("model == 'p'", Float(0, 1)),
        "b": when("model == 'q'", Float(0, 1)),
        "rate": Float(0, 1),
    }
    bases = {"p": 0.0, "q": second}
    sizes = {"s": 0.0, "m": 0.25, "l": 0.5}
    branches = tuple(
        Branch(1 / 6, {"model": model, "size": size}, bases[model] + sizes[size],
               {("a" if model == "p" else "b"): 0.8, "rate": rate})
        for model in bases
        for size in sizes
    )  # fmt: skip
    return AdditiveProblem("models", domains, branches)


FAMILIES = (
    Family("branches", "a gate chooses one of two numbers", _branches, 4.5, ("c", "x", "y")),
    Family("sum", "three numbers and noise", _sum, -6.5, ("u", "v")),
    Family("models", "two models with a number each, a choice and a number for both", _models,
           -4.0, ("a", "b", "size", "rate")),
)  # fmt: skip
# Of these, pairs of studies only: does another branch win than before?
WINNERS = Family("winners", "models, of which another one wins", _winners, 6.0, ())
TWINS = Family("twins", "models that are exactly alike", _twins, -4.0, ())
