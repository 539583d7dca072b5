"""Gates: what choosing the branch decides stands beside a gate's importance."""

from __future__ import annotations

import numpy as np
import pytest

import condped
from tests.data import wine


def test_the_gate_of_a_real_study_says_where_the_winners_are() -> None:
    """Counted from the table."""
    (gate,) = condped.importance(wine()).gates
    values = wine().objectives[0].values
    (choices,) = (p.values for p in wine().parameters if p.name == "model")
    complete = wine().states == 0
    best = complete & (values == values[complete].max())
    expected = sorted((int((best & (choices == k)).sum()) for k in range(4)), reverse=True)
    assert [branch.target_trials for branch in gate.branches] == expected
    assert sum(branch.region_trials for branch in gate.branches) == int(complete.sum())
    assert gate.first.label == "logistic"


@pytest.mark.parametrize("problem", ["activation-disjoint", "three-way", "nested"])
def test_choosing_is_the_variance_between_the_regimes_of_the_children(problem: str) -> None:
    """The paper: what lies between a child's regimes is what its gate decides."""
    table = condped.problems.get(problem).sample(800, seed=1)
    result = condped.importance(table, sampling="random")
    kappa = result.target_size / result.account.region_size
    spread = kappa * (1 - kappa)
    gate = result.gates[0]  # nothing switches it
    inters = [result[name].inter / spread for name in gate.switches]
    assert any(inter == pytest.approx(gate.choosing, rel=1e-9) for inter in inters)
    branches = condped.branches(table, sampling="random")
    roots = {node.parameter: node.choosing for node in branches.roots if node.branches}
    for name, choosing in roots.items():
        found = result.gate(name)
        assert found is not None
        assert found.choosing == pytest.approx(choosing)


def test_a_choice_that_decides_everything_does_not_look_like_nothing() -> None:
    """All winners are one model, which the sampler already keeps to: its importance is small."""
    rng = np.random.default_rng(0)
    svm = rng.random(300) < 0.9
    rate = np.where(svm, rng.random(300), np.nan)
    depth = np.where(svm, np.nan, rng.random(300))
    loss = np.where(svm, (rate - 0.3) ** 2, 5 + depth)
    table = {"model": np.where(svm, "svm", "tree"), "rate": rate, "depth": depth, "loss": loss}
    result = condped.importance(table, objective="loss")
    assert result["model"].importance < 0.03
    text = " ".join(str(result).split())
    assert "model chooses the branch: svm has all 30 target trials and 8" in text
    assert "between" in text
    row = next(row for row in result.rows() if row["parameter"] == "model")
    assert row["choosing"] == pytest.approx(result.gates[0].choosing)
    assert "svm: all 30" in result._repr_html_()


def test_what_switches_nothing_is_no_gate() -> None:
    """Without conditions there is no column for what there is not."""
    result = condped.importance(
        {"x": np.linspace(0, 1, 60), "loss": np.linspace(0, 1, 60) ** 2}, objective="loss"
    )
    assert (result.gates, result.gate("x")) == ((), None)
    assert "between" not in str(result)
    assert result.rows()[0]["choosing"] is None


def test_a_gate_inside_a_branch_is_compared_with_the_trials_that_have_it() -> None:
    """Being rare in the study, as all of its branches are, is not what it decides."""
    result = condped.importance(condped.problems.get("nested").sample(800, seed=1))
    outer, inner = result.gates
    assert (outer.always, inner.always) == (True, False)
    assert inner.region_size == sum(b.region_trials for b in inner.branches) < outer.region_size
    told = " ".join(str(result).split())
    assert f"chooses the branch: where it is active, {inner.first.label} has" in told
    assert f"{inner.target_size} target trials and" in told
    assert "of these trials; η² between" in told
