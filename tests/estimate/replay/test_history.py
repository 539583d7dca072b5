"""What TPE knew at each trial, against Optuna's own split of the same trials."""

from __future__ import annotations

from typing import Any

import numpy as np
import optuna
import pytest

import condped
from condped.analyse.evidence.replaying import study_replays
from condped.estimate.replay.history import fading_weights
from tests.optuna_version import skip_before_optuna_5

skip_before_optuna_5("how its TPE splits the trials of several objectives")

from optuna.samplers._tpe.sampler import (  # noqa: E402
    _split_trials,
    default_gamma,
    default_gamma_multiobjective,
    default_weights,
)


def run(trial: optuna.Trial) -> float:
    """Report, and get pruned now and then; some values are the same, some reports are NaN."""
    x = trial.suggest_float("x", 0, 1)
    for step in range(3):
        trial.report(float("nan") if trial.number % 17 == 3 else x + step, step)
        if trial.number % 5 == 1 and step == trial.number % 3:
            raise optuna.TrialPruned
    if trial.number % 13 == 2:
        raise ValueError("lost")
    return round(x, 1)


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_good_and_bad_trials_are_optunas(direction: Any) -> None:
    """Complete ones by value, then pruned ones by progress; failed ones are not looked at."""
    study = optuna.create_study(direction=direction, sampler=optuna.samplers.RandomSampler(0))
    study.optimize(run, n_trials=60, catch=ValueError)
    _compare(study, default_gamma)


def test_several_objectives() -> None:
    """By non-domination rank and hypervolume, a tenth however many there are."""
    study = optuna.create_study(
        directions=["minimize", "maximize"], sampler=optuna.samplers.RandomSampler(1)
    )
    study.optimize(lambda t: (t.suggest_float("x", 0, 1), t.suggest_float("y", 0, 1)), n_trials=80)
    _compare(study, default_gamma_multiobjective)


def _compare(study: optuna.Study, gamma: Any) -> None:
    history = study_replays(condped.read(study), None).history
    for number in range(1, len(study.trials)):
        past = [t for t in study.trials[:number] if t.state.name in ("COMPLETE", "PRUNED")]
        good, bad = _split_trials(study, past, gamma(len(past)))
        assert np.flatnonzero(history.good[number]).tolist() == [t.number for t in good]
        assert np.flatnonzero(history.bad[number]).tolist() == [t.number for t in bad]
        assert history.finished[number] == len(past)


def test_trials_of_other_workers_are_running() -> None:
    """A trial sees what had ended when it began; with a constant liar the others are bad."""
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    first, second = study.ask(), study.ask()
    for trial in (first, second):
        trial.suggest_float("x", 0, 1)
    study.tell(second, 1.0)
    third = study.ask()
    third.suggest_float("x", 0, 1)
    study.tell(first, 0.5)
    study.tell(third, 0.2)
    history = study_replays(condped.read(study), None).history
    assert history.finished.tolist() == [0, 0, 1]
    assert history.bad[2].tolist() == [True, False, False]
    assert history.good[2].tolist() == [False, True, False]


@pytest.mark.parametrize("trials", [0, 1, 24, 25, 26, 60])
def test_weights_fade_as_optunas(trials: int) -> None:
    """All but the last 25."""
    assert np.allclose(fading_weights(trials), default_weights(trials))
