"""Gates found from trials: against problems and spaces whose gates are known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import condped
from condped import Space
from condped.analyse.branches.discover import Regimes, find_gates
from condped.analyse.branches.structure import structure_of
from condped.trials.table import State
from tests.drawing import draw, meets, model_selection

TRUE_GATES = {
    "activation-disjoint": {"x": ("c",), "y": ("c",)},
    "activation-overlap": {"x": ("c",), "y": ("c",)},
    "regime-dependent": {"x": ("c",), "y": ("c",)},
    "nested": {"c1": ("c0",), "x": ("c1",), "y": ("c1",), "z": ("c0",)},
    "three-way": {"x": ("c",), "y": ("c",)},
}


@pytest.mark.parametrize("name", TRUE_GATES)
@pytest.mark.parametrize("trials", [50, 200, 1000])
def test_the_papers_problems_show_their_gates(name: str, trials: int) -> None:
    """From 50 trials on, with every seed, and no other gate."""
    problem = condped.problems.get(name)
    for seed in range(5):
        table = replace(problem.sample(trials, seed=seed), space=None)
        found = structure_of(table)
        assert (found.parents, found.found_from) == (TRUE_GATES[name], "data")
        assert found.unexplained == found.inactive == ()


@pytest.mark.parametrize("name", TRUE_GATES)
def test_found_conditions_say_when_a_parameter_is_active(name: str) -> None:
    """Row by row, with the domain that it has there."""
    table = condped.problems.get(name).sample(300, seed=3)
    found = structure_of(replace(table, space=None)).space
    assert table.space is not None
    for row in range(len(table)):
        drawn = {
            parameter.name: parameter.values[row]
            for parameter in table.parameters
            if parameter.domain_ids[row] >= 0
        }
        for parameter in table.parameters:
            active = [a.domain for a in found[parameter.name] if _holds(a, drawn)]
            place = int(parameter.domain_ids[row])
            assert active == ([parameter.domains[place]] if place >= 0 else [])


def _holds(entry: Any, drawn: dict[str, Any]) -> bool:
    return entry.when is None or meets(entry.when.root, drawn)


@pytest.mark.parametrize(("trials", "rate"), [(100, 0.9), (200, 0.99)])
def test_a_model_selection_of_30_parameters_shows_its_gates(trials: int, rate: float) -> None:
    """Nearly always; and what is found is never another gate."""
    space, gates = model_selection()
    right = []
    for seed in range(10):
        parents = structure_of(_trials(space, trials, seed)).parents
        assert {child: gates[child] for child in parents} == {c: g for c, (g,) in parents.items()}
        right.append(len(parents) / len(gates))
    assert np.mean(right) >= rate


def _trials(space: Space, trials: int, seed: int) -> condped.TrialTable:
    rng = np.random.default_rng(seed)
    rows = [{**dict.fromkeys(space), **draw(space, rng), "loss": 0.0} for _ in range(trials)]
    return replace(condped.read(rows, objective="loss", space=space), space=None)


def test_whole_numbers_and_groups_of_choices_are_cut_between_levels() -> None:
    """Where no level lies between, and with all choices that switch the same."""
    rng = np.random.default_rng(0)
    layers, kind = rng.integers(1, 7, 200), rng.choice(list("abcd"), 200).astype(object)
    trials = {
        "layers": layers,
        "kind": kind,
        "deep": np.where(layers >= 4, rng.random(200), np.nan),
        "middle": np.where((layers > 1) & (layers < 4), rng.random(200), np.nan),
        "grouped": np.where(np.isin(kind, ["a", "c"]), rng.random(200), np.nan),
        "loss": rng.random(200),
    }
    space = structure_of(condped.read(trials, objective="loss")).space
    texts = {name: space[name][0].when.text for name in ("deep", "middle")}  # type: ignore[union-attr]
    assert texts == {"deep": "layers >= 4", "middle": "layers >= 2 and layers <= 3"}
    grouped = space["grouped"][0].when
    assert grouped is not None
    assert grouped.text in ("kind in ['a', 'c']", "kind in ['c', 'a']")


def test_a_gate_whose_own_domain_moves_the_cut_is_told_with_its_condition() -> None:
    """It switches at 0.5 in one of its domains and at 5 in the other."""
    space = Space(
        {
            "m": condped.Categorical(["s", "l"]),
            "n": [
                condped.when("m == 's'", condped.Float(0, 1)),
                condped.when("m == 'l'", condped.Float(0, 10)),
            ],
            "x": [
                condped.when("(m == 's' and n < 0.5) or (m == 'l' and n < 5)", condped.Float(0, 1))
            ],
        }
    )
    table = _trials(space, 400, 0)
    found = structure_of(table)
    assert found.parents == {"n": ("m",), "x": ("n",)}
    rng = np.random.default_rng(1)
    agree = [
        ("x" in (one := draw(space, rng))) == _active("x", found.space, one) for _ in range(500)
    ]
    assert np.mean(agree) > 0.98  # the cuts lie between neighbouring values, not just there


def _active(name: str, space: Space, drawn: dict[str, Any]) -> bool:
    return any(_holds(entry, drawn) for entry in space[name])


def test_nothing_is_found_where_nothing_switches() -> None:
    """Absences at random have no gate, and are said to be unexplained."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        trials: dict[str, Any] = {f"p{place}": rng.random(60) for place in range(10)}
        trials["k"] = rng.choice(list("abc"), 60).astype(object)
        trials["hole"] = np.where(rng.random(60) < 0.5, rng.random(60), np.nan)
        trials["rare"] = np.where(np.arange(60) == 7, rng.random(60), np.nan)
        trials["loss"] = rng.random(60)
        found = structure_of(condped.read(trials, objective="loss"))
        assert (found.parents, found.unexplained) == ({}, ("hole", "rare"))


def test_trials_that_failed_do_not_hide_a_gate() -> None:
    """One may have stopped before all of its parameters were drawn."""
    table = replace(condped.problems.get("nested").sample(100, seed=0), space=None)
    parameters = {parameter.name: parameter for parameter in table.parameters}
    ids = parameters["x"].domain_ids.copy()
    ids[:5] = -1
    broken = replace(parameters["x"], domain_ids=ids)
    states = np.where(np.arange(100) < 5, State.FAILED, State.COMPLETE).astype(np.int8)
    table = replace(
        table,
        parameters=tuple(broken if p.name == "x" else p for p in table.parameters),
        states=states,
    )
    assert structure_of(table).parents == TRUE_GATES["nested"]


def test_domains_that_vary_smoothly_have_no_gate() -> None:
    """They are one regime, which nothing switches."""
    rng = np.random.default_rng(0)
    space = {"c": condped.Float(0, 1), "x": condped.Float(0, 1)}
    trials = {"c": rng.random(100), "x": rng.random(100), "loss": rng.random(100)}
    table = condped.read(trials, objective="loss", space=space)
    varying = replace(
        table.parameters[1],
        values=table.parameters[1].values * trials["c"],
        domain_ids=np.arange(100),
        domains=tuple(condped.Float(0, high) for high in trials["c"]),
    )
    found = structure_of(replace(table, parameters=(table.parameters[0], varying), space=None))
    assert (found.parents, found.unexplained) == ({}, ("x",))
    assert found.space["x"][0].domain == condped.Float(0, float(trials["c"].max()))


def test_two_that_would_switch_each_other_do_not() -> None:
    """One of them is the gate."""
    values = np.linspace(0, 1, 40)
    low = values < 0.5
    one = Regimes("one", low.astype(np.int64), values, np.array([False, False]))
    labels = np.where(values < 0.25, 0, 1)
    other = Regimes("other", labels, values, np.array([False, False]))
    gates = {name: found.gates for name, found in find_gates([one, other]).items()}
    assert gates in ({"one": (1,)}, {"other": (0,)}, {})


def test_a_space_is_taken_at_its_word() -> None:
    """Conditions that are given are not looked for, whatever the trials show."""
    table = condped.problems.get("nested").sample(10, seed=0)
    found = structure_of(table)
    assert (found.parents, found.found_from) == (TRUE_GATES["nested"], "space")
    assert found.space["x"] == table.space["x"]  # type: ignore[index]


def test_a_gate_that_no_trial_has_does_not_matter() -> None:
    """The space is understood all the same."""
    space = {
        "a": condped.Float(0, 1),
        "k": condped.Categorical(["u", "v"]),
        "x": [condped.when("k == 'u'", condped.Float(0, 1))],
    }
    trials = {"a": [0.1, 0.2], "k": [None, None], "x": [None, None], "loss": [1.0, 2.0]}
    found = structure_of(condped.read(trials, objective="loss", space=space))
    assert (found.parents, found.inactive) == ({"x": ("k",)}, ())


def test_a_space_without_conditions_is_completed_from_the_trials() -> None:
    """A tool that knows the domains need not know what switches them."""
    table = condped.problems.get("nested").sample(100, seed=0)
    plain = {name: entries[0].domain for name, entries in table.space.items()}  # type: ignore[union-attr]
    bare = {p.name: np.where(p.domain_ids < 0, np.nan, p.values) for p in table.parameters}
    bare["loss"] = table.objectives[0].values
    found = structure_of(condped.read(bare, objective="loss", space=plain))
    assert (found.parents, found.found_from) == (TRUE_GATES["nested"], "data")
