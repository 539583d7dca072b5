"""What is made of absent parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import condped
from condped import Categorical, Float, Int
from condped.comparison.baselines.absent_values import filter_absent, impute_absent, middle
from condped.trials.regimes import expand_domains


@pytest.mark.parametrize(
    ("domain", "expected"),
    [
        (Float(-5, -2), -3.5),
        (Float(1e-4, 1, log=True), 1e-2),
        (Float(0, 1, step=0.25), 0.5),
        (Float(0, 0.9, step=0.3), 0.3),
        (Float(1e-300, 1e300, log=True), 1.0),
        (Float(-1.7e308, 1.7e308), 0.0),
        (Int(1, 9), 5),
        (Int(1, 10), 5),
        (Int(2, 14, step=3), 8),
        (Int(1, 100, log=True), 10),
        (Int(4, 512, log=True), 45),
        (Int(-(10**15), 10**15), 0),
        (Categorical(["b", "a"]), 0),
        (Float(3, 3), 3.0),
    ],
)
def test_the_middle_of_a_domain(domain: Any, expected: float) -> None:
    """Midpoints, geometric on log scales, rounded down to a step; the first choice."""
    assert middle(domain) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert isinstance(middle(domain), float) == isinstance(domain, Float)


def test_imputation_fills_the_gaps_and_nothing_else() -> None:
    """Present values stay; every trial has one domain."""
    table = condped.problems.get("activation-disjoint").sample(200, seed=0)
    filled = impute_absent(table)
    for before, after in zip(table.parameters, filled.parameters, strict=True):
        present = before.domain_ids >= 0
        assert (after.domain_ids == 0).all()
        np.testing.assert_array_equal(after.values[present], before.values[present])
        assert set(after.values[~present]) <= {middle(before.domains[0])}


def test_filtering_keeps_the_trials_and_the_parameters_they_share() -> None:
    """Of the nested problem's innermost branch, its gates remain and the other branches go."""
    table = expand_domains(condped.problems.get("nested").sample(200, seed=0))
    (x,) = (p for p in table.parameters if p.name == "x")
    kept = filter_absent(table, "x")
    assert len(kept) == np.count_nonzero(x.domain_ids >= 0)
    assert kept.names == ("c0", "c1", "x")
    assert all((p.domain_ids >= 0).all() for p in kept.parameters)


def test_domains_that_switch_are_joined_first() -> None:
    """Middles are those of the domain that spans all: [2, 7] and [-7, -2] give 0."""
    rng = np.random.default_rng(0)
    c = rng.integers(0, 3, 300)
    x = np.where(c == 0, rng.uniform(-7, -2, 300), rng.uniform(2, 7, 300))
    x[c == 2] = np.nan
    space = {
        "c": {"type": "int", "low": 0, "high": 2},
        "x": [
            {"when": "c == 0", "type": "float", "low": -7, "high": -2},
            {"when": "c == 1", "type": "float", "low": 2, "high": 7},
        ],
    }
    table = condped.read({"c": c, "x": x, "loss": c + 0.0}, objective="loss", space=space)
    filled = impute_absent(expand_domains(table))
    assert set(filled.parameters[1].values[c == 2]) == {0.0}
    notes = condped.baselines.importance(table, method="mdi", trees=2).account.notes
    assert "Domains joined into one that spans them: x." in notes
    made_up = int((c == 2).sum())
    assert any(f"x ({made_up}, 0)" in note for note in notes)
