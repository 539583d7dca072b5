"""The calibrated method: truth, fairness to choices, invariance, refusals, the evaluator."""

from __future__ import annotations

from typing import Any

import numpy as np
import optuna
import pytest

import condped
from condped.errors import SettingsError
from condped.optuna import CondPedAnovaImportanceEvaluator


@pytest.mark.parametrize(
    "name",
    ["activation-disjoint", "activation-overlap", "nested", "three-way", "regime-dependent"],
)
def test_it_comes_close_to_the_truth(name: str) -> None:
    """Of the exact importances, with many trials."""
    problem = condped.problems.get(name)
    for quantile in (0.1, 0.5):
        result = condped.importance(
            problem.sample(8000, seed=0), target_quantile=quantile, method="calibrated"
        )
        truth = problem.truth(target_quantile=quantile, region_quantile=1.0).to_dict()
        for parameter in result:
            assert parameter.importance == pytest.approx(truth[parameter.name], abs=0.03)


def test_it_is_fair_to_choices() -> None:
    """A choice that decides as much as a number does gets as much; the paper's method does not."""
    rng = np.random.default_rng(0)
    n = 2000
    side = rng.choice(["left", "right"], n)
    x = rng.random(n)
    # Membership needs the left side and a low x, each true for half of the trials.
    loss = np.where((side == "left") & (x < 0.5), rng.random(n), 1 + rng.random(n))
    trials = {"side": side, "x": x, "loss": loss}
    options: Any = {"objective": "loss", "target_quantile": 0.24}
    fair = condped.importance(trials, method="calibrated", **options)
    assert fair["side"].importance == pytest.approx(0.5, abs=0.08)
    assert condped.importance(trials, **options)["side"].importance < 0.4


def test_a_monotone_change_of_scale_changes_nothing() -> None:
    """To the last bit."""
    rng = np.random.default_rng(2)
    x, y = rng.random(300), rng.random(300)
    loss = (x - 0.3) ** 2 + 0.1 * y
    results = [
        condped.importance(
            {"x": scaled, "y": y, "loss": loss}, objective="loss", method="calibrated"
        ).to_dict(normalize=False)
        for scaled in (x, np.exp(5 * x), x**3)
    ]
    assert results[0] == results[1] == results[2]


def test_noise_has_no_importance_and_a_reason() -> None:
    """Rather than shares of nothing that sum to one."""
    rng = np.random.default_rng(5)
    trials = {name: rng.random(80) for name in ("a", "b", "c", "loss")}
    result = condped.importance(trials, objective="loss", method="calibrated")
    assert result.status == "undetermined"
    assert result.reason == "there is no evidence of an effect of any parameter."
    assert set(result.to_dict().values()) == {0.0}


def test_optunas_functions_can_use_it() -> None:
    """Through the evaluator, whose default stays Optuna's own."""
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(
        lambda t: t.suggest_float("x", 0, 1) + 0.01 * t.suggest_float("y", 0, 1), n_trials=200
    )
    evaluator = CondPedAnovaImportanceEvaluator(method="calibrated")
    ours = optuna.importance.get_param_importances(study, evaluator=evaluator)
    direct = condped.importance(study, method="calibrated").to_dict()
    assert ours == pytest.approx(direct)
    assert ours["x"] == 1.0


@pytest.mark.parametrize(
    "options", [{"measure": "unweighted"}, {"reference": "space"}, {"sampling": "sobol"}]
)
def test_what_it_has_not_is_refused(options: Any) -> None:
    """With what to use instead."""
    with pytest.raises(SettingsError, match=r"method='paper'|sampling must be"):
        condped.importance(
            condped.problems.get("nested").sample(50, seed=0), method="calibrated", **options
        )
