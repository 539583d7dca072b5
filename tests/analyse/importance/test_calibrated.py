"""The calibrated method: truth, fairness to choices, invariance, refusals, the evaluator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest

import condped
from condped.errors import SettingsError
from condped.estimate.calibrated_estimator import calibrated_estimate
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


def hidden_effects(trials: int = 60, seed: int = 0) -> dict[str, Any]:
    """Return one plain effect among weak ones, none of which can be told from chance."""
    rng = np.random.default_rng(seed)
    found: dict[str, Any] = {name: rng.random(trials) for name in ("a", "b", "c", "d", "e")}
    found["loss"] = 2.0 * found["a"] + sum(found[name] for name in "bcde")
    return found


def shared_result(**options: Any) -> condped.ImportanceResult:
    """Return a result of which some is unattributed."""
    for seed in range(20):
        made = condped.importance(
            hidden_effects(seed=seed), objective="loss", method="calibrated", **options
        )
        if made.unattributed > 0.05:
            return made
    raise AssertionError("in none of twenty studies anything is unattributed")


def test_a_lone_survivor_does_not_get_everything() -> None:
    """What the others seem to explain is unattributed; both together are 1."""
    result = shared_result()
    assert sum(result.to_dict().values()) + result.unattributed == pytest.approx(1.0)
    assert {row["unattributed"] for row in result.rows()} == {result.unattributed}
    assert result.to_data()["unattributed"] == result.unattributed
    assert f"unattributed: {result.unattributed:.3f}" in str(result)
    assert "unattributed" in result._repr_html_()
    others = 1 - result.unattributed
    assert max(result.to_dict().values()) <= others + 1e-12


def test_the_unattributed_share_is_saved(tmp_path: Path) -> None:
    """And comes back with the result, of one target set and of many."""
    result = shared_result()
    result.save(tmp_path / "result.json")
    assert condped.load(tmp_path / "result.json") == result
    curve = condped.sweep(hidden_effects(), objective="loss", method="calibrated")
    curve.save(tmp_path / "curve.json")
    again: Any = condped.load(tmp_path / "curve.json")
    np.testing.assert_array_equal(again.unattributed, curve.unattributed)
    sums = curve.importance.sum(axis=1) + curve.unattributed
    np.testing.assert_allclose(sums[curve.determined], 1.0)
    assert not curve.unattributed[~curve.determined].any()


def test_the_papers_method_attributes_everything() -> None:
    """It has no gate."""
    curve = condped.sweep(hidden_effects(), objective="loss")
    assert not curve.unattributed.any()
    assert "unattributed" not in str(condped.importance(hidden_effects(), objective="loss"))


def test_what_the_sampler_gives_is_subtracted() -> None:
    """Before clipping, regime by regime; with all of it taken away nothing is left."""
    problem = condped.problems.get("nested").sample(300, seed=0)
    analysis = condped.importance(problem, method="calibrated")._analysis
    assert analysis is not None
    counts, p_values = analysis.counts.ranked, np.zeros((1, 5))
    plain = calibrated_estimate(counts, p_values)
    half = calibrated_estimate(counts, p_values, bias=0.5 * plain.contribution)
    np.testing.assert_allclose(half.contribution, 0.5 * plain.contribution)
    np.testing.assert_allclose(half.within, 0.5 * plain.within)
    whole = calibrated_estimate(counts, p_values, bias=2.0 * np.abs(plain.contribution))
    assert not whole.within.any()
    assert not whole.rest.any()


def test_optunas_functions_can_use_it() -> None:
    """Through the evaluator, whose default stays Optuna's own."""
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(
        lambda t: t.suggest_float("x", 0, 1) + 0.01 * t.suggest_float("y", 0, 1), n_trials=200
    )
    evaluator = CondPedAnovaImportanceEvaluator(method="calibrated")
    ours = optuna.importance.get_param_importances(study, evaluator=evaluator)
    direct = condped.importance(study, method="calibrated")
    # Optuna divides by the sum: what is unattributed goes to those that have something.
    left = 1 - direct.unattributed
    assert ours == pytest.approx({n: v / left for n, v in direct.to_dict().items()})
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
