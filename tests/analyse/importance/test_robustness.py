"""How the ranking moves, and pairs that only matter together."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import condped
from condped.analyse.robustness import kendall
from condped.errors import SettingsError


def test_a_clear_answer_is_stable_and_a_coincidence_fragile() -> None:
    """Over target sets, halves in time and methods."""
    rng = np.random.default_rng(0)
    trials = {name: rng.random(400) for name in ("x", "y", "z")}
    clear = condped.importance({**trials, "loss": trials["x"]}, objective="loss").robustness()
    assert clear.stable
    assert str(clear).endswith("the rankings agree.")
    chance = condped.importance({**trials, "loss": rng.random(400)}, objective="loss").robustness()
    assert not chance.stable
    assert [variant.choice for variant in chance.variants] == [
        "best 5 %",
        "best 20 %",
        "best 40 %",
        "first half in time",
        "second half in time",
        "calibrated method",
    ]


def test_agreement_is_kendalls_tau() -> None:
    """Against scipy, ties included."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        a = dict(enumerate(rng.integers(1, 6, 8) / 10))
        b = dict(enumerate(rng.integers(1, 6, 8) / 10))
        theirs = stats.kendalltau(list(a.values()), list(b.values())).statistic
        assert kendall(a, b) == pytest.approx(theirs)  # type: ignore[arg-type]


@pytest.mark.parametrize(("trials", "quantile"), [(200, 0.25), (500, 0.1)])
def test_a_pair_that_only_matters_together_is_found(trials: int, quantile: float) -> None:
    """XOR: each by itself is noise."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        table = {name: rng.random(trials) for name in "abcdef"}
        together = (table["a"] < 0.5) == (table["b"] < 0.5)
        table["loss"] = together + rng.random(trials)
        effects = condped.joint_effects(table, objective="loss", target_quantile=quantile)
        assert len(effects) == 15
        assert effects[0].parameters == ("a", "b")
        assert effects[0].eta_squared > effects[1].eta_squared


def test_only_pairs_that_are_active_together_are_looked_at() -> None:
    """Parameters of different branches never are; few trials are refused."""
    table = condped.problems.get("three-way").sample(600, seed=0)
    pairs = {effect.parameters for effect in condped.joint_effects(table)}
    assert pairs == {("c", name) for name in table.names if name != "c"}
    with pytest.raises(SettingsError, match="at least 50 trials"):
        condped.joint_effects(condped.problems.get("nested").sample(49, seed=0))


def test_nothing_agrees_with_nothing_only_in_name() -> None:
    """Where one of two rankings tells nothing there is no agreement, and no stability."""
    rng = np.random.default_rng(2)
    trials = {"x": rng.random(100), "y": rng.random(100), "loss": np.ones(100)}
    found = condped.importance(trials, objective="loss").robustness()
    assert not found.stable
    assert {variant.agreement for variant in found.variants} == {None}
    assert "?" in str(found)


def test_pairs_do_not_depend_on_the_order_of_the_rows_or_many_choices() -> None:
    """Equal values share a cell; cells without trials cost nothing."""
    rng = np.random.default_rng(3)
    trials = {"a": rng.integers(0, 2, 600), "b": rng.integers(0, 2, 600), "loss": rng.random(600)}
    order = np.argsort(trials["loss"])
    sorted_trials = {name: values[order] for name, values in trials.items()}
    one = condped.joint_effects(trials, objective="loss", target_quantile=0.25)
    other = condped.joint_effects(sorted_trials, objective="loss", target_quantile=0.25)
    assert one[0].eta_squared == pytest.approx(other[0].eta_squared)
    assert abs(one[0].eta_squared) < 0.02
    names = np.array([f"choice {number}" for number in range(400)])
    many = {"a": rng.choice(names, 1000), "b": rng.choice(names, 1000), "loss": rng.random(1000)}
    assert len(condped.joint_effects(many, objective="loss")) == 1
