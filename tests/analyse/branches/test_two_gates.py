"""Parameters that two gates switch, found where the trials show it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import optuna
import pytest

import condped
from condped import Categorical, Float, Int, Space, when
from condped.analyse.branches.result import Node
from condped.analyse.branches.structure import structure_of
from tests.drawing import draw, meets

A, B = Categorical(["x", "y", "z"]), Categorical(["u", "v"])
SPACES = {
    "two choices": Space({"a": A, "b": B, "p": when("a == 'x' and b == 'v'", Float(0, 1))}),
    "choice and threshold": Space(
        {"a": A, "c": Float(0, 1), "p": when("a in ['x', 'y'] and c >= 0.3", Float(0, 1))}
    ),
    "two thresholds": Space(
        {"n": Int(1, 9), "c": Float(1e-4, 1, log=True), "p": when("n >= 4 and c < 0.01", A)}
    ),
    "a gate in a branch of the other": Space(
        {
            "a": A,
            "b": when("a in ['x', 'y']", B),
            "p": when("a == 'x' and b == 'v'", Float(0, 1)),
        }
    ),
    "one branch, or a choice in another": Space(
        {
            "a": A,
            "b": when("a == 'y'", B),
            "p": when("a == 'x' or (a == 'y' and b == 'v')", Float(0, 1)),
        }
    ),
    "two domains": Space(
        {
            "a": A,
            "b": B,
            "p": [
                when("a == 'x' and b == 'v'", Float(0, 1)),
                when("a == 'x' and b == 'u'", Float(5, 6)),
            ],
            "q": [when("a == 'x' and b == 'u'", Int(1, 5))],
        }
    ),
}


def _table(space: Space, trials: int, seed: int) -> condped.TrialTable:
    """Return trials with three parameters that have nothing to do with it."""
    rng = np.random.default_rng(seed)
    more = Space({**space, "i": Float(0, 1), "j": Int(0, 9), "k": Categorical(list("abcd"))})
    rows = [{**dict.fromkeys(more), **draw(more, rng), "loss": 0.0} for _ in range(trials)]
    return replace(condped.read(rows, objective="loss", space=more), space=None)


@pytest.mark.parametrize("name", SPACES)
@pytest.mark.parametrize("seed", range(3))
def test_conditions_with_two_gates_are_found(name: str, seed: int) -> None:
    """They say of new configurations when each parameter is active, up to where thresholds lie."""
    space = SPACES[name]
    found = structure_of(_table(space, 200, seed))
    assert found.unexplained == ()
    rng = np.random.default_rng(99)
    agree = []
    for _ in range(300):
        drawn = draw(space, rng)
        for child in space:
            active = [
                entry.domain
                for entry in found.space[child]
                if entry.when is None or meets(entry.when.root, drawn)
            ]
            told = [
                entry.domain
                for entry in space[child]
                if entry.when is None or meets(entry.when.root, drawn)
            ]
            agree.append(active == told)
    assert np.mean(agree) > (0.97 if "threshold" in name else 0.9999)


def test_both_gates_are_named() -> None:
    """In the words of a space, and in the tree under each of them."""
    table = _table(SPACES["two choices"], 150, 0)
    found = structure_of(table)
    (entry,) = found.space["p"]
    assert entry.when is not None
    assert entry.when.text in ("a == 'x' and b == 'v'", "b == 'v' and a == 'x'")
    assert set(found.parents["p"]) == {"a", "b"}
    tree = condped.branches(replace(table, objectives=(_by_p(table),)))
    under = {node.parameter: node for node in tree.roots}
    assert {b.label for n in "ab" for b in under[n].branches if b.nodes} == {"x", "v"}


def _shown(nodes: tuple[Node, ...]) -> dict[str, Any]:
    """Return the tree as mappings: gates, their branches, and what these switch on."""
    return {
        node.parameter: {branch.label: _shown(branch.nodes) for branch in node.branches}
        for node in nodes
        if node.parameter in ("a", "b", "p")
    }


def test_the_tree_has_a_parameter_only_where_it_is_active() -> None:
    """Below the gate that decides last, on every way to it, and nowhere else."""
    p: dict[str, Any] = {"p": {}}
    trees = {
        "a gate in a branch of the other": {
            "a": {"x": {"b": {"u": {}, "v": p}}, "y": {"b": {}}, "z": {}}
        },
        "one branch, or a choice in another": {
            "a": {"x": p, "y": {"b": {"u": {}, "v": p}}, "z": {}}
        },
    }
    for name, tree in trees.items():
        table = _table(SPACES[name], 200, 0)
        found = condped.branches(replace(table, objectives=(_by_p(table),)))
        assert _shown(found.roots) == tree


def _by_p(table: condped.TrialTable) -> Any:
    p = next(parameter for parameter in table.parameters if parameter.name == "p")
    return replace(table.objectives[0], values=np.where(p.domain_ids < 0, 2.0, p.values))


def test_a_real_study_with_two_gates() -> None:
    """Optuna's own sampler, a pruner, and an and that someone wrote."""

    def objective(trial: optuna.Trial) -> float:
        kernel = trial.suggest_categorical("kernel", ["rbf", "poly", "linear"])
        scale = trial.suggest_categorical("scale", [True, False])
        value = trial.suggest_float("C", 1e-2, 1e2, log=True)
        if kernel == "rbf" and scale:
            value = trial.suggest_float("gamma", 1e-3, 1)
        trial.report(value, 0)
        if trial.should_prune():
            raise optuna.TrialPruned
        return value

    study = optuna.create_study(
        sampler=optuna.samplers.TPESampler(seed=0, n_startup_trials=60),
        pruner=optuna.pruners.MedianPruner(n_startup_trials=5),
    )
    study.optimize(objective, n_trials=120)
    found = structure_of(condped.read(study))
    assert found.unexplained == ()
    assert set(found.parents["gamma"]) == {"kernel", "scale"}


@pytest.mark.parametrize("trials", [15, 30, 60])
def test_random_absences_have_no_two_gates_either(trials: int) -> None:
    """In a hundred small studies of eight parameters hardly one condition is found."""
    wrong = sum(bool(structure_of(_random(trials, seed)).parents) for seed in range(100))
    assert wrong <= 2


def _random(trials: int, seed: int) -> condped.TrialTable:
    rng = np.random.default_rng([trials, seed])
    columns: dict[str, Any] = {
        **{f"f{place}": rng.random(trials) for place in range(3)},
        "n": rng.integers(1, 6, trials),
        "two": rng.choice(["a", "b"], trials).astype(object),
        "five": rng.choice(list("abcde"), trials).astype(object),
        "hole": np.where(rng.random(trials) < rng.uniform(0.1, 0.9), rng.random(trials), np.nan),
        "loss": rng.random(trials),
    }
    columns["sparse"] = np.where(rng.random(trials) < 0.3, rng.random(trials), np.nan)
    return condped.read(columns, objective="loss")


@pytest.mark.parametrize("trials", [20, 40])
def test_noise_inside_a_branch_is_not_given_a_second_gate(trials: int) -> None:
    """One gate is necessary; what else decides is not recorded."""
    wrong = 0
    for seed in range(100):
        rng = np.random.default_rng([trials, seed, 1])
        table = _random(trials, seed)
        two = table.parameters[table.names.index("two")]
        hole = table.parameters[table.names.index("hole")]
        on = (two.values == 0) & (rng.random(trials) < 0.5)
        own = replace(hole, values=rng.random(trials), domain_ids=np.where(on, 0, -1))
        kept = [p for p in table.parameters if p.name not in ("hole", "sparse")]
        found = structure_of(replace(table, parameters=(*kept, own)))
        wrong += "hole" in found.parents
    assert wrong <= 2
