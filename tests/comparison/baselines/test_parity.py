"""The same numbers as Optuna 5.0.0's evaluators and its integration's, with the same seeds."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import optuna
import pytest
from optuna.importance import (
    FanovaImportanceEvaluator,
    MeanDecreaseImpurityImportanceEvaluator,
    PedAnovaImportanceEvaluator,
)

import condped
from tests.comparison.baselines.studies import (
    Direction,
    conditional_study,
    filtered_by_hand,
    imputed_by_hand,
    mixed_study,
)
from tests.optuna_version import needs_optuna_5

pytestmark = needs_optuna_5
METHODS = ("ped-anova", "f-anova", "mdi", "shap")
# The middles of the domains of the conditional study, worked out by hand.
MIDDLES = {
    "C": 10**-0.5,
    "kernel": "rbf",
    "layers": 3,  # 3.5, rounded down
    "units": 11,  # the root of 128 is 11.3
    "drop": 0.3,  # 0.45, rounded down to a step
    "depth": 8,
}


def theirs(study: optuna.Study, method: str, seed: int) -> dict[str, float]:
    """Ask Optuna for scores that are not normalised."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from optuna_integration import ShapleyImportanceEvaluator  # noqa: PLC0415

        forests: dict[str, Any] = {
            "f-anova": FanovaImportanceEvaluator,
            "mdi": MeanDecreaseImpurityImportanceEvaluator,
            "shap": ShapleyImportanceEvaluator,
        }
        if method == "ped-anova":
            return PedAnovaImportanceEvaluator().evaluate(study)
        evaluator = forests[method](n_trees=8, seed=seed)
        scores: dict[str, float] = evaluator.evaluate(study)
        return scores


def ours(study: optuna.Study, method: Any, seed: int, absent: Any) -> dict[str, float]:
    """Ask condped for the same."""
    result = condped.baselines.importance(study, method=method, absent=absent, trees=8, seed=seed)
    return result.to_dict(normalize=False)


def assert_same(found: dict[str, float], expected: dict[str, float]) -> None:
    """Compare by name."""
    assert set(found) == set(expected)
    names = sorted(expected)
    np.testing.assert_allclose(
        [found[n] for n in names], [expected[n] for n in names], rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize("absent", ["filtering", "imputation"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("seed", "direction"), [(0, "minimize"), (1, "maximize")])
def test_without_absences_all_are_optunas(
    method: str, absent: str, seed: int, direction: Direction
) -> None:
    """Numbers, log scales, steps, choices and single values, both ways of handling absence."""
    study = mixed_study(150, seed, direction)
    assert_same(ours(study, method, seed, absent), theirs(study, method, seed))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("seed", "direction"), [(0, "minimize"), (1, "maximize")])
def test_imputation_is_optuna_on_the_filled_study(
    method: str, seed: int, direction: Direction
) -> None:
    """Where the study is filled with middles that were worked out by hand."""
    study = conditional_study(200, seed, direction)
    filled = imputed_by_hand(study, MIDDLES)
    assert_same(ours(study, method, seed, "imputation"), theirs(filled, method, seed))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("seed", "direction"), [(0, "minimize"), (1, "maximize")])
def test_filtering_is_optuna_on_each_parameters_trials(
    method: str, seed: int, direction: Direction
) -> None:
    """For each parameter a study of its own, of which its own score is taken."""
    study = conditional_study(200, seed, direction)
    found = ours(study, method, seed, "filtering")
    expected = {n: theirs(filtered_by_hand(study, n), method, seed)[n] for n in found}
    assert_same(found, expected)


def test_defaults_are_optunas() -> None:
    """64 trees of depth 64, and the best 10 % for PED-ANOVA."""
    study = mixed_study(60, 0)
    found = condped.baselines.importance(study, method="f-anova", seed=5)
    expected = FanovaImportanceEvaluator(seed=5).evaluate(study)
    assert_same(found.to_dict(normalize=False), expected)
    best = condped.baselines.importance(study, method="ped-anova")
    assert_same(best.to_dict(normalize=False), PedAnovaImportanceEvaluator().evaluate(study))
    # Depth matters where trees are cut short.
    shallow = MeanDecreaseImpurityImportanceEvaluator(max_depth=2, seed=5).evaluate(study)
    cut = condped.baselines.importance(study, method="mdi", max_depth=2, seed=5)
    assert_same(cut.to_dict(normalize=False), shallow)
