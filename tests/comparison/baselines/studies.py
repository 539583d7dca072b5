"""Optuna studies with and without conditions, and what people do to them by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import FrozenTrial, create_trial

Direction = Literal["minimize", "maximize"]
Drawn = tuple[BaseDistribution, Any]


def mixed_study(trials: int, seed: int, direction: Direction = "minimize") -> optuna.Study:
    """Return a study in which every kind of parameter is present in all trials."""
    rng = np.random.default_rng(seed)
    study = optuna.create_study(direction=direction)
    learner = CategoricalDistribution(["svm", "net", None, 2.5])
    for _ in range(trials):
        rate, depth = math.exp(rng.uniform(math.log(1e-4), 0)), int(rng.integers(1, 9))
        width, choice = int(rng.integers(0, 5)) * 3, learner.choices[rng.integers(4)]
        share = float(rng.integers(0, 5)) * 0.25
        units = int(math.exp(rng.uniform(math.log(4), math.log(512))))
        x = float(rng.uniform(-3, 2))
        loss = abs(math.log10(rate) + 2) + x**2 / 4 + share * (choice == "net") + 0.1 * depth
        drawn: Mapping[str, Drawn] = {
            "rate": (FloatDistribution(1e-4, 1, log=True), rate),
            "x": (FloatDistribution(-3, 2), x),
            "share": (FloatDistribution(0, 1, step=0.25), share),
            "depth": (IntDistribution(1, 8), depth),
            "units": (IntDistribution(4, 512, log=True), units),
            "Width": (IntDistribution(0, 12, step=3), width),
            "learner": (learner, choice),
            "fixed": (FloatDistribution(7, 7), 7.0),
            "only": (CategoricalDistribution(["this"]), "this"),
        }
        study.add_trial(_trial(drawn, loss))
    return study


def conditional_study(trials: int, seed: int, direction: Direction = "minimize") -> optuna.Study:
    """Return a study whose parameters come and go; the domains that they have do not change."""
    rng = np.random.default_rng(seed)
    study = optuna.create_study(direction=direction)
    learners = ["svm", "net", "tree"]
    learner = CategoricalDistribution(learners)
    for _ in range(trials):
        name = str(rng.choice(learners))
        drawn: dict[str, Drawn] = {"learner": (learner, name)}
        size = float(rng.uniform(0.1, 1))
        drawn["size"] = (FloatDistribution(0.1, 1), size)
        if name == "svm":
            cost = math.exp(rng.uniform(math.log(1e-3), math.log(1e2)))
            drawn["C"] = (FloatDistribution(1e-3, 1e2, log=True), cost)
            kernel = str(rng.choice(["rbf", "linear"]))
            drawn["kernel"] = (CategoricalDistribution(["rbf", "linear"]), kernel)
            loss = abs(math.log10(cost)) + 0.5 * (kernel == "rbf")
        elif name == "net":
            layers, units = int(rng.integers(1, 7)), int(rng.integers(2, 65))
            drawn["layers"] = (IntDistribution(1, 6), layers)
            drawn["units"] = (IntDistribution(2, 64, log=True), units)
            drawn["drop"] = (FloatDistribution(0, 0.9, step=0.3), 0.3 * int(rng.integers(0, 4)))
            loss = 2 / layers + math.log2(units) / 6
        else:
            depth = 2 + 3 * int(rng.integers(0, 5))
            drawn["depth"] = (IntDistribution(2, 14, step=3), depth)
            loss = 1.5 + depth / 20
        study.add_trial(_trial(drawn, loss - size))
    return study


def domains_of(study: optuna.Study) -> dict[str, BaseDistribution]:
    """Return the one domain of each parameter."""
    return {name: d for trial in study.trials for name, d in trial.distributions.items()}


def imputed_by_hand(study: optuna.Study, values: Mapping[str, Any]) -> optuna.Study:
    """Return the study with these values where a parameter is absent."""
    filled = optuna.create_study(direction=study.direction)
    domains = domains_of(study)
    for trial in study.trials:
        assert trial.value is not None
        drawn = {n: (d, trial.params.get(n, values.get(n))) for n, d in domains.items()}
        filled.add_trial(_trial(drawn, trial.value))
    return filled


def filtered_by_hand(study: optuna.Study, name: str) -> optuna.Study:
    """Return the study with those trials only in which a parameter is present."""
    kept = optuna.create_study(direction=study.direction)
    kept.add_trials([trial for trial in study.trials if name in trial.params])
    return kept


def _trial(drawn: Mapping[str, Drawn], value: float) -> FrozenTrial:
    return create_trial(
        value=value,
        params={name: value for name, (_, value) in drawn.items()},
        distributions={name: domain for name, (domain, _) in drawn.items()},
    )
