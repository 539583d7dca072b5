"""Low budgets compared with the highest, against plain numpy and the tools' own records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest
from click.testing import CliRunner
from scipy.stats import kendalltau

import condped
from condped.cli.app import app
from condped.errors import DataError, SettingsError
from tests.read.optuna.test_drawing import STORAGES, source_of, storage_of

STEPS = (1, 3, 9)


def pruned_study(storage: Any = None) -> optuna.Study:
    """Run a study that reports at three steps, where half of the trials are stopped early."""
    rng = np.random.default_rng(0)
    study = optuna.create_study(
        storage=storage, direction="maximize", sampler=optuna.samplers.RandomSampler(seed=0)
    )

    def objective(trial: optuna.Trial) -> float:
        x, value = trial.suggest_float("x", 0, 1), 0.0
        for step in STEPS:
            value = x + rng.normal() * 0.3 / step
            trial.report(value, step)
            if step == 3 and trial.number % 2:
                raise optuna.TrialPruned
        return value

    study.optimize(objective, n_trials=60)
    return study


@pytest.mark.parametrize("kind", STORAGES)
def test_numbers_are_those_of_a_plain_comparison(kind: str, tmp_path: Path) -> None:
    """Of all trials that reported at both steps, better is higher."""
    study = pruned_study(storage_of(kind, tmp_path))
    found = condped.budgets(source_of(kind, tmp_path, study), target_quantile=0.2)
    assert (found.highest, found.reached, found.objective.direction) == (9.0, 30, "maximize")
    assert [entry.budget for entry in found] == [1.0, 3.0]
    for entry in found:
        pairs = np.array(
            [
                [trial.intermediate_values[int(entry.budget)], trial.intermediate_values[9]]
                for trial in study.trials
                if 9 in trial.intermediate_values
            ]
        )
        low, high = pairs.T
        assert (entry.configurations, entry.measured) == (30, 60)
        assert entry.tau == pytest.approx(kendalltau(low, high).statistic)
        best, seen = set(np.argsort(-high)[:6]), set(np.argsort(-low)[:6])
        assert entry.found == pytest.approx(len(best & seen) / 6)
        assert entry.chance == pytest.approx(6 / 30)
        assert entry.regret == pytest.approx(high.max() - high[np.argmax(low)])
        assert entry.selected


def test_a_table_with_one_row_per_budget(tmp_path: Path) -> None:
    """The same as from reports; a file, its command, and every form of output."""
    rng = np.random.default_rng(1)
    x = rng.random(40)
    rows = [(value, step, value + rng.normal() / 40 / step) for value in x for step in STEPS]
    columns = dict(zip(("x", "epoch", "loss"), np.array(rows).T, strict=True))
    found = condped.budgets(columns, objective="loss", budget_column="epoch")
    losses = columns["loss"].reshape(40, 3)
    for place, entry in enumerate(found):
        assert entry.tau == pytest.approx(kendalltau(losses[:, place], losses[:, 2]).statistic)
        assert entry.configurations == entry.measured == 40
    assert found.lowest_that_agrees is found[0]
    assert str(found).startswith("From budget 1 on, configurations rank as at 9: τ 0.")
    assert "(chance: 10 %)" in str(found)
    # A column that is no parameter by its name, beside others that are.
    renamed = {"x": columns["x"], "training_iteration": columns["epoch"], "loss": columns["loss"]}
    other = condped.budgets(renamed, objective="loss", budget_column="training_iteration")
    assert other.agreements == found.agreements
    path, saved = tmp_path / "rows.csv", tmp_path / "found.json"
    lines = [",".join(map(repr, map(float, row))) for row in rows]
    path.write_text("\n".join(["x,epoch,loss", *lines]), encoding="utf-8")
    command = ["budgets", str(path), "--objective", "loss", "--budget-column", "epoch"]
    done = CliRunner().invoke(app, [*command, "-o", str(saved)])
    assert done.exit_code == 0, done.output
    assert str(found) in done.output
    assert condped.load(saved) == found
    printed = json.loads(CliRunner().invoke(app, [*command, "--json"]).stdout)
    assert printed["budgets"][0]["tau"] == found[0].tau
    assert list(found.to_frame()["budget"]) == [1.0, 3.0]
    assert found._repr_html_().startswith("<pre")


def test_noise_is_no_agreement() -> None:
    """Where low budgets say nothing, the answer is so, and stopped trials are mentioned."""
    rng = np.random.default_rng(2)
    columns = {
        "x": np.repeat(rng.random(40), 2),
        "epoch": np.tile([1, 9], 40),
        "loss": rng.normal(size=80),
    }
    text = str(condped.budgets(columns, objective="loss", budget_column="epoch"))
    assert text.startswith("No lower budget ranks configurations much like 9.")
    assert "shows no evidence of agreement" in " ".join(text.split())
    assert "Only 30 of 60 configurations" in str(condped.budgets(pruned_study()))


def test_many_steps_are_thinned_out() -> None:
    """A few of them, evenly by ratio, up to the last but one."""
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))

    def objective(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0, 1)
        for step in range(1, 101):
            trial.report(x, step)
        return x

    study.optimize(objective, n_trials=10)
    found = condped.budgets(study)
    steps = [entry.budget for entry in found]
    assert len(steps) <= 10
    assert (steps[0], steps[-1], found.highest) == (1.0, 99.0, 100.0)
    assert all(entry.tau == 1.0 for entry in found)


def test_what_cannot_be_compared_is_refused() -> None:
    """Without budgets, with too few configurations, with several objectives."""
    columns = {"x": np.arange(20.0), "loss": np.arange(20.0), "other": np.arange(20.0)}
    with pytest.raises(DataError, match=r"records no budgets.*budget_column"):
        condped.budgets(columns, objective="loss")
    with pytest.raises(DataError, match="at least 8 configurations each"):
        condped.budgets(columns, objective="loss", budget_column="x")
    with pytest.raises(SettingsError, match="name one of 'loss', 'other'"):
        condped.budgets(columns, objective=["loss", "other"], budget_column="x")
    with pytest.raises(SettingsError, match="budget cannot be set"):
        condped.budgets(pruned_study(), budget=3)
    with pytest.raises(SettingsError, match="level must be"):
        condped.budgets(pruned_study(), level=2)
