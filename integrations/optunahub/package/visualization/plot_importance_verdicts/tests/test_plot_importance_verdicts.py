from __future__ import annotations

from pathlib import Path

import condped
import optuna
import optunahub
import pytest


go = pytest.importorskip("plotly.graph_objects")
module = optunahub.load_local_module(
    package="visualization/plot_importance_verdicts",
    registry_root=str(Path(__file__).parents[3]),
)


def objective(trial: optuna.Trial) -> float:
    trial.suggest_float("unused", 0, 1)
    if trial.suggest_categorical("model", ["linear", "network"]) == "linear":
        return 3 + trial.suggest_float("alpha", -3, 3)
    return trial.suggest_float("rate", -5, 0) ** 2


@pytest.fixture(scope="module")
def study() -> optuna.Study:
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(objective, n_trials=120)
    return study


def test_bars_are_the_importances_and_name_the_verdicts(study: optuna.Study) -> None:
    figure = module.plot_importance_verdicts(study, target_quantile=0.2)
    result = condped.importance(study, target_quantile=0.2)
    assert isinstance(figure, go.Figure)
    (bars,) = figure.data
    names, verdicts = zip(*bars.customdata)
    assert set(names) == {"unused", "model", "alpha", "rate"}
    assert list(bars.x) == pytest.approx([result[name].importance for name in names])
    for name, verdict in zip(names, verdicts):
        assert verdict.startswith(result.evidence[name].verdict)


def test_only_the_requested_parameters(study: optuna.Study) -> None:
    figure = module.plot_importance_verdicts(study, params=["model", "rate"])
    assert {name for name, _ in figure.data[0].customdata} == {"model", "rate"}


def test_bad_options_are_refused(study: optuna.Study) -> None:
    with pytest.raises(ValueError, match="target_quantile"):
        module.plot_importance_verdicts(study, target_quantile=2)
