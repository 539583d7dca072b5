from __future__ import annotations

from pathlib import Path

import condped
import optuna
import optunahub
import pytest


module = optunahub.load_local_module(
    package="samplers/informed_sampler",
    registry_root=str(Path(__file__).parents[3]),
)


def objective(trial: optuna.Trial) -> float:
    return (trial.suggest_float("x", -5, 5) - 2) ** 2


@pytest.fixture(scope="module")
def past() -> condped.Across:
    studies = []
    for seed in range(10):
        study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=seed))
        study.optimize(objective, n_trials=50)
        studies.append(study)
    return condped.across(studies)


def test_every_other_trial_begins_where_past_studies_were_good(past: condped.Across) -> None:
    sampler = module.InformedSampler(optuna.samplers.RandomSampler(seed=0), past)
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=10)
    assert max(trial.values[0] for trial in study.trials[::2]) < 1
    assert max(trial.values[0] for trial in study.trials[1::2]) > 1


def test_a_past_is_needed() -> None:
    with pytest.raises(ValueError, match="past"):
        module.InformedSampler()
