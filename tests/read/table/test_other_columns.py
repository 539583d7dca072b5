"""Columns that are plainly results or records are not taken for parameters, and this is said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import condped
from condped.errors import SettingsError, SourceError
from condped.read.table.other_columns import is_record, is_result
from condped.trials.columns import array_column

RNG = np.random.default_rng(0)
N = 40
RECORDS = (
    "trial_id run_id trial_number timestamp date start_time end_time fit_time mean_fit_time "
    "rank_test_score split0_test_score std_test_score training_iteration time_total_s duration "
    "wall_time hostname pid experiment_id created_at id train_time_s elapsed"
)
PARAMETERS = (
    "lr epochs time_steps n_trials window_time_steps update batch_size candidate n_runs index_type "
    "grid scoring loss_weight error_penalty score_function seed warmup_time_fraction identity"
)


@pytest.mark.parametrize("name", RECORDS.split())
def test_names_of_records(name: str) -> None:
    """Which trial it was, when, where and for how long."""
    assert is_record(name)


@pytest.mark.parametrize("name", PARAMETERS.split())
def test_names_of_parameters(name: str) -> None:
    """Similar words do not make a record or a result."""
    assert not is_record(name)
    assert not is_result(name, array_column(RNG.random(N)))


def test_metrics_are_numbers_that_were_measured() -> None:
    """A choice or a few values of the same name are parameters."""
    for name in ("val_loss", "test/accuracy", "rmse", "train_f1", "loss"):
        assert is_result(name, array_column(RNG.random(N)))
        assert not is_result(name, array_column(RNG.choice(["hinge", "log"], N)))
        assert not is_result(name, array_column(RNG.choice([0.5, 1.5, 2.5], N)))
        assert not is_result(name, array_column(np.arange(N)))


def test_they_are_left_out_and_named() -> None:
    """Unless the caller names the parameters or gives a space."""
    columns: dict[str, Any] = {
        "lr": RNG.random(N),
        "val_loss": RNG.random(N),
        "val_accuracy": RNG.random(N),
        "fit_time": RNG.random(N),
        "trial_id": np.arange(N),
        "loss": RNG.choice(["hinge", "log"], N),
    }
    table = condped.read(columns, objective="val_loss")
    assert table.names == ("lr", "loss")
    assert table.ignored_columns == ("val_accuracy", "fit_time", "trial_id")
    (note,) = table.notes
    assert note.startswith(
        "Not taken for parameters, by their names: val_accuracy, fit_time, trial_id."
    )
    named = condped.read(columns, objective="val_loss", parameters=["lr", "fit_time"])
    assert named.names == ("lr", "fit_time")
    space = {"fit_time": {"type": "float", "low": 0, "high": 1}}
    assert condped.read(columns, objective="val_loss", space=space).names == ("fit_time",)


def test_percents_are_recognised() -> None:
    """10 means 0.1, which the error says."""
    columns = {"x": RNG.random(N), "loss": RNG.random(N)}
    with pytest.raises(SettingsError, match=r"\(got 10\)\. Did you mean 0\.1 \(10 %\)\?"):
        condped.importance(columns, objective="loss", target_quantile=10)
    with pytest.raises(SettingsError, match=r"\(got 500\)\.$"):
        condped.importance(columns, objective="loss", target_quantile=500)


def test_a_list_of_trials_is_not_a_study() -> None:
    """The error names what to pass."""
    optuna = pytest.importorskip("optuna")
    study = optuna.create_study()
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
    for wrong in (study.trials, study.best_trial):
        with pytest.raises(SourceError, match=r"Pass the study itself: study, not study\.trials"):
            condped.importance(wrong)
