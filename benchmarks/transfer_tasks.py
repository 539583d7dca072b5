"""Families of studies to try transfer on: one problem whose optimum differs from study to study.

Synthetic families are formulas in conditional spaces, all minimised, with the lowest value 0. Their
optimum moves a little, moves much, or is in another branch (in another region where there is no
branch) in the new study than in all past ones. Tables are YAHPO Gym's, one study per data set.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from benchmarks.advice_tasks import YAHPO, tasks

Movement: TypeAlias = Literal["little", "much", "jump"]
MOVEMENTS: tuple[Movement, ...] = ("little", "much", "jump")
_SPREAD = {"little": 0.04, "much": 0.15, "jump": 0.04}  # of the domain: standard deviation
# Any: formulas are not type-checked for what a trial suggests.
Objective: TypeAlias = Callable[[Any], Any]


class Drawn:
    """Takes suggestions as a trial of Optuna does, drawn at random, without a study."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self.params: dict[str, Any] = {}
        self.distributions: dict[str, BaseDistribution] = {}

    def _suggest(self, name: str, distribution: BaseDistribution) -> Any:
        self.distributions[name] = distribution
        if isinstance(distribution, CategoricalDistribution):
            value = distribution.choices[int(self._rng.integers(len(distribution.choices)))]
        else:
            assert isinstance(distribution, FloatDistribution | IntDistribution)
            half = 0.5 if isinstance(distribution, IntDistribution) else 0.0
            low, high = distribution.low - half, distribution.high + half
            if distribution.log:
                value = math.exp(self._rng.uniform(math.log(low), math.log(high)))
            else:
                value = float(self._rng.uniform(low, high))
            if half:
                value = int(min(max(round(value), distribution.low), distribution.high))
        self.params[name] = value
        return value

    def suggest_float(self, name: str, low: float, high: float, *, log: bool = False) -> float:
        """Return a number."""
        return float(self._suggest(name, FloatDistribution(low, high, log=log)))

    def suggest_int(self, name: str, low: int, high: int, *, log: bool = False) -> int:
        """Return a whole number."""
        return int(self._suggest(name, IntDistribution(low, high, log=log)))

    def suggest_categorical(self, name: str, choices: list[Any]) -> Any:
        """Return a choice."""
        return self._suggest(name, CategoricalDistribution(choices))


def random_study(objective: Objective, trials: int, seed: int) -> optuna.Study:
    """Return a study of random draws."""
    rng = np.random.default_rng(seed)
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=seed))
    found = []
    for _ in range(trials):
        drawn = Drawn(rng)
        value = objective(drawn)
        found.append(
            optuna.trial.create_trial(
                params=drawn.params, distributions=drawn.distributions, value=value
            )
        )
    study.add_trials(found)
    return study


@dataclass(frozen=True)
class Instance:
    """One study's problem: its objective, and the lowest value with its location."""

    objective: Objective
    lowest: float
    optimum: dict[str, Any]


@dataclass(frozen=True)
class Family:
    """Problems that belong together."""

    name: str
    what: str
    instance: Callable[[np.random.Generator, float, bool], Instance]


def _moved(rng: np.random.Generator, middle: float, spread: float) -> float:
    return float(np.clip(middle + spread * rng.standard_normal(), 0.02, 0.98))


def _rates(rng: np.random.Generator, spread: float, jump: bool) -> Instance:
    rate, decay, momentum = (_moved(rng, 0.8 if jump else m, spread) for m in (0.35, 0.6, 0.3))
    depth = _moved(rng, 0.85 if jump else 0.4, spread)

    def objective(trial: Any) -> Any:
        own = (math.log10(trial.suggest_float("rate", 1e-5, 1.0, log=True)) + 5) / 5
        other = (math.log10(trial.suggest_float("decay", 1e-6, 1e-1, log=True)) + 6) / 5
        third = trial.suggest_float("momentum", 0.0, 0.99) / 0.99
        deep = (trial.suggest_int("depth", 1, 21) - 1) / 20
        for place in range(2):
            trial.suggest_float(f"idle_{place}", 0.0, 1.0)
        return (
            4 * (own - rate) ** 2
            + (other - decay) ** 2
            + (third - momentum) ** 2
            + 0.5 * (deep - round(20 * depth) / 20) ** 2
        )

    best = {
        "rate": 10 ** (5 * rate - 5), "decay": 10 ** (5 * decay - 6), "momentum": 0.99 * momentum,
        "depth": round(20 * depth) + 1,
    }  # fmt: skip
    return Instance(objective, 0.0, best)


def _models(rng: np.random.Generator, spread: float, jump: bool) -> Instance:
    rate, width = _moved(rng, 0.6, spread), _moved(rng, 0.5, spread)
    leaf, share = _moved(rng, 0.2, spread), _moved(rng, 0.7, spread)
    net, forest = (0.3, 0.0) if jump else (0.0, 0.3)

    def objective(trial: Any) -> Any:
        model = trial.suggest_categorical("model", ["linear", "net", "forest", "knn"])
        trial.suggest_float("idle", 0.0, 1.0)
        if model == "net":
            own = (math.log10(trial.suggest_float("rate", 1e-5, 1.0, log=True)) + 5) / 5
            wide = math.log2(trial.suggest_float("width", 8.0, 512.0, log=True) / 8) / 6
            drop = trial.suggest_float("dropout", 0.0, 0.8) / 0.8
            return net + 2 * (own - rate) ** 2 + (wide - width) ** 2 + 0.5 * (drop - 0.25) ** 2
        if model == "forest":
            own = (trial.suggest_int("leaf", 1, 51) - 1) / 50
            part = trial.suggest_float("features", 0.1, 1.0)
            depth = trial.suggest_float("max_depth", 2.0, 32.0, log=True)
            return (
                forest
                + 2 * (own - round(50 * leaf) / 50) ** 2
                + ((part - 0.1) / 0.9 - share) ** 2
                + 0.5 * (math.log2(depth / 2) / 4 - 0.75) ** 2
            )
        if model == "linear":
            return 0.6 + (math.log10(trial.suggest_float("penalty", 1e-4, 1e2, log=True)) / 6) ** 2
        return 0.7 + (trial.suggest_int("neighbours", 1, 30) / 30 - 0.3) ** 2

    best: dict[str, Any] = {
        "model": "net", "rate": 10 ** (5 * rate - 5), "width": 8 * 2 ** (6 * width), "dropout": 0.2
    }  # fmt: skip
    if jump:
        best = {
            "model": "forest", "leaf": round(50 * leaf) + 1, "features": 0.1 + 0.9 * share,
            "max_depth": 16.0,
        }  # fmt: skip
    return Instance(objective, 0.0, best)


def _nested(rng: np.random.Generator, spread: float, jump: bool) -> Instance:
    x, y, z = (_moved(rng, middle, spread) for middle in (0.3, 0.6, 0.5))
    gate = _moved(rng, 0.3, spread)
    first, last = (0.4, 0.0) if jump else (0.0, 0.4)

    def objective(trial: Any) -> Any:
        trial.suggest_float("idle", 0.0, 1.0)
        outer = trial.suggest_float("outer", 0.0, 1.0)
        if outer >= 0.7:
            own = (trial.suggest_float("z", 2.0, 5.0) - 2) / 3
            more = trial.suggest_float("w", 0.0, 1.0)
            return last + (own - z) ** 2 + (more - 0.4) ** 2 + (outer - 0.85) ** 2
        inner = trial.suggest_float("inner", 0.0, 1.0)
        if inner < 0.5:
            own = (trial.suggest_float("x", -7.0, -4.0) + 7) / 3
            more = trial.suggest_float("v", 0.0, 1.0)
            return first + (own - x) ** 2 + (more - 0.6) ** 2 + (outer - gate) ** 2
        return 0.2 + first + ((trial.suggest_float("y", -3.0, 0.0) + 3) / 3 - y) ** 2

    best = {"outer": gate, "inner": 0.25, "x": 3 * x - 7, "v": 0.6}
    if jump:
        best = {"outer": 0.85, "z": 2 + 3 * z, "w": 0.4}
    return Instance(objective, 0.0, best)


def _regimes(rng: np.random.Generator, spread: float, jump: bool) -> Instance:
    x, y, u = (_moved(rng, middle, spread) for middle in (0.65, 0.7, 0.4))
    worse, good = ("steep", "flat") if jump else ("flat", "steep")

    def objective(trial: Any) -> Any:
        kernel = trial.suggest_categorical("kernel", ["flat", "steep", "round"])
        low, high = {"flat": (0.0, 2.0), "steep": (5.0, 25.0), "round": (30.0, 31.0)}[kernel]
        own = (trial.suggest_float("x", low, high) - low) / (high - low)
        other, third = trial.suggest_float("y", 0.0, 1.0), trial.suggest_float("u", 0.0, 1.0)
        trial.suggest_float("idle", 0.0, 1.0)
        base = {worse: 0.25, good: 0.0, "round": 0.6}[kernel]
        place = x if kernel == "steep" else 1 - x
        return base + (own - place) ** 2 + (other - y) ** 2 + 0.5 * (third - u) ** 2

    best = {"kernel": good, "x": 2 * (1 - x) if jump else 5 + 20 * x, "y": y, "u": u}
    return Instance(objective, 0.0, best)


_COSTS = {
    "optimizer": {"adam": 0.0, "rmsprop": 0.1, "lion": 0.25, "sgd": 0.35},
    "activation": {"relu": 0.0, "gelu": 0.05, "tanh": 0.25},
    "schedule": {"cosine": 0.0, "step": 0.1, "none": 0.3},
}


def _choices(rng: np.random.Generator, spread: float, jump: bool) -> Instance:
    rate, decay = _moved(rng, 0.4, spread), _moved(rng, 0.5, spread)
    costs = {
        # With every movement the costs differ a bit; a jump reverses them.
        name: {
            choice: (max(own.values()) - cost if jump else cost) + spread * abs(rng.normal())
            for choice, cost in own.items()
        }
        for name, own in _COSTS.items()
    }
    lowest = sum(min(own.values()) for own in costs.values())

    def objective(trial: Any) -> Any:
        loss = sum(own[trial.suggest_categorical(name, list(own))] for name, own in costs.items())
        first = (math.log10(trial.suggest_float("rate", 1e-5, 1e-1, log=True)) + 5) / 4
        second = (math.log10(trial.suggest_float("decay", 1e-6, 1e-2, log=True)) + 6) / 4
        trial.suggest_float("idle", 0.0, 1.0)
        return float(loss - lowest + 2 * (first - rate) ** 2 + (second - decay) ** 2)

    best: dict[str, Any] = {name: min(own, key=own.__getitem__) for name, own in costs.items()}
    best |= {"rate": 10 ** (4 * rate - 5), "decay": 10 ** (4 * decay - 6)}
    return Instance(objective, 0.0, best)


FAMILIES = (
    Family("rates", "four numbers on several scales and two idle ones", _rates),
    Family("models", "conditional: a choice of four models", _models),
    Family("nested", "conditional: numeric gates inside gates", _nested),
    Family("regimes", "conditional: a domain that depends on a choice", _regimes),
    Family("choices", "three lists of choices and two rates", _choices),
)


def spread_of(movement: Movement) -> float:
    """Return by how much of a domain the optimum moves."""
    return _SPREAD[movement]


def tables(folder: Path = YAHPO) -> Iterator[tuple[str, list[str]]]:
    """Yield each of YAHPO Gym's tables with those of the other data sets of its scenario."""
    names = [name for name in tasks(folder) if (folder / f"{name}.parquet").exists()]
    for name in names:
        scenario = name.rsplit("_", 1)[0]
        yield name, [other for other in names if other != name and other.startswith(scenario)]
