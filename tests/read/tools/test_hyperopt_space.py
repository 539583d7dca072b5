"""Hyperopt's spaces, against what Hyperopt draws from them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hyperopt import hp
from hyperopt.pyll import scope
from hyperopt.pyll.stochastic import sample

from condped import Categorical, Float, Int
from condped.errors import SpaceError
from condped.read.load_space import load_space
from condped.space.space import Alternative

DRAWN: dict[str, tuple[Any, Any]] = {
    "uniform": (hp.uniform("x", -1, 2), Float(-1, 2)),
    "by name": (hp.uniform("x", high=2, low=-1), Float(-1, 2)),
    "loguniform": (hp.loguniform("x", -2, 3), Float(np.exp(-2), np.exp(3), log=True)),
    "quniform": (hp.quniform("x", 0.4, 3, 0.5), Float(0.5, 3, step=0.5)),
    "beyond the bounds": (hp.quniform("x", 1.9, 8.2, 4), Float(0, 8, step=4)),
    "half a step": (hp.quniform("x", 1, 9, 2), Float(2, 8, step=2)),
    "qloguniform": (hp.qloguniform("x", 0, 2, 2), Float(2, 8, log=True)),
    "down to 0": (hp.qloguniform("x", -3, 1, 1), Float(0, 3, step=1)),
    "uniformint": (hp.uniformint("x", 1, 4), Int(1, 4)),
    "whole": (scope.int(hp.quniform("x", 2, 8, 2)), Int(2, 8, step=2)),
    "whole logs": (scope.int(hp.qloguniform("x", 0, 2, 1)), Int(1, 7, log=True)),
    "randint": (hp.randint("x", 4), Int(0, 3)),
    "randint from": (hp.randint("x", 2, 5), Int(2, 4)),
    "choice": (hp.choice("x", ["a", None, 2, True]), Categorical(["a", None, 2, True])),
    "lists": (hp.choice("x", [[64, 64], (32,)]), Categorical([(64, 64), (32,)])),
    "pchoice": (hp.pchoice("x", [(0.2, "a"), (0.8, "b")]), Categorical(["a", "b"])),
    "alike": (hp.choice("x", ["a", "a"]), Categorical([0, 1])),
    "objects": (hp.choice("x", [{"a": 1}, int]), Categorical([0, 1])),
}


@pytest.mark.parametrize("name", DRAWN)
def test_domains_hold_what_hyperopt_draws_and_no_more(name: str) -> None:
    """All values fit, and the ends of whole numbers and steps are reached."""
    source, expected = DRAWN[name]
    assert load_space({"x": source})["x"] == (Alternative(expected),)
    if isinstance(expected, Categorical):
        return
    values = [float(sample(source, np.random.default_rng(seed))) for seed in range(150)]
    if isinstance(expected, Int) or expected.step is not None:
        assert (min(values), max(values)) == (expected.low, expected.high)
    assert expected.low <= min(values) <= max(values) <= expected.high


def test_a_conditional_space_becomes_conditions() -> None:
    """Choices of structures are known by their positions, choices of values by themselves."""
    shared = hp.uniform("shared", 0, 1)
    source = {
        "learner": hp.choice(
            "learner",
            [
                {"kind": "svm", "C": hp.loguniform("C", 0, 1), "s": shared},
                {"kind": "net", "s": shared, "opt": [hp.choice("opt", ["adam", None])]},
                hp.pchoice("inner", [(0.5, 1), (0.5, hp.randint("deep", 5))]),
            ],
        ),
        "fixed": 3,
    }
    assert load_space(source).to_dict() == {
        "learner": {"type": "categorical", "choices": [0, 1, 2]},
        "C": {"type": "float", "low": 1, "high": np.e, "log": True, "when": "learner == 0"},
        "shared": {"type": "float", "low": 0, "high": 1, "when": "learner == 0 or learner == 1"},
        "opt": {"type": "categorical", "choices": ["adam", None], "when": "learner == 1"},
        "inner": {"type": "categorical", "choices": [0, 1], "when": "learner == 2"},
        "deep": {"type": "int", "low": 0, "high": 4, "when": "learner == 2 and inner == 1"},
    }


@pytest.mark.parametrize(
    "source",
    [
        hp.normal("x", 0, 1),
        hp.qnormal("x", 0, 10, 2),
        hp.lognormal("x", 0, 1),
        hp.qlognormal("x", 0, 1, 1),
        hp.uniform("x", 0, hp.uniform("high", 1, 2)),
        scope.int(hp.normal("x", 0, 5)),
    ],
    ids=["normal", "qnormal", "lognormal", "qlognormal", "drawn bound", "whole"],
)
def test_what_has_no_bounds_is_to_be_inferred(source: Any) -> None:
    """With a note that says why."""
    space = load_space({"x": source, "y": hp.uniform("y", 0, 1)})
    assert space.to_infer == ("x",)
    assert "y" in space
    assert any(note.startswith("x: ") for note in space.notes)


def test_a_whole_space_may_be_one_expression() -> None:
    """As fmin takes it."""
    space = load_space(hp.choice("c", [hp.uniform("x", 0, 1), hp.uniform("y", 2, 3)]))
    assert list(space) == ["c", "x", "y"]


def test_one_option_is_no_choice() -> None:
    """Neither the choice nor a condition on it is left."""
    space = load_space({"c": hp.choice("c", [{"x": hp.uniform("x", 0, 1)}])})
    assert space.to_dict() == {"x": {"type": "float", "low": 0, "high": 1}}
    assert space.notes == ("c: left out, since it has a single value: {0}.",)


def test_a_label_for_two_parameters_is_refused() -> None:
    """Hyperopt refuses it as well."""
    with pytest.raises(SpaceError, match="The label 'x' is used for two different parameters"):
        load_space([hp.uniform("x", 0, 1), hp.uniform("x", 0, 2)])


def test_a_space_that_makes_no_sense_names_its_label() -> None:
    """The message of the domain, with the parameter."""
    with pytest.raises(SpaceError, match="'x'"):
        load_space({"x": hp.randint("x", 5, 5)})
