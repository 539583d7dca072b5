"""Domains that vary smoothly with other parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
import optuna
import pytest

import condped
from condped.optuna import CondPedAnovaImportanceEvaluator
from tests.optuna_version import needs_optuna_5

# Optuna warns where regimes hold a trial each.
pytestmark = pytest.mark.filterwarnings("ignore:Some regimes for parameter")


def chain(trial: optuna.Trial) -> float:
    """Let each parameter begin where the one before it ended."""
    s0 = trial.suggest_float("s0", 0, 1)
    s1 = trial.suggest_float("s1", s0, 1)
    return trial.suggest_float("s2", s1, 1)


def below(trial: optuna.Trial) -> float:
    """Draw x below a bound that is drawn, too."""
    bound = trial.suggest_int("c", 20, 400)
    return trial.suggest_int("x", 1, bound, log=True) + 0 * trial.suggest_float("idle", 0, 1)


def run(objective: Any, trials: int, seed: int = 1) -> optuna.Study:
    """Return a study of random trials."""
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=seed))
    study.optimize(objective, n_trials=trials)
    return study


@needs_optuna_5
@pytest.mark.parametrize("method", ["paper", "calibrated"])
@pytest.mark.parametrize("seed", range(3))
def test_the_end_of_a_chain_comes_first(method: Any, seed: int) -> None:
    """Where exact regimes hold a trial each, and Optuna gives it nothing."""
    study = run(chain, 400, seed)
    result = condped.importance(study, method=method)
    assert result.names[0] == "s2"
    assert optuna.importance.get_param_importances(study)["s2"] == 0.0


def test_pooled_regimes_are_labelled_and_told() -> None:
    """Whole numbers and log scales, too; what is not pooled stays as it was."""
    result = condped.importance(run(below, 300))
    assert result.names[0] == "x"
    assert result["x"].importance > 0.8
    (told,) = result.account.pooled
    assert (told.parameter, told.regimes) == ("x", 3)
    assert len(result["x"].regimes) == 3
    assert "pooled {1.." in str(result)
    assert "were pooled into 3 regimes" in str(result)
    assert result.evidence["x"].verdict == "matters"
    assert result.evidence["idle"].verdict != "matters"


@needs_optuna_5
def test_pooling_can_be_forbidden_and_is_in_the_evaluator() -> None:
    """Whose numbers stay Optuna's."""
    study = run(chain, 200)
    never = condped.importance(study, pooling="never")
    assert never.account.pooled == ()
    theirs = optuna.importance.get_param_importances(study)
    assert never.to_dict() == pytest.approx(theirs, rel=1e-9)
    ours = optuna.importance.get_param_importances(
        study, evaluator=CondPedAnovaImportanceEvaluator()
    )
    assert ours == pytest.approx(theirs, rel=1e-9)


def test_a_few_domains_are_regimes_as_ever_unless_all_are_to_be_pooled() -> None:
    """The paper's problem of two switching domains is not touched."""
    table = condped.problems.get("regime-dependent").sample(300, seed=0)
    assert condped.importance(table).account.pooled == ()
    always = condped.importance(table, pooling="always")
    assert {entry.domains for entry in always.account.pooled} == {2}


def test_domains_of_a_plain_gate_are_not_pooled() -> None:
    """Ten models with a range each: six trials in each of them are no smooth variation."""

    def objective(trial: optuna.Trial) -> float:
        model = trial.suggest_categorical("model", list(range(10)))
        return trial.suggest_float("lr", 10 * model, 10 * model + 1) - 9.7 * model

    study = run(objective, 60)
    assert condped.importance(study).account.pooled == ()


def test_pooled_numbers_add_up() -> None:
    """Regimes to the variance within, whether the bounds or the value decide."""
    for study in (run(below, 300), run(lambda t: 0 * below(t) + t.params["c"], 300)):
        result = condped.importance(study)
        for parameter in result:
            contributions = sum(regime.contribution for regime in parameter.regimes)
            assert contributions == pytest.approx(parameter.within, abs=1e-12)


def placed(trial: optuna.Trial) -> float:
    """Let the place between moving bounds decide, whatever the value."""
    bound = trial.suggest_float("c", 0.1, 1)
    return trial.suggest_float("x", 0, bound) / bound + 2 * trial.suggest_float("noise", 0, 1)


@pytest.mark.parametrize("method", ["paper", "calibrated"])
def test_intervals_of_pooled_parameters_scatter_as_other_studies_do(method: Any) -> None:
    """Standard errors against the scatter over independent studies; unit values are in them."""
    values, errors = [], []
    for seed in range(25):
        result = condped.importance(
            run(placed, 300, seed), method=method, sampling="random", intervals="half-sampling"
        )
        assert result["x"].intervals is not None
        values.append(result["x"].variance)
        errors.append(result["x"].intervals.variance.standard_error)
    assert 0.6 < np.mean(errors) / np.std(values, ddof=1) < 1.6
    raw = condped.importance(run(placed, 300), method=method, pooling="never")
    assert np.mean(values) > 2 * raw["x"].variance
