"""Code and spaces of advice, where conditions are unknown or a branch is no longer used."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import optuna
import pytest

import condped
from condped.trials.table import State
from tests.analyse.branches.pruned_studies import losing_branch_pruned


def suggested(advice: condped.Advice, trials: int = 40) -> list[dict[str, Any]]:
    """Return what the code makes Optuna record."""
    code: dict[str, Any] = {}
    exec(advice.optuna_code(), code)
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    found = []
    for _ in range(trials):
        trial = study.ask()
        assert code["suggest"](trial).keys() >= trial.params.keys()
        found.append(dict(trial.params))
        study.tell(trial, 0.0)
    return found


@pytest.fixture(scope="module")
def unknown() -> condped.TrialTable:
    """Return trials in which hole is active at random, and below switches on its value."""
    rng = np.random.default_rng(0)
    lr, hole = rng.random(300), np.where(rng.random(300) < 0.5, rng.random(300), np.nan)
    columns = {
        "lr": lr,
        "hole": hole,
        "below": np.where(hole < 0.5, rng.random(300), np.nan),
        "loss": np.abs(lr - 0.3) + 0.01 * rng.random(300),
    }
    return condped.read(columns, objective="loss")


def test_the_code_suggests_nothing_whose_condition_is_unknown(unknown: condped.TrialTable) -> None:
    """It runs, and says in a comment where to put in an if."""
    advice = condped.advise(unknown)
    assert advice.unexplained == ("hole",)
    assert {name for drawn in suggested(advice) for name in drawn} == {"lr"}
    code = advice.optuna_code()
    active = int((unknown.parameters[1].domain_ids >= 0).sum())
    assert f"The condition of hole is unknown: it was active in {active} of 300 trials." in code
    assert "your own if" in code
    assert any(
        line.strip().startswith('#     p["hole"] = trial.suggest_float(')
        for line in code.split("\n")
    )
    assert "hole: " in " ".join(advice.notes)
    assert "always active" not in str(advice)


def test_the_comment_is_code_once_it_is_filled_in(unknown: condped.TrialTable) -> None:
    """With a condition of the user's own it suggests, and so does what hangs on it."""
    code = condped.advise(unknown).optuna_code()
    filled = code.replace("# if ...:", "if p['lr'] > 0:")
    filled = filled.replace('#     p["hole"]', '    p["hole"]')
    names: dict[str, Any] = {}
    exec(filled, names)
    fixed = optuna.trial.FixedTrial({"lr": 0.3, "hole": 0.2, "below": 0.7})
    assert names["suggest"](fixed) == {"lr": 0.3, "hole": 0.2, "below": 0.7}
    other = optuna.trial.FixedTrial({"lr": 0.3, "hole": 0.8})
    assert names["suggest"](other) == {"lr": 0.3, "hole": 0.8}


def test_names_in_comments_cannot_become_code() -> None:
    """A name with a line in it stays in its comment."""
    rng = np.random.default_rng(0)
    name = "a\nraise SystemExit"
    columns = {
        "lr": rng.random(200),
        name: np.where(rng.random(200) < 0.5, rng.random(200), np.nan),
        "loss": rng.random(200),
    }
    advice = condped.advise(condped.read(columns, objective="loss"))
    assert advice.unexplained == (name,)
    assert {name for drawn in suggested(advice, 3) for name in drawn} == {"lr"}


def test_a_branch_that_was_always_pruned_is_not_suggested_always() -> None:
    """Each model's parameters stand under its if."""
    advice = condped.advise(losing_branch_pruned(), target_quantile=0.2)
    assert advice.unexplained == ()
    for drawn in suggested(advice):
        assert ("lr" in drawn) == ("dropout" in drawn) == (drawn.get("model", "net") == "net")
        assert ("depth" in drawn) == (drawn.get("model") == "tree")


def _losing(pruned: bool) -> condped.TrialTable:
    """Return trials of two models, of which b loses; noisy is active in some trials of b."""
    rng = np.random.default_rng(0)
    model = rng.choice(["a", "b"], 400).astype(object)
    x = rng.random(400)
    columns = {
        "model": model,
        "x": x,
        "noisy": np.where((model == "b") & (rng.random(400) < 0.5), rng.random(400), np.nan),
        "depth": np.where(model == "b", rng.random(400), np.nan),
        "loss": np.where(model == "a", x, 5 + x),
    }
    states = np.where((model == "b") & pruned, State.PRUNED, State.COMPLETE).astype(np.int8)
    return replace(condped.read(columns, objective="loss"), states=states)


def test_parameters_of_a_model_that_is_gone_are_not_suggested() -> None:
    """Neither with a known condition nor with an unknown one, since no trial of the rest has it."""
    advice = condped.advise(_losing(pruned=False))
    assert [choice for entry in advice.space["model"] for choice in entry.domain.choices] == ["a"]  # type: ignore[union-attr]
    assert set(advice.space) == {"model", "x"}
    assert set(advice.dropped) == {"noisy", "depth"}
    assert advice.unexplained == ()
    assert "noisy" not in advice.optuna_code()
    assert {name for drawn in suggested(advice) for name in drawn} == {"x"}
    (note,) = [note for note in advice.notes if note.startswith("noisy:")]
    assert "no trial in the new space has it" in note


def test_while_the_model_stays_its_unknown_parameter_is_a_comment() -> None:
    """Pruned trials show it, and nothing says when it is active."""
    advice = condped.advise(_losing(pruned=True))
    assert advice.unexplained == ("noisy",)
    for drawn in suggested(advice):
        assert "noisy" not in drawn
        assert ("depth" in drawn) == (drawn["model"] == "b")
    assert "The condition of noisy is unknown" in advice.optuna_code()


def test_saved_advice_writes_the_same_code(unknown: condped.TrialTable, tmp_path: Any) -> None:
    """And says the same of what is unknown."""
    advice = condped.advise(unknown)
    advice.save(tmp_path / "advice.json")
    again = condped.load(tmp_path / "advice.json")
    assert isinstance(again, condped.Advice)
    assert again.optuna_code() == advice.optuna_code()
    assert again.unexplained == advice.unexplained
