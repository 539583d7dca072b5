"""Tasks to try advice on: objectives with known best configurations; all are minimised.

Tables of evaluations are looked up at the nearest configuration: the stored trials of scikit-learn
models in ``benchmarks/studies/data``, and YAHPO Gym's in ``../shared/data`` if they exist.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution

from benchmarks.studies.load import stored_studies
from benchmarks.studies.objectives import OBJECTIVES
from benchmarks.studies.spaces import Parameter

Array: TypeAlias = npt.NDArray[np.float64]
Params: TypeAlias = Mapping[str, Any]
YAHPO = Path(__file__).parents[2] / "shared" / "data" / "yahpo"


@dataclass(frozen=True)
class Task:
    """An objective, its lowest value, and the configurations that have it (idle ones left out)."""

    name: str
    what: str
    objective: Callable[[optuna.Trial], float]
    lowest: float
    optima: tuple[Params, ...]
    held_out: bool = False  # nothing was chosen by looking at it
    slow: bool = False


def _idle(trial: optuna.Trial, count: int) -> None:
    for place in range(count):
        trial.suggest_float(f"idle_{place}", 0.0, 1.0)


def _branin(trial: optuna.Trial) -> float:
    x, y = trial.suggest_float("x", -5.0, 10.0), trial.suggest_float("y", 0.0, 15.0)
    _idle(trial, 4)
    bent = (y - 5.1 / (4 * math.pi**2) * x**2 + 5 / math.pi * x - 6) ** 2
    return bent + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10


_HARTMANN_A = np.array(
    [
        [10, 3, 17, 3.5, 1.7, 8],
        [0.05, 10, 17, 0.1, 8, 14],
        [3, 3.5, 1.7, 10, 17, 8],
        [17, 8, 0.05, 10, 0.1, 14],
    ]
)
_HARTMANN_P = 1e-4 * np.array(
    [
        [1312, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)
_HARTMANN_BEST = (0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573)


def _hartmann(trial: optuna.Trial) -> float:
    x = np.array([trial.suggest_float(f"x{place}", 0.0, 1.0) for place in range(6)])
    _idle(trial, 4)
    inner = (_HARTMANN_A * (x - _HARTMANN_P) ** 2).sum(axis=1)
    return -float(np.array([1.0, 1.2, 3.0, 3.2]) @ np.exp(-inner))


def _deceptive(trial: optuna.Trial) -> float:
    """Mostly best at low x; a narrow well at high x is the best of all."""
    x, y = trial.suggest_float("x", 0.0, 1.0), trial.suggest_float("y", 0.0, 1.0)
    _idle(trial, 2)
    return 0.2 + 0.6 * x + (y - 0.4) ** 2 - 1.2 * math.exp(-(((x - 0.9) / 0.04) ** 2))


def _beyond(trial: optuna.Trial) -> float:
    """Best beyond the highest x."""
    x, y, z = (trial.suggest_float(name, 0.0, 1.0) for name in "xyz")
    _idle(trial, 2)
    return (x - 1.3) ** 2 + (y - 0.4) ** 2 + (z - 0.6) ** 2


def _models(trial: optuna.Trial) -> float:
    # A choice of three models; one with a learning rate on a log scale and a depth is best.
    model = trial.suggest_categorical("model", ["linear", "net", "tree"])
    _idle(trial, 1)
    if model == "net":
        rate = trial.suggest_float("rate", 1e-5, 1.0, log=True)
        depth = trial.suggest_int("depth", 1, 12)
        width = trial.suggest_int("width", 8, 512, log=True)
        return (
            0.2 * (math.log10(rate) + 2) ** 2
            + 0.02 * (depth - 5) ** 2
            + 0.05 * (math.log2(width) - 6) ** 2
        )
    if model == "tree":
        leaf = trial.suggest_int("leaf", 1, 50)
        return 0.8 + 0.01 * abs(leaf - 8)
    return 1.2 + 0.3 * (trial.suggest_float("penalty", 0.0, 1.0) - 0.3) ** 2


def _nested(trial: optuna.Trial) -> float:
    """Gates inside gates, as in the problem ``nested`` of the paper, with optima inside."""
    _idle(trial, 2)
    if trial.suggest_float("c0", 0.0, 1.0) >= 0.75:
        return 0.5 + (trial.suggest_float("z", 2.0, 5.0) - 3) ** 2
    if trial.suggest_float("c1", 0.0, 1.0) < 0.5:
        return (trial.suggest_float("x", -7.0, -4.0) + 6) ** 2 / 2
    return 0.2 + (trial.suggest_float("y", -3.0, 0.0) + 1) ** 2


def _regimes(trial: optuna.Trial) -> float:
    # The domain of x depends on the kernel.
    kernel = trial.suggest_categorical("kernel", ["flat", "steep"])
    low, high = (0.0, 2.0) if kernel == "flat" else (5.0, 25.0)
    x, y = trial.suggest_float("x", low, high), trial.suggest_float("y", 0.0, 1.0)
    _idle(trial, 2)
    best = 0.5 if kernel == "flat" else 18.0
    return (0.3 if kernel == "flat" else 0.0) + ((x - best) / (high - low)) ** 2 + (y - 0.7) ** 2


_CHOICES = {
    "optimizer": {"sgd": 0.3, "adam": 0.0, "rmsprop": 0.1, "lion": 0.25},
    "activation": {"relu": 0.0, "tanh": 0.2, "gelu": 0.05},
    "schedule": {"none": 0.2, "cosine": 0.0, "step": 0.1},
    "norm": {"batch": 0.0, "layer": 0.02, "none": 0.4},
}


def _choices(trial: optuna.Trial) -> float:
    """Four lists of choices and a rate."""
    loss = sum(
        costs[trial.suggest_categorical(name, list(costs))] for name, costs in _CHOICES.items()
    )
    rate = trial.suggest_float("rate", 1e-5, 1e-1, log=True)
    _idle(trial, 2)
    return loss + 0.15 * (math.log10(rate) + 3) ** 2


def _many_wells(trial: optuna.Trial) -> float:
    """Rastrigin's function of three parameters."""
    x = np.array([trial.suggest_float(f"x{place}", -4.0, 5.0) for place in range(3)])
    _idle(trial, 3)
    return float((x**2 - 5 * np.cos(2 * math.pi * x) + 5).sum())


def _interaction(trial: optuna.Trial) -> float:
    # A bent valley (Rosenbrock's), good only where parameters go together.
    x, y = trial.suggest_float("x", -2.0, 2.0), trial.suggest_float("y", -1.0, 3.0)
    _idle(trial, 3)
    return math.log1p((1 - x) ** 2 + 100 * (y - x**2) ** 2)


_BRANIN_OPTIMA = (
    {"x": -math.pi, "y": 12.275},
    {"x": math.pi, "y": 2.275},
    {"x": 9.42478, "y": 2.475},
)


def synthetic() -> Iterator[Task]:
    """Yield objectives that are formulas."""
    yield Task("branin", "Branin's function and 4 idle parameters", _branin, 0.397887,
               _BRANIN_OPTIMA)  # fmt: skip
    best = {f"x{place}": value for place, value in enumerate(_HARTMANN_BEST)}
    yield Task("hartmann6", "Hartmann's function of 6 parameters, and 4 idle ones", _hartmann,
               -3.32237, (best,), held_out=True)  # fmt: skip
    yield Task("deceptive", "a narrow well where nearly all else is bad", _deceptive, -0.46,
               ({"x": 0.9, "y": 0.4},))  # fmt: skip
    yield Task("beyond", "the optimum lies beyond a bound", _beyond, 0.09,
               ({"x": 1.0, "y": 0.4, "z": 0.6},))  # fmt: skip
    yield Task("models", "conditional: a choice of three models", _models, 0.0,
               ({"model": "net", "rate": 1e-2, "depth": 5, "width": 64},))  # fmt: skip
    yield Task("nested", "conditional: numeric gates inside gates", _nested, 0.0,
               ({"c0": 0.3, "c1": 0.2, "x": -6.0},), held_out=True)  # fmt: skip
    yield Task("regimes", "conditional: a domain that depends on a choice", _regimes, 0.0,
               ({"kernel": "steep", "x": 18.0, "y": 0.7},))  # fmt: skip
    best_choices = {name: min(costs, key=costs.__getitem__) for name, costs in _CHOICES.items()}
    yield Task("choices", "four lists of choices and a rate", _choices, 0.0,
               ({**best_choices, "rate": 1e-3},), held_out=True)  # fmt: skip
    yield Task("many wells", "Rastrigin's function of 3 parameters, and 3 idle ones", _many_wells,
               0.0, ({"x0": 0.0, "x1": 0.0, "x2": 0.0},), held_out=True)  # fmt: skip
    yield Task("valley", "Rosenbrock's function (its logarithm) and 3 idle parameters",
               _interaction, 0.0, ({"x": 1.0, "y": 1.0},))  # fmt: skip


class LookUp:
    """A table of evaluations, as an objective: the value of the nearest configuration."""

    def __init__(
        self,
        parameters: Sequence[tuple[str, BaseDistribution]],
        active: Callable[[str, Params], bool],
        rows: Sequence[Params],
        losses: Array,
        idle: Sequence[tuple[str, BaseDistribution]] = (),
    ) -> None:
        self._parameters, self._active, self._idle = parameters, active, idle
        self.rows, self.losses = rows, losses
        self._codes = np.array([self._coded(row) for row in rows], dtype=np.float32)
        self._lengths = (self._codes**2).sum(axis=1)

    def _coded(self, row: Params) -> list[float]:
        return [number for name, own in self._parameters for number in _coded(own, row.get(name))]

    def __call__(self, trial: optuna.Trial) -> float:
        params: dict[str, Any] = {}
        for name, own in (*self._parameters, *self._idle):
            if self._active(name, params):
                params[name] = trial._suggest(name, own)
        code = np.array(self._coded(params), dtype=np.float32)
        return float(self.losses[np.argmin(self._lengths - 2 * self._codes @ code)])

    def best(self) -> Params:
        """Return the configuration with the lowest value."""
        return self.rows[int(np.argmin(self.losses))]


_FAR = 10.0  # apart, where one has a parameter and the other has not, or another choice


def _coded(own: BaseDistribution, value: Any) -> list[float]:
    """Return a value's place in its domain from 0 to 1, or which choice it is."""
    if isinstance(own, CategoricalDistribution):
        return [_FAR if choice == value else 0.0 for choice in own.choices]
    if value is None:
        return [-_FAR]
    low, high = own.low, own.high  # type: ignore[attr-defined]
    if own.log:  # type: ignore[attr-defined]
        low, high, value = math.log(low), math.log(high), math.log(value)
    return [float((value - low) / (high - low))]


_SKLEARN = {
    "wine_models": False, "digits_models": True, "diabetes_boosting": False,
    "diabetes_pipeline": True, "diabetes_kernel": False,
}  # fmt: skip


def scikit_learn() -> Iterator[Task]:
    """Yield tables of scikit-learn models: all complete trials of the stored studies."""
    for name, held_out in _SKLEARN.items():
        table = _stored(name)
        what = f"scikit-learn, {len(table.rows):,} stored evaluations"
        yield Task(name, what, table, float(table.losses.min()), (table.best(),), held_out)


@cache
def _stored(name: str) -> LookUp:
    objective = OBJECTIVES[name]
    space = {own.name: own for own in objective.space}
    real = [own for own in objective.space if own.name not in objective.dead]
    dead = [own for own in objective.space if own.name in objective.dead]
    rows: dict[tuple[Any, ...], tuple[Params, float]] = {}
    for stored in stored_studies(objectives=[name]):
        if stored.by_optuna:
            sign = -1.0 if stored.plain["directions"] == ["maximize"] else 1.0
            params = stored.plain["params"]
            for row, (state, values) in enumerate(
                zip(stored.plain["states"], stored.plain["values"], strict=True)
            ):
                if state == "C":
                    own = {one.name: params[one.name][row] for one in real if one.name in params}
                    own = {key: value for key, value in own.items() if value is not None}
                    rows[tuple(sorted(own.items()))] = own, sign * values[0]
    kept = list(rows.values())

    def active(parameter: str, params: Params) -> bool:
        return _is_active(space[parameter], params)

    return LookUp(
        [(own.name, own.distribution) for own in real],
        active,
        [row for row, _ in kept],
        np.array([value for _, value in kept]),
        [(own.name, own.distribution) for own in dead],
    )


def _is_active(own: Parameter, params: Params) -> bool:
    return own.active(params)


_YAHPO = {
    "iaml_super_1489": False, "iaml_super_40981": True, "rbv2_multi_1053": False,
    "rbv2_multi_1063": True, "rbv2_multi_1457": True,
}  # fmt: skip


def yahpo(folder: Path) -> Iterator[Task]:
    """Yield YAHPO Gym's tables, if they exist."""
    for name, held_out in _YAHPO.items():
        if (folder / f"{name}.parquet").exists():
            table = _surrogate(folder, name)
            what = f"YAHPO Gym, {len(table.rows):,} evaluations"
            lowest = float(table.losses.min())
            yield Task(name, what, table, lowest, (table.best(),), held_out, slow=True)


@cache
def _surrogate(folder: Path, name: str) -> LookUp:
    from pyarrow import parquet  # noqa: PLC0415  (of the extra bench)

    scenario = json.loads((folder / f"{name.rsplit('_', 1)[0]}.domains.json").read_text())
    columns = parquet.read_table(folder / f"{name}.parquet").to_pydict()
    conditions = {one["name"]: one["condition"] or () for one in scenario["hyperparameters"]}
    parameters = [(one["name"], _distribution(one)) for one in scenario["hyperparameters"]]
    rows = []
    for row in range(len(columns[scenario["target"]])):
        own = {key: columns[key][row] for key, _ in parameters if columns[key][row] is not None}
        rows.append(own)

    def active(parameter: str, params: Params) -> bool:
        return all(params.get(one["parent"]) in one["in"] for one in conditions[parameter])

    return LookUp(parameters, active, rows, -np.array(columns[scenario["target"]], dtype=float))


def _distribution(one: Params) -> BaseDistribution:
    if one["type"] == "categorical":
        return CategoricalDistribution(one["choices"])
    if one["type"] == "int":
        return optuna.distributions.IntDistribution(one["low"], one["high"], log=one["log"])
    return FloatDistribution(one["low"], one["high"], log=one["log"])


def tasks(folder: Path = YAHPO) -> dict[str, Task]:
    """Return all tasks that can be run here; YAHPO Gym's tables are in a folder."""
    return {task.name: task for task in (*synthetic(), *scikit_learn(), *yahpo(folder))}
