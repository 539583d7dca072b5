from __future__ import annotations

from pathlib import Path
import time

import condped
import optuna
import optunahub
import pytest


module = optunahub.load_local_module(
    package="callbacks/watch_importances",
    registry_root=str(Path(__file__).parents[3]),
)


def objective(trial: optuna.Trial) -> float:
    time.sleep(0.02)
    trial.suggest_float("unused", 0, 1)
    return trial.suggest_float("x", -1, 1) ** 2


def test_results_arrive_while_the_study_runs() -> None:
    results: list[condped.ImportanceResult] = []
    watch = module.Watch(every=10, out=results.append)
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(objective, n_trials=90, callbacks=[watch])
    assert results
    assert watch.result is results[-1]
    assert set(results[-1].names) == {"unused", "x"}


def test_bad_options_are_refused() -> None:
    with pytest.raises(ValueError, match="every"):
        module.Watch(every=0)
