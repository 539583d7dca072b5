"""The smaller space for the next study: its risk, its conditions, and code for tools."""

from __future__ import annotations

import importlib
import math
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
    """Five studies do not suffice for 10 %, but do for 20 %."""
    few = past("rates", studies=5)
    start = few.space(risk=0.1)
    assert start.changes == ()
    assert start.risk == 0
    assert "5 studies do not suffice for a risk of 10 %: that takes 9" in start.notes[-1]
    assert start.too_few == start.notes[-1]
    assert few.space(risk=0.2).risk == pytest.approx(1 / 6)
    assert few.space(risk=0.2).too_few is None
    for studies in (4, 9, 10):
        for risk in (0.1, 0.2, 1 / (studies + 1)):
            margin = margin_for(np.zeros(studies), risk)
            assert (margin is None) == (studies + 1 < round(1 / risk))


def two_branches(seed: int, winner: str) -> optuna.Study:
    """Return random trials of two models with a parameter each; one model wins."""

    def objective(trial: optuna.Trial) -> float:
        trial.suggest_float("idle", 0, 1)
        model = trial.suggest_categorical("model", ["forest", "net", "svm"])
        lost = {winner: 0.0, "svm": 2.0}.get(model, 0.03)
        if model == "net":
            return lost + (trial.suggest_float("rate", 0, 1) - 0.3) ** 2
        if model == "forest":
            return lost + ((trial.suggest_int("depth", 2, 60) - 20) / 60) ** 2
        return lost + trial.suggest_float("c", 0, 1)

    study = optuna.create_study(study_name=f"{winner} {seed}",
        sampler=optuna.samplers.RandomSampler(seed=seed))  # fmt: skip
    study.optimize(objective, n_trials=150)
    return study


def test_reasons_count_what_they_rest_on() -> None:
    """Of parameters that some best trials do not have; the counts are those of the trials."""
    studies = [two_branches(seed, "forest" if seed == 3 else "net") for seed in range(5)]
    start = condped.across(studies).space(risk=0.2)
    steps = {step.parameter: step for step in start.changes}
    assert {"rate", "depth", "model"} <= set(steps)
    ordered = [sorted(study.trials, key=lambda t: t.values) for study in studies]
    for name in ("rate", "depth"):
        step = steps[name]
        assert isinstance(step.proposal, condped.Float | condped.Int)
        low, high = step.proposal.low, step.proposal.high
        best = [one[0].params for one in ordered]
        assert step.of == sum(name in one for one in best) < 5
        assert step.kept == sum(low <= one.get(name, -1) <= high for one in best)
        target = [t.params[name] for one in ordered for t in one[:15] if name in t.params]
        stay = sum(low <= value <= high for value in target)
        having = [[t.params[name] for t in one if name in t.params] for one in ordered]
        good = [v for one in having for v in one[: math.ceil(0.1 * len(one))]]
        inside = sum(low <= value <= high for value in good)
        assert (
            f"{stay} of {len(target)} target trials with {name}, and {inside} of {len(good)} "
            in (step.reason)
        )
        assert f"Spanned by the 3 best trials with {name} of each of 5 studies" in step.reason
        spanned = [value for one in having for value in one[:3]]
        assert low <= min(spanned) <= max(spanned) <= high
    assert "margin" not in steps["model"].reason
    tried = sum(t.params["model"] != "svm" for one in ordered for t in one)
    assert f"75 of 75 target trials stay, and {tried} of all 750 trials" in steps["model"].reason
    left = {step.parameter: step.reason for step in start.steps if step.kind == "leave"}
    assert "best trials are spread over" in left["idle"]
    told = " ".join(str(start).split())
    assert "keeps 2 of 3 choices; of the studies' best trials, 5 of 5 with model stay" in told
    assert f"of the domain; of the studies' best trials, {steps['depth'].kept} of 1 with" in told
    assert "Assuming that the next study is drawn like the past ones" in told


def test_why_a_domain_stays_is_said() -> None:
    """Good values everywhere are another reason than too little evidence."""

    def study(seed: int, trials: int) -> dict[str, Any]:
        rng = np.random.default_rng(seed)
        x, y = rng.random((2, trials))
        return {
            "x": x,
            "y": y,
            "loss": np.maximum(np.abs(x - 0.5), 0.28) + rng.random(trials) / 1000,
        }

    space = {"x": condped.Float(0, 1), "y": condped.Float(0, 1)}
    for trials, sure in ((200, True), (20, False)):
        studies = [study(seed, trials) for seed in range(4)]
        found = condped.across(studies, objective="loss", space=space).space(risk=0.3)
        reasons = {step.parameter: (step.kind, step.reason) for step in found.steps}
        assert "are spread over" in reasons["y"][1]
        assert (reasons["x"][0] == "narrow") == sure
        assert sure or "those elsewhere are not clearly worse" in reasons["x"][1]


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
    assert any("x: bounds or choices differ" in note for note in start.notes)


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
    with pytest.raises(SettingsError, match="a whole number, 1 or above"):
        past("rates", studies=5).starts(0)
    small = condped.across([condped.problems.get("nested").sample(12, seed=s) for s in range(2)])
    with pytest.raises(DataError, match="20 are needed"):
        small.space()
