"""Objectives and trials: directions, failures, constraints, several objectives, the account."""

from __future__ import annotations

from typing import Any

import numpy as np
import optuna
import pytest

import condped
from condped.errors import DataError, NameNotFoundError, SettingsError
from tests.optuna_version import constrain

# Optuna warns that naming metrics is experimental.
pytestmark = pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")

SPACE = {"x": {"type": "float", "low": 0, "high": 1}, "y": {"type": "float", "low": 0, "high": 1}}


def columns(n: int = 200) -> dict[str, Any]:
    """Return trials with a loss decided by x."""
    rng = np.random.default_rng(4)
    x, y = rng.random((2, n))
    return {"x": x, "y": y, "loss": x + 0.01 * y}


def test_maximising_is_minimising_the_negative() -> None:
    """Only the sign of the objective differs."""
    low = condped.importance(columns(), objective="loss", space=SPACE)
    turned = columns() | {"loss": -columns()["loss"]}
    high = condped.importance(turned, objective="loss", direction="maximize", space=SPACE)
    assert high.to_dict(normalize=False) == low.to_dict(normalize=False)


def test_trials_that_did_not_end_well_are_dropped_and_counted() -> None:
    """Every trial is in the account once, under its first reason."""
    made = columns(100)
    made["loss"][:3] = [np.nan, np.inf, -np.inf]
    made["state"] = ["complete"] * 80 + ["pruned"] * 8 + ["failed"] * 7 + ["running"] * 5
    made["g"] = np.where(np.arange(100) < 20, 1.0, -1.0)
    kept = condped.importance(
        made, objective="loss", space=SPACE, state="state", constraints=["g"], infeasible="drop"
    )
    trials = kept.account.trials
    assert (trials.total, trials.used, trials.left_out) == (100, 60, 40)
    assert (trials.pruned, trials.failed, trials.running) == (8, 7, 5)
    assert (trials.nonfinite, trials.infeasible, trials.counted_as_worst) == (3, 17, 0)
    subset = {name: np.asarray(made[name])[20:80] for name in ("x", "y", "loss")}
    alone = condped.importance(subset, objective="loss", space=SPACE)
    assert kept.to_dict(normalize=False) == alone.to_dict(normalize=False)
    assert "8 pruned" in str(kept)


def test_counting_as_worst_is_a_very_bad_loss() -> None:
    """Failed, pruned, infinite and infeasible trials can stand behind all others."""
    made = columns(100)
    bad = made["x"] < 0.3
    worst = {**made, "loss": np.where(bad, 1e9, made["loss"])}
    expected = condped.importance(worst, objective="loss", space=SPACE)
    state = np.where(bad, "failed", "complete")
    cases: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"state": state}, {"state": "state", "failed": "worst"}),
        (
            {"state": np.where(bad, "pruned", "complete")},
            {"state": "state", "pruned": "worst"},
        ),
        ({"loss": np.where(bad, np.nan, made["loss"])}, {"nonfinite": "worst"}),
        ({"g": bad * 1.0}, {"constraints": ["g"], "infeasible": "worst"}),
    ]
    for change, options in cases:
        found = condped.importance(made | change, objective="loss", space=SPACE, **options)
        assert found.to_dict(normalize=False) == expected.to_dict(normalize=False)
        assert found.account.trials.counted_as_worst == bad.sum()
        assert found.account.trials.used == 100


def test_infeasible_trials_count_like_others_unless_told() -> None:
    """The default is the reference's, and the account says so."""
    made = columns() | {"g": np.ones(200)}
    plain = condped.importance(columns(), objective="loss", space=SPACE)
    found = condped.importance(made, objective="loss", space=SPACE, constraints=["g"])
    assert found.to_dict() == plain.to_dict()
    assert found.account.trials.infeasible == 200
    assert "Of all trials: 200 infeasible (counted like others)." in str(found)


def test_constraints_of_an_optuna_study_are_read() -> None:
    """Optuna's recorded constraints decide feasibility, above 0 is violated."""

    def objective(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0, 1)
        constrain(trial, "x at most one half", x - 0.5)
        return x

    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(objective, n_trials=30)
    infeasible = sum(trial.params["x"] > 0.5 for trial in study.trials)
    found = condped.importance(study, infeasible="drop").account.trials
    assert (found.infeasible, found.used) == (infeasible, 30 - infeasible)


def _two(n: int = 150) -> optuna.Study:
    study = optuna.create_study(
        directions=["minimize", "maximize"], sampler=optuna.samplers.RandomSampler(seed=0)
    )
    study.set_metric_names(["error", "speed"])
    study.optimize(
        lambda t: (t.suggest_float("x", 0, 1), t.suggest_float("y", 0, 1) ** 2), n_trials=n
    )
    return study


def test_one_of_several_objectives_is_taken_in_its_own_direction() -> None:
    """By name or by position, and equal to the negated loss given by hand."""
    study = _two()
    by_name = condped.importance(study, objective="speed")
    by_place = condped.importance(study, objective=1)
    by_hand = condped.importance(study, loss=lambda trial: -trial.values[1])
    by_array = condped.importance(study, loss=[-trial.values[1] for trial in study.trials])
    assert by_name["y"].importance > 0.9
    assert by_name.to_dict() == by_place.to_dict() == by_hand.to_dict() == by_array.to_dict()
    with pytest.raises(NameNotFoundError, match="Did you mean 'speed'"):
        condped.importance(study, objective="sped")
    with pytest.raises(NameNotFoundError, match="objective number 2"):
        condped.importance(study, objective=2)


def test_all_objectives_together_are_the_same_from_a_frame() -> None:
    """Pareto sets do not depend on where the columns come from."""
    study = _two()
    made = {
        "x": [t.params["x"] for t in study.trials],
        "y": [t.params["y"] for t in study.trials],
        "error": [t.values[0] for t in study.trials],
        "speed": [t.values[1] for t in study.trials],
    }
    options: dict[str, Any] = {
        "objective": ["error", "speed"],
        "direction": ["minimize", "maximize"],
        "space": SPACE,
    }
    ours = condped.importance(made, **options)
    assert ours.to_dict() == condped.importance(study).to_dict()
    # The worst trials stand behind every front.
    held = condped.importance(made | {"error": [np.nan, *made["error"][1:]]}, **options)
    worst = condped.importance(
        made | {"error": [np.nan, *made["error"][1:]]}, **options, nonfinite="worst"
    )
    assert (held.account.trials.used, worst.account.trials.used) == (149, 150)


def test_a_loss_of_the_wrong_shape_is_refused() -> None:
    """One number per trial, or an error that says so."""
    with pytest.raises(DataError, match="one number per trial: 200"):
        condped.importance(columns(), loss=[1.0, 2.0], space=SPACE)
    with pytest.raises(SettingsError, match="either loss or objective"):
        condped.importance(columns(), loss=np.zeros(200), objective="loss", space=SPACE)
    with pytest.raises(DataError, match="got 'bad' for trial 0"):
        condped.importance(_two(5), loss=lambda trial: "bad")  # type: ignore[arg-type, return-value]


def test_dropped_regimes_and_ignored_columns_are_told() -> None:
    """A domain that one trial has is left out and named; so are columns outside the space."""
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(
        lambda t: t.suggest_float("x", 0, 2 if t.number == 7 else 1) + t.suggest_float("y", 0, 1),
        n_trials=50,
    )
    result = condped.importance(study)
    (dropped,) = result.account.dropped_regimes
    assert (dropped.parameter, dropped.regimes, dropped.region_trials) == ("x", 1, 1)
    assert "x: 1 regime with a single trial each left out" in str(result)
    table = condped.importance(columns() | {"note": ["a"] * 200}, objective="loss", space=SPACE)
    assert table.account.ignored_columns == ("note",)


def test_a_thousand_domains_cost_no_cells() -> None:
    """A domain per trial is dropped as the reference does, without laying out its grid."""
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(lambda t: t.suggest_float("x", 0, t.suggest_float("top", 0.1, 1)), n_trials=300)
    result = condped.importance(study, pooling="never")
    assert result.account.dropped_regimes[0].regimes == 300
    assert result["x"].variance == 0
    assert result["x"].inter > 0


def test_settings_out_of_range_are_refused() -> None:
    """Each option says what it allows."""
    cases: list[tuple[dict[str, Any], str]] = [
        ({"target_quantile": 0.5, "region_quantile": 0.3}, "Lower target_quantile"),
        ({"target_quantile": 0}, "above 0"),
        ({"target_quantile": "0.1"}, "must be a number"),
        ({"region_quantile": 1.5}, "at most 1"),
        ({"measure": "total"}, "within, standard"),
        ({"method": "magic"}, "paper"),
        ({"reference": "none"}, "region, space"),
        ({"failed": "keep"}, "drop, worst"),
        ({"infeasible": "yes"}, "keep, drop, worst"),
    ]
    for options, words in cases:
        with pytest.raises(SettingsError, match=words):
            condped.importance(columns(), objective="loss", space=SPACE, **options)
    wrong: list[list[float]] = [[], [0.2, 0.1], [0.1, 0.1], [0.5, 1.0]]
    for quantiles in wrong:
        with pytest.raises(SettingsError):
            condped.sweep(columns(), objective="loss", space=SPACE, target_quantiles=quantiles)
