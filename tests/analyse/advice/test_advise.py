"""``condped.advise``: followed as told it helps, and noise is left alone."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest
from scipy import stats

import condped
from condped import Categorical, Float
from condped.cli.demo import _SPACE, _trial, _write_trials
from condped.errors import SettingsError
from tests.drawing import draw, holds_of


class Given:
    """A trial whose values are given."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values

    def suggest_float(self, name: str, low: float, high: float) -> float:
        """Return the value that is given."""
        return float(self.values[name])


@pytest.mark.parametrize("name", condped.problems.names())
@pytest.mark.parametrize("seed", [0, 1])
def test_following_the_advice_raises_the_share_of_good_trials(name: str, seed: int) -> None:
    """At least threefold on fresh samples, by the cutoff of the old ones; and little is lost."""
    problem = condped.problems.get(name)
    table = problem.sample(1000, seed=seed)
    advice = condped.advise(table, sampling="random")
    cutoff = np.sort(table.objectives[0].values)[99]
    rng = np.random.default_rng(100 + seed)
    losses = [problem.objective(Given(draw(advice.space, rng))) for _ in range(1000)]
    assert np.mean(np.array(losses) <= cutoff) >= 0.3
    # Of fresh trials of the old space that are as good, the new one has nearly all.
    fresh = problem.sample(5000, seed=200 + seed)
    good = np.flatnonzero(fresh.objectives[0].values <= cutoff).tolist()
    held = [holds_of(advice.space, _row(fresh, row)) for row in good]
    assert np.mean(held) > 0.85


def _row(table: condped.TrialTable, row: int) -> dict[str, Any]:
    return {p.name: p.values[row] for p in table.parameters if p.domain_ids[row] >= 0}


def test_the_demo_is_narrowed_to_what_is_true(tmp_path: Path) -> None:
    """The network is best and its rate decides; the seed does nothing."""
    _write_trials(tmp_path / "results.csv", 1000)
    advice = condped.advise(str(tmp_path / "results.csv"), objective="error", space=_SPACE)
    done = {(step.kind, step.parameter) for step in advice.changes}
    assert done == {("fix", "model"), ("narrow", "learning_rate")}
    assert set(advice.dropped) == {"C", "kernel", "gamma", "trees", "depth"}
    (seed,) = [step for step in advice.steps if step.parameter == "seed"]
    assert (seed.kind, seed.proposal, seed.covered) == ("leave", None, 1.0)
    assert "no evidence of an effect in these trials" in seed.reason
    # Followed: what the demo's own model makes of configurations from the new space.
    rng = np.random.default_rng(1)
    old = [_trial(rng) for _ in range(4000)]
    cutoff = np.quantile([trial["error"] for trial in old], 0.1)
    inside = [t["error"] for t in old if holds_of(advice.space, _without(t, "error"))]
    assert np.mean(np.array(inside) <= cutoff) >= 0.3


def _without(trial: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in trial.items() if key != name}


def test_noise_is_hardly_ever_narrowed() -> None:
    """Sixty studies of every kind of parameter, in which nothing matters."""
    narrowed = sum(
        bool(condped.advise(_noise(seed), objective="loss").changes) for seed in range(60)
    )
    # Promised is at most one in a hundred; more than this is then less likely than 1 in 1000.
    assert narrowed <= stats.binom.ppf(0.999, 60, 0.01)


def _noise(seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(1000 + seed)
    trials = (80, 160, 240)[seed % 3]
    kind = rng.integers(0, 3, trials)
    table: dict[str, Any] = {f"f{place}": rng.random(trials) for place in range(5)}
    table["kind"] = np.array(["a", "b", "c"], dtype=object)[kind]
    table["n"] = rng.integers(1, 10, trials)
    table["log"] = np.exp(rng.uniform(-9, 0, trials))
    for place, name in enumerate("abc"):
        table[f"x{name}"] = np.where(kind == place, rng.random(trials), np.nan)
    table["loss"] = rng.standard_normal(trials)
    return table


def test_repeated_noise_is_hardly_ever_narrowed() -> None:
    """Sixty configurations, each with five seeds: sixty things were learnt, not three hundred."""
    narrowed = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        columns = [rng.random(60), rng.random(60), rng.integers(0, 3, 60)]
        trials: dict[str, Any] = {f"x{k}": np.repeat(c, 5) for k, c in enumerate(columns)}
        trials["loss"] = np.repeat(rng.standard_normal(60), 5) + 0.1 * rng.standard_normal(300)
        advice = condped.advise(trials, objective="loss")
        narrowed += bool(advice.changes)
        assert advice.region_size == 60
    assert narrowed <= stats.binom.ppf(0.999, 60, 0.01)


def test_noise_that_a_sampler_has_followed_is_not_narrowed() -> None:
    """TPE gathers where it was lucky; that is no reason to stay there."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))

        def objective(trial: optuna.Trial, rng: np.random.Generator = rng) -> float:
            for place in range(4):
                trial.suggest_float(f"f{place}", 0, 1)
            trial.suggest_categorical("k", ["a", "b", "c"])
            return float(rng.standard_normal())

        study.optimize(objective, n_trials=80)
        assert condped.advise(study).changes == ()


def test_the_code_runs_in_optuna() -> None:
    """And what it draws is a configuration of the new space."""
    advice = condped.advise(condped.problems.get("nested").sample(300, seed=0))
    code: dict[str, Any] = {}
    exec(advice.optuna_code(), code)
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    for _ in range(50):
        trial = study.ask()
        drawn = code["suggest"](trial)
        assert holds_of(advice.space, drawn)
        assert trial.params == {n: v for n, v in drawn.items() if n in trial.params}
        study.tell(trial, 0.0)


def test_the_space_is_one_that_files_may_have(tmp_path: Path) -> None:
    """Trials drawn from it are read with it, conditions and all."""
    _write_trials(tmp_path / "results.csv", 600)
    advice = condped.advise(str(tmp_path / "results.csv"), objective="error", space=_SPACE)
    path = tmp_path / "space.json"
    path.write_text(json.dumps(advice.space.to_dict()), encoding="utf-8")
    rng = np.random.default_rng(0)
    rows = [
        {**dict.fromkeys(advice.space), **draw(advice.space, rng), "error": rng.random()}
        for _ in range(100)
    ]
    table = condped.read(rows, objective="error", space=path)
    assert table.space == advice.space


def test_everything_is_told(tmp_path: Path) -> None:
    """As text, as records and as data under a schema."""
    _write_trials(tmp_path / "results.csv", 1000)
    advice = condped.advise(str(tmp_path / "results.csv"), objective="error", space=_SPACE)
    data = json.loads(json.dumps(advice.to_data()))
    assert data["schema"] == "condped.advice/1"
    assert data["space"] == advice.space.to_dict()
    assert data["steps"][0]["proposal"]["type"] == "float"
    assert [tuple(row) for row in advice.rows()] == [advice.columns] * len(advice.steps)
    for step in advice.changes:
        assert 0.95 * step.of <= step.kept <= step.of
        assert 0 < step.covered < 1
        assert "target trials given up" in step.risk
    text = str(advice)
    assert "fix      model: {svm, forest, network} → {network}" in text
    assert "def suggest(trial):" in text
    assert "C, kernel, gamma, trees, depth become inactive." in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 100


def test_the_counts_are_those_of_the_trials() -> None:
    """Counted again, from the proposals alone."""
    table = condped.problems.get("activation-overlap").sample(500, seed=0)
    advice = condped.advise(table)
    losses = table.objectives[0].values
    target = losses <= np.sort(losses)[49]
    stays = np.array([holds_of(advice.space, _row(table, row)) for row in range(500)])
    assert (advice.kept_region, advice.kept_target) == (stays.sum(), (stays & target).sum())
    (x,) = [step for step in advice.changes if step.parameter == "x"]
    assert isinstance(x.proposal, Float)
    values = table.parameters[1].values
    inside = (values >= x.proposal.low) & (values <= x.proposal.high)
    assert (x.kept, x.of) == ((inside & target).sum(), target.sum())


def test_nothing_to_tell_is_an_answer() -> None:
    """With the reason for each parameter; the space stays what it was."""
    trials = {"a": [0.1, 0.2, 0.3], "b": ["x", "y", "x"], "loss": [1, 1, 1]}
    advice = condped.advise(trials, objective="loss")
    assert advice.changes == ()
    assert all("undetermined" in step.reason for step in advice.steps)
    assert "Change nothing" in str(advice)
    assert advice.space["b"][0].domain == Categorical(["x", "y"])


def test_where_and_bad_options() -> None:
    """Options of reading and of the analysis are taken, others are refused."""
    table = condped.problems.get("nested").sample(600, seed=0)
    inside = condped.advise(table, where="c0 < 0.75 and c1 >= 0.5", sampling="random")
    assert {step.parameter for step in inside.changes} == {"y", "c0", "c1"}
    assert set(inside.space) == {"c0", "c1", "y"}
    with pytest.raises(TypeError, match=r"advise\(\) does not take 'targt'"):
        condped.advise(table, targt=1)  # type: ignore[call-arg]
    with pytest.raises(SettingsError, match="about conditions"):
        condped.advise(table, measure="unconditional")


def test_repeated_configurations_count_once() -> None:
    """With the mean of their objectives, counted by hand; and it is told."""
    rng = np.random.default_rng(0)
    x, noise = rng.random(60), rng.random((60, 3))
    trials = {"x": np.repeat(x, 3), "k": np.repeat(["a", "b"], 90)}
    advice = condped.advise(trials | {"loss": (x[:, None] + noise).ravel()}, objective="loss")
    assert any("120 of 180 trials repeat" in note for note in advice.notes)
    means = {"x": x, "k": np.repeat(["a", "b"], 30), "loss": x + noise.mean(axis=1)}
    once = condped.advise(means, objective="loss")
    assert advice.space == once.space
    assert advice.importance.to_dict() == pytest.approx(once.importance.to_dict())


def test_chosen_parameters_do_not_make_trials_alike() -> None:
    """Trials that differ in what was not chosen are no repeats, by whatever way they come."""
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 2, 200)
    trials = {"x": rng.random(200), "k": kind, "loss": kind + rng.random(200)}
    table = condped.read(trials, objective="loss", parameters=["k"])
    for source, options in ((table, {}), (trials, {"objective": "loss", "parameters": ["k"]})):
        advice = condped.advise(source, **options)  # type: ignore[arg-type]
        assert advice.region_size == 200
        assert not any("repeat the configuration" in note for note in advice.notes)
        assert any("each counts by itself" in note for note in advice.notes)


def test_the_new_space_is_held_to_the_condition() -> None:
    """What is best for A is worst for B: B is not in the new space."""
    rng = np.random.default_rng(0)
    g, q = rng.choice(["A", "B"], 600), rng.random(600)
    trials = {"g": g, "q": q, "loss": np.where(g == "A", q, 1 - q)}
    table = condped.read(trials, objective="loss", where="g == 'A'")
    for source, options in ((table, {}), (trials, {"objective": "loss", "where": "g == 'A'"})):
        advice = condped.advise(source, **options)  # type: ignore[arg-type]
        assert advice.space["g"][0].domain == Categorical(["A"])
        narrow = advice.space["q"][0].domain
        assert isinstance(narrow, Float)
        assert narrow.high < 0.5
        assert "The new space is for g == 'A' only." in str(advice)
        assert 'p["g"] = "A"' in advice.optuna_code()


def test_a_condition_that_no_space_has_is_refused() -> None:
    """With what can be used instead."""
    rng = np.random.default_rng(0)
    trials = {"a": rng.random(100), "b": rng.random(100), "loss": rng.random(100)}
    for where in ("a < 0.5 or b < 0.5", "not (a < 0.5)", "a < b", "a != 0.5"):
        with pytest.raises(SettingsError, match=r"joined by 'and'"):
            condped.advise(trials, objective="loss", where=where)


def test_a_region_does_not_turn_the_advice_round(tmp_path: Path) -> None:
    """Models that never reach the region set are the worst, not the ones to keep."""
    _write_trials(tmp_path / "results.csv", 1000)
    options: dict[str, Any] = {"objective": "error", "space": _SPACE}
    whole = condped.advise(str(tmp_path / "results.csv"), **options)
    part = condped.advise(str(tmp_path / "results.csv"), region_quantile=0.5, **options)
    assert part.space == whole.space
    assert any("Advice uses all trials" in note for note in part.notes)


def test_no_parameters_need_no_advice() -> None:
    """A study that draws nothing is answered."""
    study = optuna.create_study()
    study.optimize(lambda trial: 1.0, n_trials=3)
    advice = condped.advise(study)
    assert (advice.steps, len(advice.space), advice.region_size) == ((), 0, 3)
    assert "Change nothing" in str(advice)


def test_a_choice_that_always_fails_is_named() -> None:
    """Not one that fails now and then, nor what is active only where everything fails."""

    def objective(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0, 1)
        kind = trial.suggest_categorical("kind", ["plain", "momentum", "nesterov"])
        if kind == "momentum":
            trial.suggest_categorical("decay", ["slow", "fast"])
            raise RuntimeError
        if kind == "nesterov" and x > 0.5:
            raise RuntimeError
        return (x - 0.3) ** 2

    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(objective, n_trials=120, catch=RuntimeError)
    tried = sum(trial.params["kind"] == "momentum" for trial in study.trials)
    told = [note for note in condped.advise(study).notes if "failed" in note]
    assert told == [
        f"All {tried} trials with kind == 'momentum' failed, so they say nothing about good "
        "values. Repair it, or leave it out."
    ]


@pytest.mark.parametrize("seed", range(4))
def test_the_reason_to_leave_a_domain_agrees_with_its_target_trials(seed: int) -> None:
    """By the shortest interval that holds 95 % of them, and by the later values themselves."""
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed, multivariate=False))
    rng = np.random.default_rng(seed)
    study.optimize(
        lambda t: (t.suggest_float("x", 0, 1) - 0.4) ** 2 + 0.02 * float(rng.random()), n_trials=120
    )
    advice = condped.advise(study)
    (step,) = advice.steps
    x = np.array([trial.params["x"] for trial in study.trials])
    losses = np.array([trial.values[0] for trial in study.trials])
    good = np.sort(x[losses <= np.sort(losses)[11]])
    kept = math.ceil(0.95 * len(good))
    shortest = (good[kept - 1 :] - good[: len(good) - kept + 1]).min()
    assert shortest < 0.4
    assert "not in a clearly smaller part" not in step.reason
    assert step.reason.startswith("a clear effect, and the sampler already draws most values from")
    assert advice.found_by_sampler == ("x",)
    low, high = re.findall(r"\[(.*), (.*)\]", step.reason)[0]
    later = x[60:]
    assert np.mean((later >= float(low)) & (later <= float(high))) > 0.5
