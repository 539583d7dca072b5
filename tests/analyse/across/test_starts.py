"""Configurations to try first, and densities of good values."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest

import condped
from benchmarks.transfer_tasks import random_study
from condped.errors import SettingsError
from tests.analyse.across.start_studies import evaluated, instance, past

NAMES = ("models", "nested", "regimes", "choices")


@pytest.mark.parametrize("name", NAMES)
def test_starts_are_valid_different_and_good(name: str) -> None:
    """The best of them beats what 50 random draws reach in most new studies."""
    starts = past(name).starts(10)
    assert len({json.dumps(one, sort_keys=True) for one in starts.configurations}) == 10
    assert len({start.study for start in starts.starts}) >= 5
    rng = np.random.default_rng(5)
    better = 0
    for seed in range(8):
        new = instance(name, rng)
        first = min(evaluated(new, one) for one in starts.configurations)
        study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=seed))
        study.optimize(new.objective, n_trials=50)
        better += first < study.best_value
    assert better >= 6


def test_each_start_is_the_trial_that_it_comes_from() -> None:
    """The values are those of the study's trial of that number."""
    across = past("regimes")
    for start in across.starts(5).starts:
        place = int(start.study.split()[1])
        rng = np.random.default_rng(0)
        problems = [instance("regimes", rng) for _ in range(10)]
        trial = random_study(problems[place].objective, 80, place).trials[start.trial]
        assert trial.params == start.values


def test_other_branches_are_tried_last() -> None:
    """Where one model wins in every study, one configuration of each other follows."""
    models = [one["model"] for one in past("models").starts(10).configurations]
    assert set(models[:7]) == {"net"}
    assert sorted(models[7:]) == ["forest", "knn", "linear"]


def test_a_start_of_another_branch_says_so(tmp_path: Path) -> None:
    """Only those; files that do not say so are loaded."""
    starts = past("models").starts(10)
    assert [start.branch for start in starts.starts[:7]] == [None] * 7
    for start in starts.starts[7:]:
        assert start.branch == f"{start.values['model']} of model"
        assert f"for the branch {start.branch}, which was never among the best" in " ".join(
            str(starts).split()
        )
    starts.save(tmp_path / "starts.json")
    data = json.loads((tmp_path / "starts.json").read_text())
    del data["inside"]
    for one in data["starts"]:
        del one["branch"]
    (tmp_path / "starts.json").write_text(json.dumps(data))
    loaded = condped.load(tmp_path / "starts.json")
    assert isinstance(loaded, condped.Starts)
    assert loaded.configurations == starts.configurations


@pytest.mark.parametrize("name", ["models", "regimes"])
def test_starts_stay_inside_a_smaller_space(name: str) -> None:
    """So that the code of both works together: Optuna tries exactly these."""
    across = past(name)
    smaller = across.space()
    assert smaller.changes
    assert not all(smaller._contains(one) for one in across.starts(30).configurations)
    starts = across.starts(30, smaller)
    assert all(smaller._contains(one) for one in starts.configurations)
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    code: dict[str, Any] = {"study": study}
    exec(starts.optuna_code(), code)
    exec(smaller.optuna_code(), code)
    tried = [code["suggest"](study.ask()) for _ in range(len(starts))]  # with what is fixed
    assert tried == starts.configurations
    with pytest.raises(SettingsError, match=r"what across\.space"):
        across.starts(3, smaller.space)  # type: ignore[arg-type]


def test_a_study_tries_them_first() -> None:
    """As new, by enqueueing, and by the code, Optuna draws exactly these configurations."""
    starts = past("models").starts(4)
    new = instance("models", np.random.default_rng(1))
    made = starts.study(direction="minimize")
    enqueued = optuna.create_study()
    starts.enqueue(enqueued)
    coded = optuna.create_study()
    exec(starts.optuna_code(), {"study": coded})
    for study in (made, enqueued, coded):
        study.optimize(new.objective, n_trials=4)
        assert [trial.params for trial in study.trials] == starts.configurations


def test_configspace_takes_them_as_an_initial_design() -> None:
    """Its own check accepts each configuration, and the values are the same."""
    for name in ("models", "regimes"):
        starts = past(name).starts(6)
        session: dict[str, Any] = {}
        exec(starts.configspace_code(), session)
        flat = session.get("config_of", dict)
        found = [flat(one) for one in session["initial_configurations"]]
        for one, expected in zip(found, starts.configurations, strict=True):
            assert one == {  # ConfigSpace rounds numbers
                key: value if isinstance(value, str) else pytest.approx(value, rel=1e-6)
                for key, value in expected.items()
            }


def test_ray_tune_evaluates_them() -> None:
    """Ray's own search hands out the configurations first."""
    search = importlib.import_module("ray.tune.search.basic_variant")
    starts, space = past("models").starts(4), past("models").space()
    session: dict[str, Any] = {}
    exec(starts.ray_code(), session)
    points = session["points_to_evaluate"]
    known = [{k: v for k, v in one.items() if v is not None} for one in points]
    assert known == starts.configurations
    assert all(set(one) == set(starts.space) for one in points)
    assert space.ray_code().startswith("from ray import tune")
    assert search.BasicVariantGenerator(points_to_evaluate=points) is not None


def test_starts_can_be_saved_and_printed(tmp_path: Path) -> None:
    """A file gives them back; rows have a column per parameter; JSON is the configurations."""
    starts = past("models").starts(5)
    starts.save(tmp_path / "starts.json")
    assert condped.load(tmp_path / "starts.json") == starts
    assert json.loads(starts.to_json()) == starts.configurations
    assert set(starts.rows()[0]) == set(starts.columns)
    assert "5 configurations to try first, from 10 past studies" in str(starts)
    assert starts == past("models").starts(5)


@pytest.mark.parametrize("name", NAMES)
def test_the_prior_draws_valid_configurations_that_are_better_than_even_draws(name: str) -> None:
    """The median loss of its draws is lower than that of random ones, in a new study."""
    prior = past(name).prior()
    new = instance(name, np.random.default_rng(9))
    drawn = [evaluated(new, one) for one in prior.sample(150, seed=1)]
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
    study.optimize(new.objective, n_trials=150)
    assert np.median(drawn) < 0.8 * np.median([trial.value for trial in study.trials])
    assert prior.sample(5, seed=1) == prior.sample(5, seed=1)


def test_densities_are_means_over_studies(tmp_path: Path) -> None:
    """A study with ten times as many trials weighs no more than another."""

    def study(best: float, trials: int) -> optuna.Study:
        made = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=trials))
        made.optimize(lambda trial: abs(trial.suggest_float("x", 0, 1) - best), n_trials=trials)
        return made

    prior = condped.across([study(0.2, 40), study(0.8, 400)]).prior()
    masses = np.array(prior["x"][0].masses)
    assert masses.sum() == pytest.approx(1)
    assert masses[: len(masses) // 2].sum() == pytest.approx(0.5, abs=0.1)
    rows = prior.rows()
    assert sum(row["mass"] for row in rows) == pytest.approx(1)
    assert sum(row["even"] for row in rows) == pytest.approx(1)
    prior.save(tmp_path / "prior.json")
    assert condped.load(tmp_path / "prior.json") == prior
    assert "Where good values lie, according to 2 past studies" in str(prior)
