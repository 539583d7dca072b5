"""Which of nested runs are trials, case by case."""

from __future__ import annotations

import numpy as np
import pytest

from condped.read.tools.mlflow.conventions import trials_among, with_infinities


@pytest.mark.parametrize(
    ("parents", "tried", "trials"),
    [
        pytest.param({}, "abc", "abc", id="no nesting"),
        pytest.param({"b": "a", "c": "a"}, "bc", "bc", id="sweep"),
        pytest.param({"b": "a", "c": "a"}, "abc", "bc", id="sweep with parameters of its own"),
        pytest.param({"b": "a", "c": "a"}, "ab", "bc", id="trial that failed before it had any"),
        pytest.param({"b": "a", "c": "a"}, "a", "a", id="folds"),
        pytest.param({"b": "a", "c": "b"}, "b", "b", id="sweep, trial, fold"),
        pytest.param({"b": "a", "c": "b"}, "abc", "c", id="nested twice"),
        pytest.param({"b": "a", "c": "a"}, "", "abc", id="nothing to tell by"),
        pytest.param({"b": "gone", "c": "c"}, "abc", "abc", id="parent deleted, own parent"),
    ],
)
def test_trials_are_the_innermost_runs_with_parameters(
    parents: dict[str, str], tried: str, trials: str
) -> None:
    """Sweeps above and parts below them are told apart by who has parameters."""
    kept = trials_among("abc", parents, np.array([run in tried for run in "abc"]))
    assert "".join(run for run, keep in zip("abc", kept.rows, strict=True) if keep) == trials
    assert bool(kept.notes) == (len(trials) < 3)


def test_the_largest_float_stands_for_infinity() -> None:
    """And nothing else does."""
    largest = np.finfo(np.float64).max
    values = np.array([largest, -largest, 1e308, 0.0, np.nan])
    np.testing.assert_array_equal(with_infinities(values), [np.inf, -np.inf, 1e308, 0.0, np.nan])
