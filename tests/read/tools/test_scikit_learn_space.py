"""Grids and distributions of scikit-learn as spaces, against what its own sampler draws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.model_selection import ParameterGrid, ParameterSampler

import condped
from condped.read.tools.scikit_learn.space import space_of
from condped.space.domain import Categorical, Float, Int


def conditions(grid: Any) -> dict[str, list[str | None]]:
    """Return the conditions of each parameter."""
    space = space_of(grid)
    return {n: [a.when.text if a.when else None for a in space[n]] for n in space}


@pytest.mark.parametrize(
    ("distribution", "domain"),
    [
        (stats.uniform(2, 3), Float(2, 5)),
        (stats.loguniform(1e-4, 10), Float(1e-4, 10, log=True)),
        (stats.reciprocal(1, 100), Float(1, 100, log=True)),
        (stats.randint(3, 9), Int(3, 8)),
        (stats.truncnorm(-1, 2, loc=5, scale=2), Float(3, 9)),
        (stats.beta(2, 5), Float(0, 1)),
        (stats.binom(7, 0.3), Int(0, 7)),
    ],
)
def test_bounded_distributions_are_domains(distribution: Any, domain: Any) -> None:
    """Which hold every draw."""
    assert space_of({"x": distribution})["x"][0].domain == domain
    draws = distribution.rvs(200, random_state=0)
    assert (draws >= domain.low - 1e-9).all()
    assert (draws <= domain.high + 1e-9).all()


class Lottery:
    """A distribution that knows nothing but how to draw."""

    def rvs(self, random_state: Any = None) -> float:
        """Draw."""
        return float(np.random.default_rng(random_state).random())


@pytest.mark.parametrize("distribution", [stats.norm(), stats.expon(), stats.poisson(3), Lottery()])
def test_others_are_inferred_from_their_values(distribution: Any) -> None:
    """With a note that names the distribution."""
    space = space_of({"x": distribution, "y": [1, 2]})
    assert space.to_infer == ("x",)
    assert "x: is drawn from the distribution" in space.notes[0]
    trials = {"x": np.linspace(-1, 2, 20), "y": [1, 2] * 10, "loss": np.arange(20.0)}
    grid: Any = {"x": distribution, "y": [1, 2]}
    table = condped.read(trials, objective="loss", space=grid)
    assert any("taken from the values seen" in note for note in table.notes)


def test_lists_are_ranges_or_choices() -> None:
    """By what they hold."""
    grid = {
        "a": [3, 1, 2],
        "b": np.logspace(-3, 3, 7),
        "c": [True, False],
        "d": ["x", "y"],
        "e": [None, 5],
        "f": [1.0, np.inf],
        "g": range(4),
        "h": [7],
    }
    space = space_of(grid)
    assert {name: space[name][0].domain for name in space} == {
        "a": Int(1, 3),
        "b": Float(1e-3, 1e3, log=True),
        "c": Categorical([True, False]),
        "d": Categorical(["x", "y"]),
        "e": Categorical([None, 5]),
        "f": Categorical([1.0, np.inf]),
        "g": Int(0, 3),
    }
    assert space.notes == ("h: left out, since it has a single value: {7..7}.",)


def test_a_parameter_with_other_values_in_each_dict_is_the_gate() -> None:
    """Alone, several of its values at once, or two gates together."""
    assert conditions(
        [{"k": ["a"], "x": [1, 2]}, {"k": ["b"], "y": [1, 2]}, {"k": ["c"], "x": [1, 2]}]
    ) == {"k": [None], "x": ["k in ['a', 'c']"], "y": ["k == 'b'"]}
    assert conditions([{"k": ["a", "b"], "x": [1, 2]}, {"k": ["c", "d"], "x": [3, 9]}]) == {
        "k": [None],
        "x": ["k in ['a', 'b']", "k in ['c', 'd']"],
    }
    two = [
        {"k": ["a"], "m": ["u"], "x": [1, 2]},
        {"k": ["a"], "m": ["v"], "y": [1, 2]},
        {"k": ["b"], "m": ["u"], "z": [1, 2]},
    ]
    assert conditions(two)["x"] == ["k == 'a' and m == 'u'"]
    numeric = [{"n": [1, 2], "x": [1, 2]}, {"n": [3, 4], "x": [5, 6]}]
    assert conditions(numeric) == {"n": [None], "x": ["n in [1, 2]", "n in [3, 4]"]}


def test_a_gate_of_several_ranges_has_a_note() -> None:
    """Values between the ranges count as possible, which readers should know."""
    space = space_of([{"n": [1, 10], "x": [1, 2]}, {"n": [100, 1000], "y": [1, 2]}])
    assert space["n"][0].domain == Int(1, 1000, log=True)
    assert any("n: has 2 domains" in note and "{1..1000}" in note for note in space.notes)
    choices = space_of([{"k": ["a"], "x": [1, 2]}, {"k": ["b", "c"], "y": [1, 2]}])
    assert not any(note.startswith("k:") for note in choices.notes)


def test_what_no_parameter_tells_is_said() -> None:
    """Dicts that overlap: presence is known from values, the condition is not."""
    grid = [{"k": ["a", "b"], "x": [1, 2]}, {"k": ["b", "c"], "x": [2, 9], "y": [1, 2]}]
    space = space_of(grid)
    assert conditions(grid) == {"k": [None], "x": [None], "y": [None]}
    assert space["k"][0].domain == Categorical(["a", "b", "c"])
    assert space["x"][0].domain == Int(1, 9)
    assert any("x: has 2 domains in dicts" in note for note in space.notes)
    assert any("y: is in some of the dicts only" in note for note in space.notes)
    trials = [{**entry, "loss": float(n)} for n, entry in enumerate(ParameterGrid(grid))]
    table = condped.read(trials, objective="loss", space=grid)
    present = next(p for p in table.parameters if p.name == "y").domain_ids >= 0
    assert present.tolist() == ["y" in entry for entry in trials]


def test_a_value_fixed_in_one_dict_belongs_to_the_others_domain() -> None:
    """A domain of one value would be no regime to look into."""
    grid = [{"k": ["a"], "x": [1.0, 5.0]}, {"k": ["b"], "x": [3.0]}, {"k": ["c"]}]
    space = space_of(grid)
    assert [alternative.domain for alternative in space["x"]] == [Int(1, 5)]
    assert conditions(grid)["x"] == ["k in ['a', 'b']"]


SPACES: list[Any] = [
    [
        {"k": ["a"], "x": stats.uniform(0, 1), "s": ["u", "v"]},
        {"k": ["b", "c"], "x": stats.uniform(5, 1), "n": stats.randint(1, 4)},
        {"k": ["d"], "m": [None, 1, "z"]},
    ],
    [{"k": ["a"], "x": [1, 2]}, {"k": ["a"], "y": [1, 2]}, {"k": ["b"], "y": [1, 2]}],
    {"x": stats.loguniform(1e-3, 1), "y": [True, False]},
]


@pytest.mark.parametrize("place", range(len(SPACES)))
def test_conditions_hold_in_what_scikit_learn_draws(place: int) -> None:
    """Every parameter is present exactly where its condition says so, with a value inside."""
    grid = SPACES[place]
    drawn = list(ParameterSampler(grid, 60, random_state=1)) if place != 1 else ParameterGrid(grid)
    results = {
        "params": list(drawn),
        "mean_test_score": np.arange(float(len(drawn))),
    }
    table = condped.read(results, space=grid)
    for parameter in table.parameters:
        expected = [parameter.name in entry for entry in drawn]
        assert (parameter.domain_ids >= 0).tolist() == expected
    assert not any("missing" in note for note in table.notes)
