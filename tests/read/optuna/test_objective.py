"""Other things than the value to explain: user attributes and reported values of any storage."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import optuna
import pytest
from optuna.storages.journal import JournalFileBackend

import condped
from condped.errors import DataError, NameNotFoundError, SettingsError
from tests.read.optuna.studies import conditional


@pytest.fixture(scope="module", params=["memory", "sqlite", "journal"])
def source(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Any, optuna.Study]]:
    """Return a source and the study that Optuna has there."""
    folder = tmp_path_factory.mktemp("objective")
    paths = {"memory": None, "sqlite": folder / "s.db", "journal": folder / "s.log"}
    path = paths[request.param]
    storage: Any = None
    if request.param == "sqlite":
        storage = optuna.storages.RDBStorage(f"sqlite:///{path}")
    if request.param == "journal":
        storage = optuna.storages.JournalStorage(JournalFileBackend(str(path)))
    study = optuna.create_study(
        storage=storage, direction="maximize", sampler=optuna.samplers.RandomSampler(seed=1)
    )
    study.optimize(conditional, n_trials=50, catch=(ArithmeticError,))
    study.add_trial(
        optuna.trial.create_trial(
            value=1.0,
            user_attrs={"seconds; --": 0.5, "who": "me"},
            intermediate_values={3: 2.0},
            params={"added": 0.5},
            distributions={"added": optuna.distributions.FloatDistribution(0, 1)},
        )
    )
    yield (study if path is None else str(path)), study
    if request.param == "sqlite":
        storage.remove_session()
        storage.engine.dispose()


def test_a_user_attribute_can_be_the_objective(source: tuple[Any, optuna.Study]) -> None:
    """It is minimised unless the caller says otherwise; trials without it have none."""
    given, study = source
    column = study.trials_dataframe()["user_attrs_seconds; --"].to_numpy()
    (objective,) = condped.read(given, objective="user_attrs_seconds; --").objectives
    assert np.array_equal(objective.values, column, equal_nan=True)
    assert (objective.name, objective.direction) == ("user_attrs_seconds; --", "minimize")
    assert np.count_nonzero(~np.isnan(column)) == 51
    table = condped.read(given, objective="user_attrs_seconds; --", direction="maximize")
    assert table.objectives[0].direction == "maximize"


def test_a_reported_value_can_be_the_objective(source: tuple[Any, optuna.Study]) -> None:
    """Steps have the study's direction; pruned trials take part if the caller keeps them."""
    given, study = source
    reported = [trial.intermediate_values.get(3, np.nan) for trial in study.trials]
    (objective,) = condped.read(given, objective="intermediate_values_3").objectives
    assert np.array_equal(objective.values, reported, equal_nan=True)
    assert objective.direction == "maximize"
    kept = condped.importance(given, objective="intermediate_values_10", pruned="keep")
    pruned = sum(trial.state.name == "PRUNED" for trial in study.trials)
    assert kept.account.trials.used == kept.account.trials.pruned == pruned > 0


def test_pruned_trials_can_count_with_the_value_they_reached(
    source: tuple[Any, optuna.Study],
) -> None:
    """Optuna records the last reported value as theirs."""
    given, study = source
    table = condped.read(given)
    pruned = [trial.number for trial in study.trials if trial.state.name == "PRUNED"]
    assert (table.objectives[0].values[pruned] == 0.5).all()
    trials = condped.importance(given, pruned="keep").account.trials
    assert trials.used == condped.importance(given).account.trials.used + len(pruned)


def test_what_is_not_there_or_no_number_is_refused(source: tuple[Any, optuna.Study]) -> None:
    """With the names that there are, and the trial that holds no number."""
    given, _ = source
    with pytest.raises(NameNotFoundError, match="Did you mean 'seconds; --'"):
        condped.read(given, objective="user_attrs_second; --")
    with pytest.raises(NameNotFoundError, match=r"no reported step 4\. Available: '3', '10'"):
        condped.read(given, objective="intermediate_values_4")
    with pytest.raises(DataError, match=r"'who' must be a number \(got 'me' in trial 50\)"):
        condped.read(given, objective="user_attrs_who")
    with pytest.raises(SettingsError, match="direction cannot be set"):
        condped.read(given, direction="minimize")


@pytest.mark.parametrize("step", ["--5", str(10**22), "5-", "²"])
def test_what_is_no_step_is_a_name(source: tuple[Any, optuna.Study], step: str) -> None:
    """Of an attribute that no trial has."""
    given, _ = source
    with pytest.raises(NameNotFoundError, match="user attribute"):
        condped.read(given, objective=f"intermediate_values_{step}")
