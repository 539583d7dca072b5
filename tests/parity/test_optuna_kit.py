"""Optuna's own published tests of importance evaluators, run on ours."""

from __future__ import annotations

from collections.abc import Callable

import optuna
import pytest
from optuna.importance import BaseImportanceEvaluator

from tests.optuna_version import skip_before_optuna_5

skip_before_optuna_5("its kit for importance evaluators")

from optuna.testing.pytest_importance import (  # noqa: E402
    BasicImportanceEvaluatorTestCase,
    ConditionalImportanceEvaluatorTestCase,
    MultiObjectiveImportanceEvaluatorTestCase,
)

from condped.errors import SettingsError  # noqa: E402
from condped.optuna import CondPedAnovaImportanceEvaluator  # noqa: E402

# Optuna itself warns of its experimental `normalize` argument and of targets to be minimised.
pytestmark = [
    pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning"),
    pytest.mark.filterwarnings("ignore:Importances are undetermined"),
]


class TestKit(
    BasicImportanceEvaluatorTestCase,
    ConditionalImportanceEvaluatorTestCase,
    MultiObjectiveImportanceEvaluatorTestCase,
):
    """The Basic, Conditional and MultiObjective kits."""

    @pytest.fixture
    def evaluator(self) -> Callable[..., BaseImportanceEvaluator]:
        """Return what the kits build their evaluators with."""
        return CondPedAnovaImportanceEvaluator


def _two_objectives() -> optuna.Study:
    study = optuna.create_study(
        directions=["minimize", "maximize"], sampler=optuna.samplers.RandomSampler(seed=0)
    )
    # x decides the good end of the second objective, y its bad end.
    study.optimize(
        lambda trial: (
            0.0,
            (x if (x := trial.suggest_float("x", 0, 1)) > 0.5 else 0.0)
            - (y if (y := trial.suggest_float("y", 0, 1)) < 0.1 else 0.0) * 50,
        ),
        n_trials=300,
    )
    return study


def test_a_maximised_objective_is_explained_by_its_good_values() -> None:
    """A target that returns an objective as recorded keeps that objective's direction."""
    study = _two_objectives()
    evaluator = CondPedAnovaImportanceEvaluator()
    with pytest.warns(UserWarning, match="'values_1', which the study maximises"):
        plain = evaluator.evaluate(study, target=lambda trial: trial.values[1])
    negated = evaluator.evaluate(study, target=lambda trial: -trial.values[1])
    assert plain == negated
    assert plain["x"] > plain["y"]


def test_plot_of_a_multi_objective_study_shows_each_objective_in_its_direction() -> None:
    """Optuna's plot passes raw values as target; ours explains the good ones."""
    study = _two_objectives()
    with pytest.warns(UserWarning, match="which the study maximises"):
        figure = optuna.visualization.plot_param_importances(
            study, evaluator=CondPedAnovaImportanceEvaluator()
        )
    second = dict(zip(figure.data[1].y, figure.data[1].x, strict=True))
    assert second["x"] > second["y"]


def test_an_objective_that_is_maximised_alone_is_plotted() -> None:
    """The drop-in works for the plot of an ordinary study too."""
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(
        lambda t: t.suggest_float("x", 0, 1) + t.suggest_int("n", 1, 9) / 100, n_trials=100
    )
    figure = optuna.visualization.plot_param_importances(
        study, evaluator=CondPedAnovaImportanceEvaluator()
    )
    assert list(figure.data[0].y) == ["n", "x"]


def test_quantiles_out_of_order_are_refused() -> None:
    """The evaluator says what is wrong instead of an assertion without words."""
    with pytest.raises(SettingsError, match="Lower target_quantile"):
        CondPedAnovaImportanceEvaluator(target_quantile=0.5, region_quantile=0.4)


def test_a_target_that_may_mean_either_end_is_minimised_as_optuna_does() -> None:
    """Where one objective is the negative of another, the direction is not guessed."""
    study = optuna.create_study(
        directions=["minimize", "maximize"], sampler=optuna.samplers.RandomSampler(seed=0)
    )
    study.optimize(
        lambda t: ((v := t.suggest_float("x", 0, 1) ** 3 + t.suggest_float("y", 0, 1)), -v),
        n_trials=200,
    )
    ours = CondPedAnovaImportanceEvaluator().evaluate(study, target=lambda t: -t.values[0])
    with pytest.warns(UserWarning, match="low `target` values"):
        theirs = optuna.importance.PedAnovaImportanceEvaluator().evaluate(
            study, target=lambda t: -t.values[0]
        )
    assert ours == pytest.approx(theirs, rel=1e-9)


def test_undetermined_importances_are_warned_of() -> None:
    """One trial tells nothing, and Optuna would share importance out without a word."""
    study = optuna.create_study()
    study.optimize(lambda t: t.suggest_float("x", 0, 1), n_trials=1)
    with pytest.warns(UserWarning, match="only one trial"):
        assert CondPedAnovaImportanceEvaluator().evaluate(study) == {"x": 0.0}
