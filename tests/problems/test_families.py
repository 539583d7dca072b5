"""The benchmark's families: exact truth against random trials, and the rule for the default."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import condped
from benchmarks.exact_problems import FAMILIES, _reached, sampled_truth
from benchmarks.statistics_exact import averages, violations


@pytest.mark.parametrize("problem", FAMILIES, ids=lambda problem: problem.name)
def test_the_truth_is_what_many_trials_show(problem: Any) -> None:
    """At three target quantiles, 300,000 trials in bins."""
    quantiles = (0.05, 0.1, 0.25)
    sampled = sampled_truth(problem, quantiles, 300_000, bins=200)
    for quantile in quantiles:
        exact = problem.truth(quantile)
        assert sum(exact.values()) == pytest.approx(1)
        for name, value in exact.items():
            assert sampled[quantile][name] == pytest.approx(value, abs=0.02), (quantile, name)


@pytest.mark.parametrize("problem", FAMILIES, ids=lambda problem: problem.name)
def test_samples_have_the_parameters_of_the_truth(problem: Any) -> None:
    """And are reproducible; conditions of the space agree with what is absent."""
    table = problem.sample(60, seed=1)
    assert set(table.names) == set(problem.truth(0.1))
    again = condped.importance(problem.sample(60, seed=1)).to_dict()
    assert again == condped.importance(table).to_dict()


def test_sums_of_uniform_values_have_the_distribution_of_their_formula() -> None:
    """Three values of different widths, against a million draws."""
    slopes = {"a": 1.0, "b": 0.4, "c": 0.7}
    total = np.random.default_rng(0).random((1_000_000, 3)) @ np.array(list(slopes.values()))
    for loss in (0.1, 0.8, 1.5, 2.05):
        assert float(_reached(slopes, loss)) == pytest.approx(np.mean(total <= loss), abs=0.003)


def cells(**errors: float) -> list[dict[str, Any]]:
    """Return rows of one case, with a standard error of 0.01."""
    return [
        {"group": "g", "problem": "p", "trials": 100, "idle": 0, "quantile": 0.1,
         "method": method, "error": error, "error_se": 0.01, "leak": 0.0, "undetermined": 0.0}
        for method, error in errors.items()
    ]  # fmt: skip


def test_the_rule_for_the_default_allows_a_standard_error_or_a_tenth() -> None:
    """More is listed, with its numbers."""
    allowed, total = violations(cells(paper=0.2, calibrated=0.21))
    assert (allowed, total) == ([], 1)
    (found,), _ = violations(cells(paper=0.2, calibrated=0.22))
    assert str(found) == "p (g), N = 100, 0 idle, γ' = 0.1: 22.0 against 20.0 (± 1.0)"
    few = [row | {"trials": 50} for row in cells(paper=0.2, calibrated=0.219)]
    assert violations(few)[0] == []
    assert len(violations([row | {"trials": 50} for row in cells(paper=0.2, calibrated=0.23)])[0])
    (mean,) = [row for row in averages(few) if row["method"] == "paper"]
    assert (mean["error"], mean["problems"]) == (0.2, 1)
