"""Studies that Optuna really ran, with everything in them that a reader must cope with."""

from __future__ import annotations

from typing import Any

import numpy as np
import optuna

import condped
from condped.read.optuna.records import STATES
from condped.space.domain import Categorical, Domain, Float, Int
from condped.testing import Run, check_reader
from condped.trials.course.drawing import Drawing
from tests.optuna_version import constrain


def conditional(trial: optuna.Trial) -> float:
    """Switch parameters and domains, fail, prune and diverge now and then."""
    learner = trial.suggest_categorical("learner; DROP TABLE trials", ["svm", "net", None, 2, True])
    constrain(trial, "speed", trial.number % 3 - 1.0)
    trial.set_user_attr("seconds; --", trial.number / 7)
    trial.report(trial.number % 5, 3)
    if trial.number % 9 == 4:
        trial.report(0.5, 10)
        raise optuna.TrialPruned
    if trial.number % 11 == 7:
        raise ArithmeticError("the model did not converge")
    if learner == "svm":
        c = trial.suggest_float("svm.C 'cost'", 1e-3, 1e3, log=True)
        return float("inf") if c > 500 else abs(np.log(c))
    if learner == "net":
        layers = trial.suggest_int("n_läyers", 1, 5)
        high = 0.5 if layers < 3 else 0.25
        dropout = trial.suggest_float("dropout", 0.0, high, step=0.05)
        units = trial.suggest_int("<b>units</b>", 4, 512, log=True)
        return layers * dropout + units / 100
    return 3.0 + trial.suggest_float('quote"d', -1, 1)


def two_objectives(trial: optuna.Trial) -> tuple[float, float]:
    """Return an error to minimise and a speed to maximise."""
    x = trial.suggest_float("x", 0, 1)
    return x, (float("-inf") if x > 0.95 else trial.suggest_int("n", 0, 20, step=5) - x)


def run(study: optuna.Study, trials: int) -> optuna.Study:
    """Run the objective that fits the study's directions."""
    if len(study.directions) == 1:
        study.optimize(conditional, n_trials=trials, catch=(ArithmeticError,))
    else:
        study.optimize(two_objectives, n_trials=trials)
    return study


def write_two_studies(storage: optuna.storages.BaseStorage) -> None:
    """Write a study with conditions and one with two objectives, named to make trouble."""
    sampler = optuna.samplers.TPESampler(seed=0)
    first = optuna.create_study(study_name="tpe's", storage=storage, sampler=sampler)
    first.enqueue_trial({"learner; DROP TABLE trials": None, 'quote"d': 0.1})
    run(first, 60)
    two = optuna.create_study(
        study_name='two"; --',
        storage=storage,
        directions=["minimize", "maximize"],
        sampler=optuna.samplers.RandomSampler(seed=2),
    )
    two.set_metric_names(["error", "speed"])
    run(two, 40)


def runs_of(study: optuna.Study) -> list[Run]:
    """Return a study's trials for the kit, as Optuna itself tells them."""
    nothing = [None] * len(study.directions)
    return [
        Run(
            trial.values or nothing,
            trial.params,
            {name: domain_of(entry) for name, entry in trial.distributions.items()},
            STATES[trial.state.name],
        )
        for trial in study.trials
    ]


def domain_of(distribution: Any) -> Domain:
    """Return a distribution as a domain."""
    if isinstance(distribution, optuna.distributions.CategoricalDistribution):
        return Categorical(distribution.choices)
    whole = isinstance(distribution, optuna.distributions.IntDistribution)
    kind: Any = Int if whole else Float
    made: Domain = kind(distribution.low, distribution.high, distribution.log, distribution.step)
    return made


def check_optuna(reader: str, source: Any, study: optuna.Study) -> None:
    """Run a source of Optuna's through the kit."""
    directions = [direction.name.lower() for direction in study.directions]
    name = {} if isinstance(source, optuna.Study) else {"study": study.study_name}
    check_reader(reader, source, runs_of(study), directions=directions, **name)


def assert_same_table(ours: condped.TrialTable, theirs: condped.TrialTable) -> None:
    """Compare all columns; the order of parameters may differ."""
    assert len(ours) == len(theirs)
    assert np.array_equal(ours.states, theirs.states)
    for one, other in zip(ours.objectives, theirs.objectives, strict=True):
        assert (one.name, one.direction) == (other.name, other.direction)
        assert np.array_equal(one.values, other.values, equal_nan=True)
    if theirs.violations is None:
        assert ours.violations is None
    else:
        assert ours.violations is not None
        assert np.array_equal(ours.violations, theirs.violations, equal_nan=True)
    assert ours.times is not None
    assert theirs.times is not None
    for name in ("started", "ended", "durations"):
        one, other = getattr(ours.times, name), getattr(theirs.times, name)
        assert np.array_equal(one, other, equal_nan=True)
    found = {parameter.name: parameter for parameter in ours.parameters}
    assert set(found) == set(theirs.names)
    for expected in theirs.parameters:
        parameter = found[expected.name]
        assert parameter.domains == expected.domains
        assert np.array_equal(parameter.domain_ids, expected.domain_ids)
        here = expected.domain_ids >= 0
        assert parameter.values.dtype == expected.values.dtype
        assert np.array_equal(parameter.values[here], expected.values[here])


def assert_same_drawing(ours: Drawing | None, theirs: Drawing | None) -> None:
    """Compare all that is recorded of how trials were drawn."""
    assert ours is not None
    assert theirs is not None
    assert ours.samplers == theirs.samplers
    for name in ("steps", "last_losses", "losses"):
        one, other = getattr(ours, name), getattr(theirs, name)
        assert (one is None) == (other is None)
        assert one is None or np.array_equal(one, other, equal_nan=True)
    assert set(ours.fixed) == set(theirs.fixed)
    assert all(np.array_equal(ours.fixed[name], theirs.fixed[name]) for name in ours.fixed)


def assert_same_importances(ours: condped.TrialTable, theirs: condped.TrialTable) -> None:
    """Compare variances for one and for all objectives."""
    for options in ({}, {"target_quantile": 0.3, "region_quantile": 0.8}):
        one = condped.importance(ours, **options)  # type: ignore[arg-type]
        other = condped.importance(theirs, **options)  # type: ignore[arg-type]
        assert one.to_dict(normalize=False) == other.to_dict(normalize=False)
