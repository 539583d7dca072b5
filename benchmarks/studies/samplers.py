"""How each sampler runs an objective: a study and the seconds at which its trials ran."""

from __future__ import annotations

import heapq
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import optuna
from optuna.samplers import BaseSampler
from optuna.trial import TrialState

from benchmarks.studies.gaussian_process import GaussianProcessSampler
from benchmarks.studies.objectives import Objective, Values, quick
from benchmarks.studies.other_tools import run_hyperopt, run_smac
from benchmarks.studies.records import Plain, Times, plain_study
from benchmarks.studies.spaces import Value, suggested

WORKERS = {"tpe_workers": 4}
LARGEST_GRID = 100_000
_PRUNERS = {True: optuna.pruners.MedianPruner, False: optuna.pruners.NopPruner}


def run(objective: Objective, sampler: str, seed: int, trials: int) -> Plain:
    """Return a study as plain data."""
    with quick():
        if sampler == "smac":
            return run_smac(objective, seed, trials)
        if sampler == "hyperopt":
            return run_hyperopt(objective, seed, trials)
        study, times = _run_optuna(objective, sampler, seed, trials)
    return plain_study(study, times)


def _tpe(_: Objective, seed: int) -> BaseSampler:
    return optuna.samplers.TPESampler(seed=seed)


OPTUNA: dict[str, Callable[[Objective, int], BaseSampler]] = {
    "tpe": _tpe,
    "tpe_univariate": lambda _, seed: optuna.samplers.TPESampler(seed=seed, multivariate=False),
    "tpe_workers": _tpe,
    "cmaes": lambda _, seed: optuna.samplers.CmaEsSampler(
        seed=seed, warn_independent_sampling=False
    ),
    "nsga2": lambda _, seed: optuna.samplers.NSGAIISampler(seed=seed),
    "random": lambda _, seed: optuna.samplers.RandomSampler(seed=seed),
    "qmc": lambda _, seed: optuna.samplers.QMCSampler(
        seed=seed, scramble=True, warn_independent_sampling=False
    ),
    "grid": lambda objective, seed: optuna.samplers.GridSampler(grid(objective), seed=seed),
    "gp": lambda objective, seed: GaussianProcessSampler(objective.space, seed),
}
SAMPLERS = (*OPTUNA, "smac", "hyperopt")


def grid(objective: Objective) -> dict[str, list[Value]]:
    """Return two or three values of every number, as many as the largest grid allows."""
    values: dict[str, list[Value]] = {}
    for own in objective.space:
        places = (0.25, 0.75)
        values[own.name] = [*own.choices] or [own.at(place) for place in places]
    for own in objective.space:
        size = math.prod(map(len, values.values()))
        if own.kind != "choice" and size * 3 // 2 <= LARGEST_GRID:
            values[own.name] = [own.at(place) for place in (0.17, 0.5, 0.83)]
    return values


def _run_optuna(
    objective: Objective, sampler: str, seed: int, trials: int
) -> tuple[optuna.Study, Times]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of experimental samplers
        study = optuna.create_study(
            directions=["minimize"] * objective.objectives,
            sampler=OPTUNA[sampler](objective, seed),
            pruner=_PRUNERS[objective.pruning](),
        )
    times = ask_and_tell(
        study, lambda trial: _evaluate(objective, trial), trials, WORKERS.get(sampler, 1), seed
    )
    return study, times


def ask_and_tell(
    study: optuna.Study,
    evaluate: Callable[[optuna.Trial], Values | None],
    trials: int,
    workers: int,
    seed: int,
) -> Times:
    """Run a study by a clock of its own; trials of several workers overlap.

    ``evaluate`` returns the values of a trial, None if it was pruned. Returns the seconds at which
    the trials started and ended.
    """
    clock = np.random.default_rng([seed, 1])
    times: list[tuple[float, float]] = []
    free = [worker / 10 for worker in range(workers)]
    running: list[tuple[float, int, optuna.Trial, Values | None]] = []
    while len(times) < trials or running:
        if free and len(times) < trials:
            now = free.pop(0)
            trial = study.ask()
            values = evaluate(trial)
            end = now + float(clock.lognormal(0.0, 0.5))
            heapq.heappush(running, (end, len(times), trial, values))
            times.append((now + 1e-3, end))
            continue
        end, _, trial, values = heapq.heappop(running)
        if values is None:
            study.tell(trial, state=TrialState.PRUNED)
        else:
            study.tell(trial, values)
        free.append(end)
    return times


def _evaluate(objective: Objective, trial: optuna.Trial) -> Values | None:
    """Return the values of a trial, None if it was pruned."""
    params: dict[str, Any] = suggested(trial, objective.space)
    values: Values = ()
    for step, values in enumerate(objective.evaluate(params)):
        if objective.pruning:
            trial.report(values[0], step)
            if trial.should_prune():
                return None
    return values
