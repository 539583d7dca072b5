"""What makes trials fail, get pruned, diverge or break a constraint."""

from __future__ import annotations

from typing import Any

import numpy as np
import optuna
import pytest

import condped
from condped.errors import SettingsError
from tests.optuna_version import constrain


@pytest.fixture(scope="module")
def study() -> optuna.Study:
    """Return a study in which each parameter decides about one outcome."""

    def objective(trial: optuna.Trial) -> float:
        x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
        z, w = trial.suggest_float("z", 0, 1), trial.suggest_categorical("w", ["ok", "bad"])
        constrain(trial, "c", y - 0.7)
        if x < 0.3:
            raise ArithmeticError
        if z > 0.8:
            trial.report(1.0, 1)
            raise optuna.TrialPruned
        return float("inf") if w == "bad" else y

    created = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    created.optimize(objective, n_trials=300, catch=(ArithmeticError,))
    return created


@pytest.mark.parametrize("method", ["paper", "calibrated"])
@pytest.mark.parametrize(
    ("target", "decider"),
    [("failed", "x"), ("pruned", "z"), ("nonfinite", "w"), ("infeasible", "y")],
)
def test_what_decides_comes_first(
    study: optuna.Study, target: str, decider: str, method: Any
) -> None:
    """And is what has a significant effect."""
    result = condped.importance(study, target=target, method=method, intervals="jackknife")
    assert result.names[0] == decider
    assert result.evidence[decider].verdict == "matters"
    assert result[decider].importance > 0.8
    assert result[decider].intervals is not None
    assert str(result).startswith("What led to ")
    assert result.target_quantile is None


def test_an_outcome_can_be_a_mask_or_a_function(study: optuna.Study) -> None:
    """Of the caller's own; the numbers are the same."""
    failed = np.array([trial.state.name == "FAIL" for trial in study.trials])
    by_mask = condped.importance(study, target=failed)
    by_function = condped.importance(study, target=lambda table: table.states == 2)
    assert by_mask.to_dict() == by_function.to_dict()
    assert by_mask.to_dict() == condped.importance(study, target="failed").to_dict()
    assert by_mask.target_size == failed.sum()


def test_outcomes_that_none_or_all_had_say_so(study: optuna.Study) -> None:
    """There is nothing to compare."""
    result = condped.importance(study, target=np.zeros(300, dtype=bool))
    assert result.status == "undetermined"
    assert "none of the 300 trials that count had the outcome" in str(result.reason)
    whole = condped.importance(condped.problems.get("nested").sample(50, seed=0), target="pruned")
    assert whole.reason == "none of the 50 trials that count were pruned."
    for wrong in ("exploded", np.zeros(5, dtype=bool), np.zeros(300)):
        with pytest.raises(SettingsError, match="target must be one of failed"):
            condped.importance(study, target=wrong)
    with pytest.raises(SettingsError, match="takes no region_quantile"):
        condped.importance(study, target="failed", region_quantile=0.5)
    table = condped.problems.get("nested").sample(20, seed=0)
    with pytest.raises(SettingsError, match="needs constraints"):
        condped.importance(table, target="infeasible")
    with pytest.raises(SettingsError, match="about importances for good objectives"):
        condped.importance(study, target="failed").robustness()


@pytest.mark.parametrize("method", ["paper", "calibrated"])
def test_pruned_trials_tell_what_decides(method: Any) -> None:
    """The example of optuna#3709: f1 decides whether a trial is pruned, f2 next to nothing."""
    study = optuna.create_study(direction="maximize")
    domains: dict[str, optuna.distributions.BaseDistribution] = {
        "f1": optuna.distributions.CategoricalDistribution(["A", "B"]),
        "f2": optuna.distributions.CategoricalDistribution(["X", "Y"]),
    }
    for f1, f2, count, state, value in (
        ("A", "X", 7, optuna.trial.TrialState.PRUNED, 0.1),
        ("A", "Y", 8, optuna.trial.TrialState.PRUNED, 0.1),
        ("B", "X", 7, optuna.trial.TrialState.COMPLETE, 1.0),
        ("B", "Y", 8, optuna.trial.TrialState.COMPLETE, 1.1),
    ):
        for _ in range(count):
            params = {"f1": f1, "f2": f2}
            study.add_trial(
                optuna.trial.create_trial(
                    state=state, value=value, params=params, distributions=domains
                )
            )
    result = condped.importance(study, target="pruned", method=method, sampling="random")
    assert result.names[0] == "f1"
    assert result["f1"].importance > 0.9
    for pruned in ("keep", "worst"):
        kept = condped.importance(study, pruned=pruned, target_quantile=0.5)
        assert kept.names[0] == "f1"
