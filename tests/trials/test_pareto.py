"""The best trials of several objectives, against the sets that Optuna 5.0.0 takes."""

from __future__ import annotations

import warnings

import numpy as np
import optuna
import pytest
from optuna.samplers._tpe.sampler import _split_complete_trials_multi_objective

from condped.trials.pareto import pareto_positions
from tests.optuna_version import needs_optuna_5


def optuna_sets(losses: np.ndarray, sizes: list[int]) -> list[list[int]]:
    """Ask Optuna for its best trials of each size."""
    study = optuna.create_study(directions=[optuna.study.StudyDirection.MINIMIZE] * losses.shape[1])
    trials = [
        optuna.trial.FrozenTrial(
            number=row,
            state=optuna.trial.TrialState.COMPLETE,
            value=None,
            values=values,
            datetime_start=None,
            datetime_complete=None,
            params={},
            distributions={},
            user_attrs={},
            system_attrs={},
            intermediate_values={},
            trial_id=row,
        )
        for row, values in enumerate(losses.tolist())
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of overflows, which Optuna handles
        return [
            sorted(t.number for t in _split_complete_trials_multi_objective(trials, study, k)[0])
            for k in sizes
        ]


def assert_same_sets(losses: np.ndarray) -> None:
    """Compare the sets of several sizes, found in one call."""
    n = len(losses)
    sizes = sorted({1, n // 7 + 1, n // 3 + 1, n // 2, n - 1})
    positions = pareto_positions(losses, sizes)
    for size, expected in zip(sizes, optuna_sets(losses, sizes), strict=True):
        assert np.flatnonzero(positions < size).tolist() == expected


@needs_optuna_5
@pytest.mark.parametrize("objectives", [2, 3, 4, 5])
@pytest.mark.parametrize("spread", [2, 4, 9])
def test_sets_are_optunas_where_losses_tie(objectives: int, spread: int) -> None:
    """Small whole numbers make ties in ranks and in volumes, which rounding decides."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        losses = rng.integers(-spread, spread + 1, (rng.integers(4, 60), objectives))
        assert_same_sets(losses.astype(float))


@pytest.mark.parametrize("objectives", [2, 3, 4])
def test_sets_are_optunas_for_arbitrary_losses(objectives: int) -> None:
    """Ordinary numbers, rounded numbers and numbers whose volumes overflow."""
    for seed in range(25):
        rng = np.random.default_rng(seed)
        losses = rng.normal(size=(50, objectives))
        for changed in (losses, np.round(losses, 1), losses * 1e120, losses * 1e-200):
            assert_same_sets(changed)


def test_trials_that_repeat_others_come_last_in_their_front() -> None:
    """Distinct losses are chosen before repeats, repeats in their own order."""
    losses = np.array([[1.0, 2.0], [1.0, 2.0], [2.0, 1.0], [1.0, 2.0], [3.0, 3.0]])
    assert_same_sets(losses)
    positions = pareto_positions(losses, [2, 3])
    assert sorted(np.flatnonzero(positions < 2).tolist()) == [0, 2]
    assert sorted(np.flatnonzero(positions < 3).tolist()) == [0, 1, 2]
