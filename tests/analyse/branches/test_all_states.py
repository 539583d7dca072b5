"""Conditions are inferred from all trials: pruned, failed and running ones show them, too."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest

import condped
from condped.analyse.branches.structure import Structure, structure_of
from condped.space.domain import Domain
from condped.trials.table import State
from tests.analyse.branches.pruned_studies import losing_branch_pruned


@pytest.fixture(scope="module")
def pruned() -> optuna.Study:
    """Return a study whose losing branch was always pruned."""
    return losing_branch_pruned()


def conditions(found: Structure) -> dict[str, str | None]:
    """Return the condition of each parameter."""
    return {
        name: " or ".join(entry.when.text for entry in entries if entry.when) or None
        for name, entries in found.space.items()
    }


def test_a_branch_that_was_always_pruned_is_found(pruned: optuna.Study) -> None:
    """No complete trial shows that there are trees at all."""
    found = structure_of(condped.read(pruned))
    assert conditions(found) == {
        "model": None,
        "lr": "model == 'net'",
        "dropout": "model == 'net'",
        "seed": None,
        "depth": "model == 'tree'",
    }
    assert found.unexplained == found.inactive == ()


def test_pruned_trials_change_no_number(pruned: optuna.Study) -> None:
    """They tell the structure; sets and importances rest on the used trials alone."""
    table = condped.read(pruned)
    complete = table.only(np.asarray(table.states == State.COMPLETE))
    every, alone = condped.branches(table).whole, condped.branches(complete).whole
    assert every.target_size == alone.target_size
    assert every.account.trials.used == alone.account.trials.used == len(complete)
    for parameter in alone:
        assert every[parameter.name].importance == parameter.importance


def test_importances_say_what_only_trials_that_were_left_out_have(pruned: optuna.Study) -> None:
    """An importance of 0 would read as if it had been tried."""
    told = "Active only in trials that were left out: depth."
    assert told in str(condped.importance(pruned))
    assert told in condped.report(pruned).data["account"]["notes"]
    assert told not in str(condped.importance(pruned, pruned="worst"))


def test_a_branch_tells_the_trials_that_were_left_out(pruned: optuna.Study) -> None:
    """No used trial is there, and that is not the same as no trial."""
    found = condped.branches(pruned)
    trees = sum(trial.params["model"] == "tree" for trial in pruned.trials)
    (net, tree) = found.roots[0].branches
    assert (tree.trials, tree.left_out) == (0, trees)
    assert net.trials + net.left_out + tree.left_out == len(pruned.trials)
    text = str(found)
    assert f"tree: no used trial; {trees} left out" in text
    assert "inferred from all trials, including those that were left out" in text


def test_a_report_shows_the_branch_that_was_always_pruned(pruned: optuna.Study) -> None:
    """With how many trials of it were left out."""
    data = condped.report(pruned).data
    names = [parameter["name"] for parameter in data["parameters"]]
    (model,) = [node for node in data["tree"]["roots"] if "branches" in node]
    told = {branch["label"]: branch for branch in model["branches"]}
    assert names[model["parameter"]] == "model"
    assert [names[node["parameter"]] for node in told["tree"]["nodes"]] == ["depth"]
    assert told["tree"]["trials"] == 0
    assert told["tree"]["left_out"] > 20
    assert data["tree"]["unexplained"] == []


def _with_states(states: dict[str, Any], failed: State, interrupted: bool) -> condped.TrialTable:
    """Return 80 trials of two models; model b never completes."""
    rng = np.random.default_rng(1)
    model = np.where(np.arange(80) % 3 == 0, "b", "a").astype(object)
    own = {name: np.where(model == name, rng.random(80), np.nan) for name in "ab"}
    if interrupted:  # half of model b's trials stop before their parameter
        own["b"][np.flatnonzero(model == "b")[::2]] = np.nan
    columns = {"model": model, "x": rng.random(80), **own, "loss": rng.random(80)}
    table = condped.read({**columns, **states}, objective="loss", parameters=["model", "x", *"ab"])
    marks = np.where(model == "b", failed, State.COMPLETE).astype(np.int8)
    return replace(table, states=marks)


@pytest.mark.parametrize("state", [State.FAILED, State.RUNNING])
@pytest.mark.parametrize("interrupted", [False, True])
def test_presence_is_a_fact_in_trials_that_failed_or_run(state: State, interrupted: bool) -> None:
    """That b was there shows when it is active; that it was not there shows nothing."""
    found = structure_of(_with_states({}, state, interrupted))
    assert conditions(found)["b"] == "model == 'b'"
    # a is in all complete trials, and that others lack it says nothing.
    assert (conditions(found)["a"], found.unexplained) == (None, ())


def test_presence_in_a_failed_trial_refutes_a_condition() -> None:
    """Two complete trials in three suggest a gate; a failed one has the parameter without it."""
    rng = np.random.default_rng(0)
    gate = rng.choice(["on", "off"], 60).astype(object)
    hole = np.where(gate == "on", rng.random(60), np.nan)
    last = np.flatnonzero(gate == "off")[-3:]
    hole[last] = 0.5
    table = condped.read({"gate": gate, "hole": hole, "loss": rng.random(60)}, objective="loss")
    states = np.zeros(60, dtype=np.int8)
    assert structure_of(table.only(np.delete(np.arange(60), last))).parents == {"hole": ("gate",)}
    states[last] = State.FAILED
    found = structure_of(replace(table, states=states))
    assert (found.parents, found.unexplained) == ({}, ("hole",))


def test_trials_pruned_before_a_parameter_do_not_hide_its_gate() -> None:
    """The condition holds in all complete trials, and pruned ones only lack the parameter."""
    rng = np.random.default_rng(2)
    gate = rng.random(90)
    hole = np.where(gate < 0.4, rng.random(90), np.nan)
    states = np.zeros(90, dtype=np.int8)
    early = np.flatnonzero(gate < 0.4)[::4]
    hole[early], states[early] = np.nan, State.PRUNED
    table = condped.read({"gate": gate, "hole": hole, "loss": rng.random(90)}, objective="loss")
    found = structure_of(replace(table, states=states))
    assert (found.parents, found.unexplained) == ({"hole": ("gate",)}, ())


def test_absence_in_pruned_trials_without_a_reason_is_unknown() -> None:
    """All complete trials have it. Whether it has a condition cannot be said."""
    rng = np.random.default_rng(3)
    hole, states = rng.random(90), np.zeros(90, dtype=np.int8)
    early = rng.choice(90, 25, replace=False)
    hole[early], states[early] = np.nan, State.PRUNED
    columns = {"k": rng.random(90), "hole": hole, "loss": rng.random(90)}
    table = replace(condped.read(columns, objective="loss"), states=states)
    found = structure_of(table)
    assert (found.parents, found.unexplained) == ({}, ("hole",))
    states[early] = State.FAILED
    again = structure_of(replace(table, states=states))
    assert (again.parents, again.unexplained) == ({}, ())


def test_few_complete_trials_beside_many_failed_ones_prove_nothing() -> None:
    """Three complete trials lack what half of the failed ones have: chance does that often."""
    for seed in range(50):
        rng = np.random.default_rng(seed)
        gate = np.array(["y"] * 3 + ["x"] * 30, dtype=object)
        hole = np.where(rng.random(33) < 0.5, rng.random(33), np.nan)
        hole[:3] = np.nan
        columns = {"gate": gate, "hole": hole, "loss": rng.random(33)}
        table = condped.read(columns, objective="loss")
        states = np.array([State.COMPLETE] * 3 + [State.FAILED] * 30, dtype=np.int8)
        assert structure_of(replace(table, states=states)).unexplained == ("hole",)


def _file(folder: Path) -> Path:
    """Write trials of two models; those of tree were pruned, and some others failed early."""
    rng = np.random.default_rng(5)
    lines = ["loss,model,lr,depth,state"]
    for row in range(200):
        net = rng.random() < 0.5
        lr, depth = (rng.random(), "") if net else ("", rng.integers(1, 9))
        state = "complete" if net else "pruned"
        if net and row % 10 == 0:
            lr, state = "", "failed"
        lines.append(f"{rng.random()},{'net' if net else 'tree'},{lr},{depth},{state}")
    (folder / "runs.csv").write_text("\n".join(lines))
    return folder / "runs.csv"


DOMAINS: dict[str, Domain] = {
    "model": condped.Categorical(["net", "tree"]),
    "lr": condped.Float(0, 1),
    "depth": condped.Int(1, 8),
}


def test_conditions_are_found_where_trials_are_counted(tmp_path: Path) -> None:
    """The same as in memory, from pruned trials, too; and the branches tell what was left out."""
    options: dict[str, Any] = {"objective": "loss", "state": "state"}
    path = _file(tmp_path)
    bare = condped.Space(DOMAINS)
    given = condped.Space(
        {
            **DOMAINS,
            "lr": condped.when("model == 'net'", DOMAINS["lr"]),
            "depth": condped.when("model == 'tree'", DOMAINS["depth"]),
        }
    )
    found = [
        condped.branches(path, space=bare, engine="stream", **options),
        condped.branches(path, space=bare, engine="memory", **options),
        condped.branches(path, space=given, engine="stream", **options),
    ]
    assert [one.found_from for one in found] == ["data", "data", "space"]
    for one in found:
        assert one.parents == {"lr": ("model",), "depth": ("model",)}
        assert one.unexplained == ()
        assert [(b.condition, b.trials, b.left_out) for b in one] == [
            (b.condition, b.trials, b.left_out) for b in found[0]
        ]
    net, tree = found[0]
    assert (tree.trials, net.left_out > 0, tree.left_out > 50) == (0, True, True)


def _counted(rows: list[dict[str, Any]], folder: Path, **options: Any) -> condped.Branches:
    names = list(rows[0])
    lines = [",".join("" if row[n] is None else str(row[n]) for n in names) for row in rows]
    (folder / "many.csv").write_text("\n".join([",".join(names), *lines]))
    return condped.branches(folder / "many.csv", objective="loss", engine="stream", **options)


def test_counted_trials_beyond_the_first_have_a_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sorted by model the first ones show nothing; thresholds are moved until all trials agree."""
    monkeypatch.setattr("condped.analyse.branches.structure._SAMPLE", 60)
    rng = np.random.default_rng(0)
    rows = []
    for row in range(900):
        model, c = "net" if row < 450 else "tree", rng.random()
        lr = rng.random() if model == "net" else None
        x = rng.random() if c < 0.3 else None
        depth = None if model == "net" else 3
        rows.append(
            {"model": model, "c": c, "lr": lr, "x": x, "depth": depth, "loss": rng.random()}
        )
    space = condped.Space({"c": condped.Float(0, 1), **DOMAINS, "x": condped.Float(0, 1)})
    found = _counted(rows, tmp_path, space=space)
    assert found.parents == {"lr": ("model",), "depth": ("model",), "x": ("c",)}
    below = next(b for b in found if b.condition.startswith("c <"))
    assert below.trials == sum(row["x"] is not None for row in rows)


def test_counted_trials_without_a_condition_say_so(tmp_path: Path) -> None:
    """Random absences are unexplained; one trial of many that contradicts is enough."""
    rng = np.random.default_rng(0)
    rows: list[dict[str, Any]] = [
        {
            "model": model,
            "lr": rng.random() if model == "net" else None,
            "depth": 3 if rng.random() < 0.5 else None,
            "loss": rng.random(),
        }
        for model in rng.choice(["net", "tree"], 300).tolist()
    ]
    next(row for row in rows if row["model"] == "tree")["lr"] = 0.5
    found = _counted(rows, tmp_path, space=condped.Space(DOMAINS))
    assert (found.parents, found.unexplained) == ({}, ("lr", "depth"))
    assert "lr: not active in all trials, or not in one domain" in str(found)


def test_the_tied_value_of_a_branch_is_named() -> None:
    """It is that of the branch's cut-off, which fewer trials may reach than the best one."""
    rows = [
        {"model": "a", "x": i / 100, "loss": 0.18 if i < 2 else 0.22 if i < 58 else 0.3 + i / 100}
        for i in range(100)
    ] + [{"model": "b", "z": i / 100, "loss": 0.5 + i / 100} for i in range(100)]
    found = condped.branches(rows, objective="loss")
    branch = next(one for one in found.roots[0].branches if one.label == "a")
    assert (branch.best, sum(row["loss"] == 0.22 for row in rows)) == (0.18, 56)
    assert "best 0.18, 56 tied at 0.22" in str(found)
    assert "56 tied at 0.22" in found.to_markdown()
