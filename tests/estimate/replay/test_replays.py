"""Replayed draws, against Optuna's own densities and draws."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import optuna
import pytest
from optuna.samplers._tpe.parzen_estimator import _ParzenEstimator, _ParzenEstimatorParameters
from optuna.samplers._tpe.sampler import default_weights

import condped
from condped.analyse.evidence.replaying import study_replays
from condped.arrays import FloatArray
from condped.estimate.replay.cells import cells_of_domains
from condped.estimate.replay.replay_test import replay_test
from condped.estimate.replay.replays import Laws, attraction, replay
from condped.space.domain import Float, Int
from tests.optuna_version import skip_before_optuna_5

skip_before_optuna_5("its Parzen estimator, which replays follow")

SETTINGS = _ParzenEstimatorParameters(1.0, True, False, default_weights, True)


def suggest(trial: optuna.Trial) -> float:
    """Suggest one parameter of each kind."""
    trial.suggest_float("float", -1, 3)
    trial.suggest_float("log", 1e-4, 1, log=True)
    trial.suggest_int("levels", 0, 9)
    trial.suggest_int("log_levels", 1, 32, log=True)
    trial.suggest_categorical("choice", ["a", "b", "c"])
    return float((trial.params["float"] - 1) ** 2 + 0.1 * (trial.params["choice"] == "a"))


@pytest.fixture(scope="module")
def study() -> optuna.Study:
    """Return a study of univariate TPE."""
    sampler = optuna.samplers.TPESampler(seed=2, multivariate=False)
    found = optuna.create_study(sampler=sampler)
    found.optimize(suggest, n_trials=70)
    return found


def middles(study: optuna.Study, name: str) -> FloatArray:
    """Return a value in the middle of each cell, as Optuna's densities take it."""
    distribution: Any = study.trials[0].distributions[name]
    if name == "choice":
        return np.arange(3.0)
    if name in ("levels", "log_levels"):
        return np.arange(distribution.low, distribution.high + 1.0)
    places = (np.arange(64) + 0.5) / 64
    low, high = distribution.low, distribution.high
    found = low * (high / low) ** places if distribution.log else low + (high - low) * places
    return np.asarray(found)


@pytest.mark.parametrize("name", ["float", "log", "levels", "log_levels", "choice"])
@pytest.mark.parametrize("number", [12, 40, 69])
def test_densities_are_optunas(study: optuna.Study, name: str, number: int) -> None:
    """Of good and bad trials, up to the width of cells and of kernels in tables."""
    replays = study_replays(condped.read(study), None)
    series = replays.series(name)
    assert series is not None
    laws = Laws(series.parameter, replays.history, replays.tpe, series.parameter.cells[:, None])
    distribution = study.trials[0].distributions[name]
    points = middles(study, name)
    for found, members in zip(
        laws.densities(number),
        (replays.history.good[number], replays.history.bad[number]),
        strict=True,
    ):
        own = [study.trials[place].params[name] for place in np.flatnonzero(members)]
        observed = np.array([distribution.to_internal_repr(value) for value in own])
        parzen = _ParzenEstimator({name: observed}, {name: distribution}, SETTINGS)
        density = np.exp(parzen.log_pdf({name: points}))
        share, expected = found[0] / found[0].sum(), density / density.sum()
        assert 0.5 * np.abs(share - expected).sum() < (0.005 if name == "choice" else 0.08)


def test_a_sampler_that_learns_is_told_from_random_draws(study: optuna.Study) -> None:
    """One step ahead, and without a permutation: random draws stay within their errors."""
    assert study_replays(condped.read(study), None).attraction() > 20
    for seed in range(5):
        random = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed))
        random.optimize(suggest, n_trials=70)
        assert abs(study_replays(condped.read(random), None).attraction()) < 3


@pytest.mark.parametrize("fixed", [0.0, 0.5, 1e300])
def test_a_fixed_value_does_not_hide_that_a_sampler_learns(
    study: optuna.Study, fixed: float
) -> None:
    """A domain of one value has one cell, and says nothing either way."""
    alone = {"x": [trial.params["float"] for trial in study.trials],
             "loss": [trial.value for trial in study.trials]}  # fmt: skip
    beside = study_replays(condped.read({**alone, "f": [fixed] * 70}, objective="loss"), None)
    learns = study_replays(condped.read(alone, objective="loss"), None).attraction()
    assert beside.attraction() == pytest.approx(learns)
    series = beside.series("f")
    assert series is not None
    assert series.parameter.layout.domains[0].sizes.tolist() == [1.0]
    assert (series.stage(0) == 0).all()


@pytest.mark.parametrize("others", [["b", "c"], ["c", "a"], ["d", "c", "b", "a"]])
@pytest.mark.parametrize("trials", [60, 400])
def test_choices_of_another_domain_say_nothing_about_this_one(
    others: list[str], trials: int
) -> None:
    """A choice that a domain lacks is no reason to prefer one that it has."""
    rng = np.random.default_rng(0)
    gate, loss = rng.choice(["A", "B"], trials), rng.random(trials)
    choice = np.where(gate == "A", rng.choice(["a", "b"], trials), rng.choice(others, trials))
    space: dict[str, Any] = {
        "g": condped.Categorical(["A", "B"]),
        "k": [
            condped.when("g == 'A'", condped.Categorical(["a", "b"])),
            condped.when("g == 'B'", condped.Categorical(others)),
        ],
    }
    table = condped.read({"g": gate, "k": choice, "loss": loss}, objective="loss", space=space)
    replays = study_replays(table, None)
    series = replays.series("k")
    assert series is not None
    names = dict(zip(["a", "b"], [0, 1], strict=True))
    cells = [names.setdefault(name, len(names)) for name in others]
    for number, own in enumerate(([0, 1], cells)):
        drawn = series.stage(0)[series.parameter.domain_ids == number]
        assert set(np.unique(drawn)) <= set(own)
        kernels = series.parameter.layout.domains[number].kernels
        for cell in range(len(names)):
            itself = [float(one == cell) for one in own]
            even = [1 / len(own) for _ in own]
            assert kernels[cell] == pytest.approx(itself if cell in own else even)
    for sampling in ("auto", "tpe"):
        evidence = condped.importance(table, sampling=sampling).evidence
        assert 0 < evidence["k"].p_value <= 1


def test_replays_are_draws_of_the_sampler(study: optuna.Study) -> None:
    """A replayed series follows the past as much as the study itself does."""
    replays = study_replays(condped.read(study), None)
    series = replays.series("levels")
    assert series is not None
    chances = np.random.default_rng(0).random((70, 20))
    drawn = replay(series.parameter, replays.history, replays.tpe, chances)
    assert drawn.shape == (70, 20)
    assert ((drawn >= 0) & (drawn < 10)).all()
    followed = []
    for place in range(20):
        once = type(series.parameter)(
            series.parameter.layout,
            drawn[:, place],
            series.parameter.domain_ids,
            series.parameter.fixed,
        )
        total, variance = attraction([once], replays.history, replays.tpe, 100)
        followed.append(total / np.sqrt(variance))
    total, variance = attraction([series.parameter], replays.history, replays.tpe, 100)
    own = total / np.sqrt(variance)
    # Up to what cells and tables of kernels blur: random draws would give 0 ± 1.
    assert 0.7 * np.mean(followed) < own < 1.3 * np.mean(followed)


def test_given_values_stay_as_they_are() -> None:
    """Enqueued values are in every replay; absent ones in none."""
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    for _ in range(4):
        study.enqueue_trial({"x": 0.75})

    def objective(trial: optuna.Trial) -> float:
        if trial.suggest_categorical("gate", ["on", "off"]) == "on":
            return trial.suggest_float("x", 0, 1)
        return 0.5

    study.optimize(objective, n_trials=40)
    replays = study_replays(condped.read(study), None)
    series = replays.series("x")
    assert series is not None
    drawn = series.stage(0)
    fixed = series.parameter.fixed
    assert fixed.sum() >= 1
    assert (drawn[fixed] == series.parameter.cells[fixed, None]).all()
    absent = np.array(["x" not in trial.params for trial in study.trials])
    assert ((drawn == -1).all(axis=1) == absent).all()


def test_domains_that_switch_share_their_values() -> None:
    """Cells of overlapping domains lie between each other; each draw stays inside its own."""
    layout = cells_of_domains([Float(0.0, 1.0), Float(0.5, 2.0), Int(0, 4)])
    assert layout is not None
    assert layout.total == 64 + 64 + 5
    for number, domain in enumerate(layout.domains):
        low, high = ((0.0, 1.0), (0.5, 2.0), (-0.5, 4.5))[number]
        inside = domain.places[domain.cells]
        assert (np.diff(inside) > 0).all()
        assert 0 < inside[0] < inside[-1] < 1
        assert domain.kernels.shape[1] == len(domain.cells)
        assert np.allclose(domain.kernels.sum(axis=1), 1, atol=1e-4)
        values = np.linspace(low, high, 50)
        cells = layout.cells_of(values, np.full(50, number))
        assert set(cells) <= set(domain.cells.tolist())


def test_side_by_side_gives_the_same_draws(study: optuna.Study) -> None:
    """Which other parameters are replayed with it changes nothing for a parameter."""
    together = study_replays(condped.read(study), None)
    together.begin(tuple(together.parameters))
    for name in together.parameters:
        alone = study_replays(condped.read(study), None).series(name)
        beside = together.series(name)
        assert alone is not None
        assert beside is not None
        assert beside.stages == 1
        assert (alone.stage(0) == beside.stage(0)).all()


def test_replays_are_freed_with_their_table(study: optuna.Study) -> None:
    """They are kept as long as somebody holds the table, and no longer."""
    table = condped.read(study)
    study_replays(table, None).begin(table.names)
    held = weakref.ref(table)
    del table
    gc.collect()
    assert held() is None


def test_pruned_trials_rank_as_the_sampler_had_them() -> None:
    """Also where another loss is explained than the one that was maximised."""
    study = optuna.create_study(
        direction="maximize", sampler=optuna.samplers.TPESampler(seed=0), pruner=None
    )

    def objective(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0, 1)
        trial.report(x, 0)
        if trial.number % 2:
            raise optuna.TrialPruned
        return x

    study.optimize(objective, n_trials=40)
    plain = study_replays(condped.read(study), None).history
    other = study_replays(condped.read(study, loss=np.arange(40.0)), None).history
    assert (plain.good == other.good).all()


def test_the_number_of_random_trials_counts_whatever_was_asked_before(study: optuna.Study) -> None:
    """A decision is kept for the settings that it was made with."""
    table = condped.read(study.trials_dataframe(attrs=("value", "params")), objective="value")
    for startup, words in (
        (70, "at other times"),
        (10, "follow earlier results"),
        (70, "at other times"),
    ):
        assert words in condped.importance(table, startup=startup).evidence.sampling


def test_few_trials_have_one_p_value_however_many_sets_are_asked_for(study: optuna.Study) -> None:
    """Of four trials, two of them hits, few statistics are possible: equal ones count as such."""
    table = condped.read(study)
    series = study_replays(table, None).series("float")
    assert series is not None
    regime = np.isin(np.arange(len(table)), [21, 25, 29, 34])
    hit = np.isin(np.arange(len(table)), [29, 34])
    alone = replay_test(series, [regime], hit[None]).p_values
    again = replay_test(series, [regime], np.array([hit] * 8)).p_values
    assert again == pytest.approx(alone[0])
    assert alone[0] > 0.1  # chance alone gives as much in a third of all ways to choose two of four


def test_p_values_do_not_depend_on_which_other_sets_are_asked_for(study: optuna.Study) -> None:
    """Each target set is compared with as many replays as it needs by itself."""
    table = condped.read(study)
    losses = table.objectives[0].losses
    hits = np.array([losses <= np.quantile(losses, share) for share in (0.05, 0.1, 0.2, 0.5)])
    other = np.array([0.9, 0.1, 0.2, 0.31])  # of another test, which alone counts where it is large
    regime = np.ones(len(table), dtype=bool)
    used = set()
    for name in ("float", "log", "levels", "choice"):
        series = study_replays(table, None).series(name)
        assert series is not None
        for others in (None, other):
            together = replay_test(series, [regime], hits, others)
            alone = [
                replay_test(series, [regime], hits[[k]], None if others is None else others[[k]])
                for k in range(len(hits))
            ]
            for field in ("p_values", "regimes", "bias", "scatter"):
                expected = np.hstack([getattr(found, field) for found in alone])
                found = np.asarray(getattr(together, field))
                assert found == pytest.approx(expected, rel=1e-9, nan_ok=True)
            assert (np.isnan(together.p_values) == (others is not None) * (other > 0.3)).all()
        used.add(series.stages)
    assert len(used) > 1  # some needed more replays than others


def test_a_report_and_a_sweep_have_the_p_values_of_importance(study: optuna.Study) -> None:
    """Whoever asks, the same trials give the same p-values."""
    result = condped.importance(study, target_quantile=0.2)
    curve = condped.sweep(study)
    place = int(np.argmin(np.abs(curve.target_quantiles - 0.2)))
    report = condped.report(study, target_quantile=0.2).importance
    for k, name in enumerate(curve):
        expected = pytest.approx(result.evidence[name].p_value, rel=1e-9, nan_ok=True)
        assert report.evidence[name].p_value == expected
        assert curve.p_values[place, k] == expected
