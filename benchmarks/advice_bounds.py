"""Studies whose optimum lies inside the domains, or beyond a bound: when advice says widen.

Every objective also has parameters that do nothing. Studies are drawn by Optuna's random search and
by TPE with default settings.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import optuna

Objective = Callable[[optuna.Trial], float]


@dataclass(frozen=True)
class Bounds:
    """An objective, and the bounds that its optimum lies beyond."""

    what: str
    objective: Objective
    beyond: tuple[tuple[str, str], ...] = ()  # parameter and "low" or "high"; none: inside
    counted: bool = True  # whether the right answer is clear


def _unit(trial: optuna.Trial, *names: str) -> list[float]:
    return [trial.suggest_float(name, 0.0, 1.0) for name in names]


def _idle(trial: optuna.Trial) -> None:
    trial.suggest_float("idle", 0.0, 1.0)
    trial.suggest_int("idle_int", 1, 6)


def _bowl(at: float, rest: float = 0.4) -> Objective:
    def objective(trial: optuna.Trial) -> float:
        x, y, z = _unit(trial, "x", "y", "z")
        _idle(trial)
        return (x - at) ** 2 + (y - rest) ** 2 + (z - 0.6) ** 2

    return objective


def _plateau(trial: optuna.Trial) -> float:
    x, y, z = _unit(trial, "x", "y", "z")
    _idle(trial)
    return max(0.0, 0.6 - x) + (y - 0.4) ** 2 + (z - 0.6) ** 2


def _learning_rate(best: float) -> Objective:
    def objective(trial: optuna.Trial) -> float:
        rate = trial.suggest_float("rate", 1e-4, 1e-1, log=True)
        decay = trial.suggest_float("decay", 1e-6, 1e-2, log=True)
        width = trial.suggest_int("width", 16, 256, log=True)
        _idle(trial)
        return (
            (math.log10(rate / best) / 3) ** 2
            + (math.log10(decay / 1e-4) / 4) ** 2 / 2
            + (math.log2(width / 64) / 4) ** 2 / 2
        )

    return objective


def _layers(best: int, most: int) -> Objective:
    def objective(trial: optuna.Trial) -> float:
        layers = trial.suggest_int("layers", 1, most)
        (y, z) = _unit(trial, "y", "z")
        _idle(trial)
        return ((layers - best) / most) ** 2 + (y - 0.4) ** 2 + (z - 0.6) ** 2

    return objective


def _branches(at: float) -> Objective:
    def objective(trial: optuna.Trial) -> float:
        _idle(trial)
        if trial.suggest_categorical("model", ["a", "b"]) == "a":
            (x, y) = _unit(trial, "x", "y")
            return (x - at) ** 2 + (y - 0.5) ** 2
        (z,) = _unit(trial, "z")
        return 0.3 + (z - 0.5) ** 2

    return objective


def _noise(trial: optuna.Trial) -> float:
    _unit(trial, "x", "y", "z")
    _idle(trial)
    trial.suggest_categorical("choice", ["a", "b", "c"])
    # From the trial's number alone, so that every study has its own noise in a fixed order.
    return math.sin(1e4 * (trial.number + 1) ** 1.5)


def _valley(trial: optuna.Trial) -> float:
    """Two parameters that only matter together: their good values lie on a diagonal."""
    x, y, z = _unit(trial, "x", "y", "z")
    _idle(trial)
    return (x - y) ** 2 + (z - 0.6) ** 2


def _noisy(trial: optuna.Trial) -> float:
    loss = _bowl(0.6)(trial)
    return loss + 0.1 * math.sin(1e4 * (trial.number + 1) ** 1.5)


def _unordered(trial: optuna.Trial) -> float:
    # An int that stands for choices in no order.
    kind = trial.suggest_int("kind", 1, 6)
    (y, z) = _unit(trial, "y", "z")
    _idle(trial)
    return (0.5, 0.2, 0.6, 0.0, 0.4, 0.1)[kind - 1] + (y - 0.4) ** 2 + (z - 0.6) ** 2


def _saturating(trial: optuna.Trial) -> float:
    x, y, z = _unit(trial, "x", "y", "z")
    _idle(trial)
    return math.exp(-5 * x) + (y - 0.4) ** 2 + (z - 0.6) ** 2


def _branin(trial: optuna.Trial) -> float:
    x, y = trial.suggest_float("x", -5.0, 10.0), trial.suggest_float("y", 0.0, 15.0)
    _idle(trial)
    bent = (y - 5.1 / (4 * math.pi**2) * x**2 + 5 / math.pi * x - 6) ** 2
    return bent + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10


CASES: Mapping[str, Bounds] = {
    "middle": Bounds("a bowl, all optima well inside", _bowl(0.5)),
    "near, 20 %": Bounds("x has its optimum at 80 % of its domain", _bowl(0.8)),
    "near, 10 %": Bounds("x has its optimum at 90 % of its domain", _bowl(0.9)),
    "plateau": Bounds("x is as good as can be from 60 % of its domain on", _plateau),
    "learning rate": Bounds("log scales and a log int, all optima inside", _learning_rate(6e-3)),
    "few ints": Bounds("3 of {1..4} is best", _layers(3, 4)),
    "branches": Bounds("a choice of two models, optima inside", _branches(0.6)),
    "noise": Bounds("nothing matters", _noise),
    "valley": Bounds("good where x equals y", _valley),
    "noisy": Bounds("a bowl, with noise", _noisy),
    "unordered ints": Bounds("{1..6} in no order, 4 is best", _unordered),
    "branin": Bounds("Branin's function: optima at 4 % and 16 % of the domains", _branin),
    "near, 5 %": Bounds("x has its optimum at 95 % of its domain", _bowl(0.95), counted=False),
    "saturating": Bounds("x improves ever less towards 1", _saturating, counted=False),
    "beyond, 10 %": Bounds(
        "x has its optimum a tenth of its domain beyond", _bowl(1.1), (("x", "high"),)
    ),
    "beyond, 30 %": Bounds(
        "x has its optimum three tenths of its domain beyond", _bowl(1.3), (("x", "high"),)
    ),
    "two beyond": Bounds(
        "x and y have optima beyond, one above and one below",
        _bowl(1.3, rest=-0.3),
        (("x", "high"), ("y", "low")),
    ),
    "learning rate beyond": Bounds(
        "the best rate is four times the highest", _learning_rate(0.4), (("rate", "high"),)
    ),
    "ints beyond": Bounds("{1..10}, 13 would be best", _layers(13, 10), (("layers", "high"),)),
    "branch beyond": Bounds(
        "x of one of two models has its optimum beyond", _branches(1.3), (("x", "high"),)
    ),
}


def study_of(case: str, sampler: str, seed: int, trials: int) -> optuna.Study:
    """Return a study of a case, drawn by ``random`` search or by ``tpe``."""
    made = optuna.samplers.RandomSampler if sampler == "random" else optuna.samplers.TPESampler
    study = optuna.create_study(sampler=made(seed=seed))
    study.optimize(CASES[case].objective, n_trials=trials)
    return study
