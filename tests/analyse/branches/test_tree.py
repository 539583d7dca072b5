"""``condped.branches``: the tree and the importances inside it."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pandas as pd
import pytest
from scipy import stats

import condped
from condped.cli.demo import _SPACE, _write_trials
from condped.count.trials import Trials
from condped.errors import SettingsError
from condped.space.condition import Condition
from condped.trials.course.times import Times


@pytest.fixture(scope="module")
def table() -> condped.TrialTable:
    """Return trials of the nested problem."""
    return condped.problems.get("nested").sample(600, seed=0)


@pytest.fixture(scope="module")
def tree(table: condped.TrialTable) -> condped.Branches:
    """Return the branches of these trials, which were drawn at random."""
    return condped.branches(table, sampling="random")


def test_the_tree_holds_each_parameter_where_it_is_active(tree: condped.Branches) -> None:
    """With the conditions on the way."""
    (c0,) = tree.roots
    low, high = c0.branches
    (c1,) = low.nodes
    assert [(branch.label, branch.condition) for branch in c1.branches] == [
        ("< 0.5", "c0 < 0.75 and c1 < 0.5"),
        (">= 0.5", "c0 < 0.75 and c1 >= 0.5"),
    ]
    leaves = [[node.parameter for node in branch.nodes] for branch in (*c1.branches, high)]
    assert leaves == [["x"], ["y"], ["z"]]
    assert [branch.condition for branch in tree][:2] == ["c0 < 0.75", "c0 < 0.75 and c1 < 0.5"]


def test_a_branch_is_what_where_gives(table: condped.TrialTable, tree: condped.Branches) -> None:
    """Its condition leads to the same trials, and these to the same importances."""
    for branch in tree:
        alone = condped.importance(table, where=branch.condition)
        assert branch.trials == alone.account.trials.total
        for parameter in branch.inside:
            assert parameter.variance == alone[parameter.name].variance
        others = [p for p in alone if p.name not in branch.inside]
        assert all(p.variance == 0 for p in others)


def test_what_cannot_vary_takes_nothing_from_what_does(tmp_path: Path) -> None:
    """Weak effects in the demo's losing branches: the same numbers by either way, calibrated."""
    _write_trials(tmp_path / "results.csv", 1000)
    table = condped.read(str(tmp_path / "results.csv"), objective="error", space=_SPACE)
    compared = 0
    for quantile in (0.03, 0.1, 0.3):
        options: dict[str, Any] = {"target_quantile": quantile, "method": "calibrated"}
        for branch in condped.branches(table, **options):
            alone = condped.importance(table, where=branch.condition, **options)
            for parameter in branch.inside:
                other = alone[parameter.name]
                assert parameter.importance == other.importance
                assert parameter.eta_squared == other.eta_squared
                own = branch.inside.evidence[parameter.name]
                assert own.p_value == alone.evidence[parameter.name].p_value
                compared += parameter.importance > 0
    assert compared > 3


def _noisy_branches(seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    gate = rng.integers(0, 10, 500)
    trials: dict[str, Any] = {"g": np.array(list("abcdefghij"))[gate], "loss": rng.random(500)}
    for place in range(20):
        trials[f"x{place}"] = np.where(gate == place // 2, rng.random(500), np.nan)
    return trials


def test_verdicts_in_branches_count_all_branches() -> None:
    """Twenty chances to be wrong in each study of noise: all together one in ten may be."""
    wrong = 0
    for seed in range(40):
        found = condped.branches(_noisy_branches(seed), objective="loss", sampling="random")
        verdicts = [row["verdict"] for row in found.rows() if row["condition"]]
        told = [e.verdict for branch in found for e in branch.inside.evidence]
        assert sorted(verdicts) == sorted(told)
        wrong += "matters" in verdicts
    assert wrong <= stats.binom.ppf(0.999, 40, 0.1)


def test_verdicts_in_branches_are_adjusted_together(tree: condped.Branches) -> None:
    """By scipy, over what could be tested in any branch; texts and densities follow."""
    pairs = [e for branch in tree for e in branch.inside.evidence]
    tested = [e for e in pairs if e.p_value < 1]
    expected = stats.false_discovery_control([e.p_value for e in tested])
    assert np.allclose([e.adjusted_p_value for e in tested], expected)
    for branch in tree:
        sure = [e for e in branch.inside.evidence if e.verdict == "matters"]
        assert branch.inside.evidence.enough == bool(sure)
        if sure:
            count = f"{len(sure)} of {len(branch.inside)} parameters"
            assert branch.inside.evidence.message.startswith(count)


def test_counts_and_bests_are_those_of_the_study(
    table: condped.TrialTable, tree: condped.Branches
) -> None:
    """The target set is the study's, the best objective that of the branch."""
    values = {p.name: p.values for p in table.parameters}
    losses = table.objectives[0].values
    target = losses <= np.sort(losses)[59]
    rows = values["c0"] >= 0.75
    branch = tree.roots[0].branches[1]
    assert (branch.trials, branch.target_trials) == (rows.sum(), (target & rows).sum())
    assert branch.best == losses[rows].min()


def test_losing_branches_are_explained(tree: condped.Branches) -> None:
    """All zero in the study, and decided by one value inside."""
    (c0,) = tree.roots
    losing = c0.branches[1]
    assert losing.nodes[0].eta_squared == 0
    assert losing.target_trials == 0
    assert losing.inside["z"].eta_squared > 0.5
    assert losing.inside.evidence["z"].verdict == "matters"


def test_choosing_a_branch_is_the_variance_between_branches() -> None:
    """Against the exact truth: a gate decides nothing but the branch."""
    problem = condped.problems.get("activation-disjoint")
    (c, *_) = condped.branches(problem.sample(5000, seed=0)).roots
    assert c.choosing == pytest.approx(problem.truth(0.1).eta_squared["c"], abs=0.01)
    assert c.condition is None
    assert c.branches[0].nodes[0].condition == "c < 0.5"


def test_a_study_of_optuna_shows_its_ifs() -> None:
    """It records no conditions: they are inferred from the trials, choices and numbers alike."""

    def objective(trial: optuna.Trial) -> float:
        model = trial.suggest_categorical("model", ["svm", "forest", "net"])
        if model == "svm":
            return trial.suggest_float("C", 0, 1)
        if model == "forest":
            return trial.suggest_int("trees", 1, 50) / 50
        layers = trial.suggest_int("layers", 1, 4)
        if layers > 2:
            trial.suggest_float("skip", 0, 1)
        return trial.suggest_float("rate", 0.1, 1)

    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    study.optimize(objective, n_trials=150)
    found = condped.branches(study)
    assert found.found_from == "data"
    assert found.parents == {
        "C": ("model",),
        "trees": ("model",),
        "layers": ("model",),
        "rate": ("model",),
        "skip": ("layers",),
    }
    assert "model == 'net' and layers >= 3" in [branch.condition for branch in found]
    assert {branch.label for branch in found} == {"svm", "forest", "net", "1..2", "3..4"}


def test_two_gates_at_once_are_both_named() -> None:
    """A condition on two parameters that know nothing of each other."""
    space = {
        "a": condped.Categorical([0, 1]),
        "b": condped.Categorical([0, 1]),
        "x": [condped.when("a == 1 and b == 1", condped.Float(0, 1))],
    }
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, 80), rng.integers(0, 2, 80)
    trials = {"a": a, "b": b, "x": np.where(a & b, rng.random(80), np.nan), "loss": rng.random(80)}
    found = condped.branches(trials, objective="loss", space=space)
    assert found.parents == {"x": ("a", "b")}
    shown = [[[n.parameter for n in b.nodes] for b in root.branches] for root in found.roots]
    assert shown == [[[], ["x"]], [[], ["x"]]]
    assert found.roots[0].branches[1].nodes[0].condition == "a == 1 and b == 1"


def test_rows_and_data_hold_every_branch(tree: condped.Branches) -> None:
    """As JSON and as records, the whole study first."""
    data = json.loads(json.dumps(tree.to_data()))
    assert (data["schema"], data["found_from"]) == ("condped.branches/1", "space")
    inner = data["roots"][0]["branches"][0]["nodes"][0]
    assert (inner["parameter"], inner["branches"][0]["label"]) == ("c1", "< 0.5")
    rows = tree.rows()
    assert all(tuple(row) == tree.columns or set(row) == set(tree.columns) for row in rows)
    assert [row["condition"] for row in rows[:5]] == [None] * 5
    assert {row["condition"] for row in rows[5:]} == {branch.condition for branch in tree}
    assert list(tree.to_frame().columns) == list(tree.columns)


def test_the_text_is_a_tree_that_fits(tree: condped.Branches) -> None:
    """Also with many branches and long names."""
    text = str(tree)
    assert "│  └─ c1" in text
    assert "└─ >= 0.75: " in text
    rng = np.random.default_rng(0)
    choices = [f"a learner with quite a long name {place}" for place in range(20)]
    kind = rng.integers(0, 20, 400)
    trials: dict[str, Any] = {"learner": np.array(choices, dtype=object)[kind]}
    for place in range(60):
        name = f"one of sixty parameters with very long names, number {place}"
        trials[name] = np.where(kind == place % 3, rng.random(400), np.nan)
    trials["loss"] = rng.random(400)
    found = condped.branches(trials, objective="loss", sampling="random")
    assert len(found.parents) == 60
    lines = str(found).splitlines()
    assert max(map(len, lines)) <= 110
    assert any("and 8 more, none with η² above" in line for line in lines)


def test_what_no_trial_has_is_told_apart() -> None:
    """It is no root of the tree."""
    table = condped.problems.get("nested").sample(200, seed=0)
    bare = {p.name: np.where(p.domain_ids < 0, np.nan, p.values) for p in table.parameters}
    bare["loss"] = table.objectives[0].values
    found = condped.branches(bare, objective="loss", where="c0 >= 0.75")
    assert [node.parameter for node in found.roots] == ["c0", "z"]
    assert found.inactive == ("c1", "x", "y")
    assert "Not active in any of these trials: c1, x, y." in str(found)


def test_several_objectives_have_no_best(table: condped.TrialTable) -> None:
    """But everything else."""
    trials = {
        **{p.name: np.where(p.domain_ids < 0, np.nan, p.values) for p in table.parameters},
        "one": table.objectives[0].values,
        "two": np.random.default_rng(0).random(len(table)),
    }
    found = condped.branches(
        trials, objective=["one", "two"], direction=["minimize", "maximize"], space=table.space
    )
    assert [branch.best for branch in found] == [None] * 4
    assert (
        sum(branch.target_trials for branch in found.roots[0].branches) == found.whole.target_size
    )


def test_options_reach_both_the_study_and_the_branches(table: condped.TrialTable) -> None:
    """Settings of the analysis, and those of reading."""
    found = condped.branches(table, target_quantile=0.2, method="calibrated", where="c0 < 0.75")
    assert found.whole.settings.method == "calibrated"
    inside = next(iter(found)).inside
    assert (inside.settings.method, inside.target_quantile) == ("calibrated", 0.2)


def test_bad_options_are_refused(table: condped.TrialTable) -> None:
    """In words."""
    with pytest.raises(TypeError, match=r"branches\(\) does not take 'wher'.*'where'"):
        condped.branches(table, wher="c0 < 1")  # type: ignore[call-arg]
    with pytest.raises(SettingsError, match="about conditions"):
        condped.branches(table, measure="unconditional")
    with pytest.raises(SettingsError, match="target_quantile"):
        condped.branches(table, target_quantile=2)


@pytest.mark.parametrize("chosen", [["c", "x"], ["x", "c"], ["x"], ["c"]])
def test_some_parameters_have_the_same_tree_where_they_are_counted(
    tmp_path: Path, chosen: list[str]
) -> None:
    """What was not asked for switches nothing, and is switched by nothing, also in a stream."""
    rng = np.random.default_rng(0)
    gate = rng.random(200)
    x, y = np.where(gate < 0.5, rng.random(200), np.nan), np.where(gate < 0.5, np.nan, 1.0 - gate)
    loss = np.where(gate < 0.5, x, 1.0 + y)
    rows = zip(*(column.tolist() for column in (loss, gate, x, y)), strict=True)
    lines = [",".join("" if np.isnan(cell) else repr(cell) for cell in row) for row in rows]
    (tmp_path / "runs.csv").write_text("\n".join(["loss,c,x,y", *lines]))
    space = condped.Space(
        {
            "c": condped.Float(0, 1),
            "x": condped.when("c < 0.5", condped.Float(0, 1)),
            "y": condped.when("c >= 0.5", condped.Float(0, 1)),
        }
    )
    options: dict[str, Any] = {"objective": "loss", "space": space, "parameters": chosen}
    memory, stream = (
        condped.branches(tmp_path / "runs.csv", engine=engine, **options)
        for engine in ("memory", "stream")
    )
    assert (memory.roots, memory.parents) == (stream.roots, stream.parents)
    assert memory.unexplained == stream.unexplained
    shown = condped.report(tmp_path / "runs.csv", engine="stream", **options).data["tree"]
    assert [chosen[root["parameter"]] for root in shown["roots"]] == [
        node.parameter for node in memory.roots
    ]


def test_a_report_opens_each_branch_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The analysis of a branch at all quantiles serves the tree, the slider and both methods."""
    opened: Counter[str] = Counter()
    inside = Trials.inside

    def counted(self: Trials, condition: Condition) -> Any:
        opened[condition.text] += 1
        return inside(self, condition)

    monkeypatch.setattr(Trials, "inside", counted)
    table = condped.problems.get("nested").sample(300, seed=0)
    condped.report(table)
    assert set(opened.values()) == {1}
    assert set(opened) == {branch.condition for branch in condped.branches(table)}


def test_branches_tell_what_they_reached_and_when_they_were_last_tried() -> None:
    """By pandas; a branch that was given up says how long ago."""
    rng = np.random.default_rng(0)
    model = np.array(["a"] * 10 + ["b", "a", "c"] * 10 + ["a", "c"] * 30)
    trials: dict[str, Any] = {"model": model, "loss": rng.random(100)}
    for name in "abc":
        trials[name] = np.where(model == name, rng.random(100), np.nan)
    frame = pd.DataFrame(trials)
    found = condped.branches(frame, objective="loss", sampling="random")
    branches = {branch.label: branch for branch in found}
    assert set(branches) == {"a", "b", "c"}
    for label, branch in branches.items():
        own = frame[frame["model"] == label]
        (reached,) = branch.reached
        assert branch.median == reached.median == pytest.approx(own["loss"].median())
        assert (reached.best, branch.trials) == (own["loss"].min(), len(own))
        assert branch.last is not None
        assert (branch.last.number, branch.last.ago) == (own.index[-1], 99 - own.index[-1])
    assert "last tried 62 trials ago" in str(found)
    started = np.arange(100.0)
    table = replace(
        condped.read(frame, objective="loss"), times=Times.between(started, started + 5)
    )
    timed = {b.label: b.last for b in condped.branches(table, sampling="random")}
    assert timed["b"] is not None
    assert timed["b"].seconds_ago == 104 - 37
    row = next(row for row in found.rows() if row["branch"] == "b")
    assert (row["median"], row["last_trial"], row["trials_ago"]) == (branches["b"].median, 37, 62)
