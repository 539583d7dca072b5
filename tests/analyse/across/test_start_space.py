"""The smaller space for the next study: its risk, its conditions, and code for tools."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest

import condped
from condped.analyse.across.start.leave_one_out import margin_for
from condped.errors import DataError, SettingsError
from tests.analyse.across.start_studies import evaluated, instance, past

NAMES = ("models", "nested", "regimes", "rates")


@pytest.mark.parametrize("name", NAMES)
def test_draws_are_valid_configurations_inside_the_smaller_domains(name: str) -> None:
    """Each is taken by the family's own code, with no parameter too many or too few."""
    start = past(name).space()
    new = instance(name, np.random.default_rng(1))
    assert start.changes
    for config in start.sample(200, seed=3):
        evaluated(new, config)
        for step in start.changes:
            value = config.get(step.parameter)
            if value is not None and _has(step.domain, value):
                assert _has(step.proposal, value)


def _has(domain: Any, value: Any) -> bool:
    if isinstance(domain, condped.Categorical):
        return value in domain.choices
    return not isinstance(value, str) and domain.low <= value <= domain.high


def test_a_losing_branch_goes_with_its_parameters() -> None:
    """Three of four models never win in ten studies, and neither they nor their parameters stay."""
    start = past("models").space()
    assert start.space["model"][0].domain == condped.Categorical(["net"])
    assert {"leaf", "penalty", "neighbours"} <= set(start.dropped)
    assert start.space["rate"][0].when is None


def test_code_for_optuna_draws_from_the_space() -> None:
    """Executed by Optuna, the drawn values lie in the smaller domains."""
    start = past("regimes").space()
    session: dict[str, Any] = {}
    exec(start.optuna_code(), session)
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    drawn = [session["suggest"](study.ask()) for _ in range(100)]
    domain: Any = start.space["y"][0].domain
    assert all(domain.low <= one["y"] <= domain.high for one in drawn)
    assert {one["kernel"] for one in drawn} == {"steep"}


@pytest.mark.parametrize("name", ["nested", "models"])
def test_code_for_configspace_and_ray_draws_valid_configurations(name: str) -> None:
    """Executed by these tools, what they draw is taken by the family's own code."""
    start, new = past(name).space(), instance(name, np.random.default_rng(1))
    session: dict[str, Any] = {}
    exec(start.configspace_code(), session)
    session["space"].seed(0)
    for one in session["space"].sample_configuration(50):
        evaluated(new, dict(one))
    exec(start.ray_code(), session)
    variants = importlib.import_module("ray.tune.search.variant_generator")
    for _ in range(50):
        for _, one in variants.generate_variants(session["param_space"]):
            evaluated(new, {key: value for key, value in one.items() if value is not None})
    assert condped.Space(importlib.import_module("json").loads(start.space_json())) == start.space


def test_the_stated_risk_covers_new_studies_of_the_family() -> None:
    """Over 8 pasts and 25 new studies each, the optimum is outside no more often than stated."""
    outside = []
    for seed in range(8):
        start = past("rates", seed=seed).space(risk=0.1)
        assert start.changes
        assert start.risk == pytest.approx(1 / 11)
        rng = np.random.default_rng(1_000 + seed)
        for _ in range(25):
            best = instance("rates", rng).optimum
            steps = [step for step in start.changes if step.parameter in best]
            outside.append(not all(_has(step.proposal, best[step.parameter]) for step in steps))
    # Two standard errors above, at most, with pasts as the units.
    assert np.mean(outside) <= 0.1 + 2 * np.sqrt(0.1 * 0.9 / 8 / 2)


def test_the_margin_is_an_order_statistic() -> None:
    """Of nine studies the furthest counts for a risk of 10 %, the second furthest for 20 %."""
    away = np.array([0.3, 0.0, 0.1, 0.5, 0.2, 0.0, 0.0, 0.0, 0.4])
    assert margin_for(away, 0.1) == 0.5
    assert margin_for(away, 0.2) == 0.4
    assert margin_for(away, 0.09) is None


def test_too_few_studies_leave_the_space_alone_and_say_so() -> None:
    """Five studies cannot speak for 10 %; 20 % they can."""
    few = past("rates", studies=5)
    start = few.space(risk=0.1)
    assert start.changes == ()
    assert start.risk == 0
    assert "5 studies cannot speak for a risk of 10 %: it takes 9" in start.notes[-1]
    assert few.space(risk=0.2).risk == pytest.approx(1 / 6)


def test_it_is_deterministic_and_can_be_saved(tmp_path: Path) -> None:
    """Asked twice it says the same, and a file gives it back, with its text."""
    start = past("models").space()
    assert start == past("models").space()
    start.save(tmp_path / "start.json")
    loaded = condped.load(tmp_path / "start.json")
    assert loaded == start
    assert "narrow" in str(loaded)
    assert "chance of at most 9.1 %" in " ".join(str(loaded).split())
    assert [row["parameter"] for row in start.rows()] == [step.parameter for step in start.steps]


def test_other_bounds_and_choices_are_spanned_and_said() -> None:
    """Two studies with other bounds and choices share the widest domain."""

    def study(high: float, choices: list[str], seed: int) -> optuna.Study:
        made = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=seed))
        made.optimize(
            lambda trial: (
                trial.suggest_float("x", 0, high) + (trial.suggest_categorical("k", choices) == "a")
            ),
            n_trials=40,
        )
        return made

    across = condped.across([study(1.0, ["a", "b"], 0), study(2.0, ["c", "b"], 1)])
    start = across.space(risk=0.4)
    assert start.space["x"][0].domain == condped.Float(0, 2)
    assert start.space["k"][0].domain == condped.Categorical(["a", "b", "c"])
    assert any("x has other bounds" in note for note in start.notes)


def test_plain_code_is_told_that_the_past_misleads() -> None:
    """Of random draws and draws from the space, where the optimum jumped and where it did not."""
    start = past("rates").space()
    for jump in (True, False):
        new = instance("rates", np.random.default_rng(8), jump=jump)
        study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
        whole = [study.ask() for _ in range(20)]
        drawn = [float(new.objective(trial)) for trial in whole]
        tried = [*(trial.params for trial in whole), *start.sample(20, seed=0)]
        losses = [*drawn, *(evaluated(new, one) for one in tried[20:])]
        assert (start.misled(tried, losses) is not None) == jump


def test_what_cannot_be_done_is_refused() -> None:
    """A risk that is none, and a result without its trials."""
    with pytest.raises(SettingsError, match="above 0 and below 1"):
        past("rates", studies=5).space(risk=0)
    with pytest.raises(SettingsError, match="whole, 1 or above"):
        past("rates", studies=5).starts(0)
    small = condped.across([condped.problems.get("nested").sample(12, seed=s) for s in range(2)])
    with pytest.raises(DataError, match="20 are needed"):
        small.space()
