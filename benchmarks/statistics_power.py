"""How often an effect is found: on random trials, on TPE's, and by an oracle.

The oracle knows, for every trial, from which density Optuna drew each value, which no storage
keeps. It compares the good trials' values with draws from these densities.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import optuna
from optuna.samplers._tpe.parzen_estimator import _ParzenEstimator

import condped

Row = dict[str, Any]
Floats = npt.NDArray[np.float64]
STRENGTHS = (0.25, 0.5, 1.0)
SIZES = (50, 100, 200)
NAMES = ("x", "a", "b", "c", "d")  # all but x are idle
POINTS, CELLS = 1_000, 50  # of a density
DRAWS = 399
QUANTILE = 0.1


class WatchedSampler(optuna.samplers.TPESampler):
    """Univariate TPE that keeps the density of every draw, at points of equal distance."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed=seed, multivariate=False)
        self.laws: dict[str, list[Floats]] = defaultdict(list)

    def _compute_acquisition_func(
        self,
        samples: dict[str, Floats],
        mpe_below: _ParzenEstimator,
        mpe_above: _ParzenEstimator,
    ) -> Floats:
        (name,) = samples
        points = {name: (np.arange(POINTS) + 0.5) / POINTS}
        good = np.exp(mpe_below.log_pdf(points))
        order = np.argsort(good / np.exp(mpe_above.log_pdf(points)))
        reached = np.cumsum(good[order]) / good.sum()
        law = np.empty(POINTS)
        law[order] = np.diff(reached**self._n_ei_candidates, prepend=0.0)
        self.laws[name].append(law)
        return super()._compute_acquisition_func(samples, mpe_below, mpe_above)


def power(seeds: int) -> list[Row]:
    """Count p-values below 0.05: of x, which is ``strength`` of the loss, and of idle ones."""
    rows: list[Row] = []
    for strength in STRENGTHS:
        found: dict[tuple[int, str], list[Floats]] = defaultdict(list)
        for seed in range(seeds):
            table = _random(strength, seed)
            study, sampler = _by_tpe(strength, seed)
            for trials in SIZES:
                first = {name: values[:trials] for name, values in table.items()}
                cut = _first(study, trials)
                for how, p_values in (
                    ("random trials, closed form", _p_values(first, "random")),
                    ("random trials, default", _p_values(first, "auto")),
                    ("TPE, default", _p_values(cut, "auto")),
                    ("TPE, strata of ten", _p_values(cut, "ordered")),
                    ("TPE, oracle", _oracle(study, sampler, trials, seed)),
                ):
                    found[trials, how].append(p_values)
        for (trials, how), p_lists in found.items():
            low = np.array(p_lists) < 0.05
            rows.append(
                {"strength": strength, "trials": trials, "test": how, "studies": seeds,
                 "x": float(low[:, 0].mean()), "idle": float(low[:, 1:].mean())}
            )  # fmt: skip
    return rows


def _loss(x: Any, strength: float, noise: Any) -> Any:
    return strength * x + (1 - strength) * noise


def _random(strength: float, seed: int) -> dict[str, Floats]:
    rng = np.random.default_rng(seed)
    table = {name: rng.random(max(SIZES)) for name in NAMES}
    return table | {"loss": _loss(table["x"], strength, rng.random(max(SIZES)))}


def _by_tpe(strength: float, seed: int) -> tuple[optuna.Study, WatchedSampler]:
    rng = np.random.default_rng(seed)
    sampler = WatchedSampler(seed)
    study = optuna.create_study(sampler=sampler)

    def objective(trial: optuna.Trial) -> float:
        values = {name: trial.suggest_float(name, 0, 1) for name in NAMES}
        return float(_loss(values["x"], strength, rng.random()))

    study.optimize(objective, n_trials=max(SIZES))
    return study, sampler


def _first(study: optuna.Study, trials: int) -> optuna.Study:
    found = optuna.create_study(sampler=study.sampler)
    found.add_trials(study.trials[:trials])
    return found


def _p_values(source: Any, sampling: Any) -> Floats:
    objective = "loss" if isinstance(source, dict) else None
    table = condped.read(source, objective=objective)
    result = condped.importance(table, sampling=sampling, target_quantile=QUANTILE)
    return np.array([result.evidence[name].p_value for name in NAMES])


def _oracle(study: optuna.Study, sampler: WatchedSampler, trials: int, seed: int) -> Floats:
    """Return a p-value for each parameter: how far good trials are from the densities."""
    first = study.trials[:trials]
    losses = np.array([trial.value for trial in first], dtype=np.float64)
    good = losses <= np.sort(losses)[int(np.ceil(QUANTILE * trials)) - 1]
    weights = good - good.mean()
    rng = np.random.default_rng(seed)
    found = []
    for name in NAMES:
        learnt = sampler.laws[name]
        start = len(study.trials) - len(learnt)
        laws = np.array([*[np.full(POINTS, 1 / POINTS)] * start, *learnt])[:trials]
        # Cells that all trials together fill evenly, however narrow the places that TPE prefers.
        places = np.cumsum(laws.mean(axis=0)) - 0.5 * laws.mean(axis=0)
        cell_of = np.minimum((CELLS * places).astype(int), CELLS - 1)
        in_cells = laws @ np.eye(CELLS)[cell_of]
        ends = np.cumsum(in_cells, axis=1)
        drawn = (ends[:, None, :] < rng.random((trials, DRAWS, 1))).sum(axis=2)
        values = np.array([trial.params[name] for trial in first])
        observed = cell_of[np.minimum((POINTS * values).astype(int), POINTS - 1)]
        cells = np.minimum(np.column_stack([observed, drawn]), CELLS - 1)
        found.append(_p_value(weights, in_cells, cells))
    return np.array(found)


def _p_value(weights: Floats, laws: Floats, cells: npt.NDArray[np.int64]) -> float:
    """Compare the first series of values with the others, all of which the densities gave."""
    count = cells.shape[1]
    excess = np.zeros((count, CELLS))
    for trial, weight in enumerate(weights):
        excess[np.arange(count), cells[trial]] += weight
    excess -= weights @ laws
    middles = (np.arange(CELLS) + 0.5) / CELLS
    width = 0.5 * len(weights) ** -0.2 / np.sqrt(12)  # half of Scott's, as in condped's own test
    kernel = np.exp(-0.5 * ((middles - middles[:, None]) / width) ** 2)
    around = (laws.sum(axis=0) @ kernel) + 1e-9
    statistic = ((excess @ kernel) ** 2 / around).sum(axis=1)
    return float((1 + (statistic[1:] >= statistic[0]).sum()) / count)


def power_lines(rows: list[Row]) -> list[str]:
    """Return a table: a row per strength and size, power and false alarms of every test."""
    tests = list(dict.fromkeys(row["test"] for row in rows))
    known = {(row["strength"], row["trials"], row["test"]): row for row in rows}
    lines = [
        f"| share of x | trials | {' | '.join(tests)} |", "| --- " * (len(tests) + 2) + "|",
    ]  # fmt: skip
    for strength, trials in product(STRENGTHS, SIZES):
        own = (known[strength, trials, test] for test in tests)
        cells = " | ".join(f"{row['x']:.2f} ({row['idle']:.3f})" for row in own)
        lines.append(f"| {strength:g} | {trials} | {cells} |")
    return lines
