"""Code for other tools, run by these tools: it draws what the space says, no more and no less."""

from __future__ import annotations

import importlib
import json
import math
import warnings
from typing import Any

import numpy as np
import pytest

import condped
from condped import Categorical, Space
from condped.analyse.advice.code.configspace_code import configspace_code
from condped.analyse.advice.code.hyperopt_code import hyperopt_code
from condped.analyse.advice.code.ray_code import ray_code
from condped.analyse.advice.code.space_json import space_json
from tests.drawing import meets, model_selection

DRAWN = 1_000
ODD = 'a "quoted" `name`\\ with\nlines/and.dots'

SPACES: dict[str, dict[str, Any]] = {
    "every domain": {
        "float": {"type": "float", "low": -1.5, "high": 2},
        "log": {"type": "float", "low": 1e-6, "high": 10, "log": True},
        "int": {"type": "int", "low": -3, "high": 4},
        "log int": {"type": "int", "low": 1, "high": 1000, "log": True},
        "step": {"type": "float", "low": 0.1, "high": 0.9, "step": 0.2},
        "even step": {"type": "float", "low": 0.0, "high": 1.0, "step": 0.25},
        "int step": {"type": "int", "low": 3, "high": 24, "step": 7},
        "even int step": {"type": "int", "low": 8, "high": 64, "step": 8},
        "choice": {"type": "categorical", "choices": ["it's", 'a "b"', "back\\slash", "new\nline"]},
        "mixed": {"type": "categorical", "choices": [1, True, "1", None, 2.5, "None"]},
        ODD: {"type": "int", "low": 0, "high": 5},
    },
    "nested": {
        "model": {"type": "categorical", "choices": ["svm", "tree", None]},
        "kernel": {
            "type": "categorical", "choices": ["rbf", "poly", "linear"], "when": "model == 'svm'",
        },
        "gamma": {
            "type": "float", "low": 1e-4, "high": 1, "log": True,
            "when": "model == 'svm' and kernel == 'rbf'",
        },
        "degree": {"type": "int", "low": 2, "high": 5, "when": "kernel == 'poly'"},
        "shrink": {"type": "categorical", "choices": [True, False], "when": "kernel != 'linear'"},
        "depth": {"type": "int", "low": 1, "high": 9, "when": "model in ['tree']"},
        "leaf": {"type": "int", "low": 1, "high": 20, "when": "depth > 3"},
        ODD: {"type": "float", "low": 0, "high": 1, "when": "model != 'svm'"},
    },
    "several domains": {
        "kind": {"type": "categorical", "choices": ["a", "b", "c"]},
        "x": [
            {"type": "float", "low": 0, "high": 1, "when": "kind == 'a'"},
            {"type": "int", "low": 5, "high": 9, "when": "kind == 'b'"},
            {"type": "categorical", "choices": [0, 1], "when": "kind == 'c'"},
        ],
        "y": {"type": "float", "low": 0, "high": 1, "when": "x > 0.5"},
    },
    "numbers as gates": {
        "c": {"type": "float", "low": 0, "high": 1},
        "n": {"type": "int", "low": 1, "high": 6},
        "s": {"type": "int", "low": 0, "high": 20, "step": 5},
        "low": {"type": "float", "low": -7, "high": -2, "when": "c <= 0.5"},
        "high": {"type": "float", "low": 2, "high": 7, "when": "c > 0.5 and n >= 3"},
        "either": {"type": "float", "low": 0, "high": 1, "when": "c < 0.2 or n == 6 or s >= 15"},
        "some": {"type": "float", "low": 0, "high": 1, "when": "n in [2, 4] and n != 3"},
        "not some": {"type": "float", "low": 0, "high": 1, "when": "n not in [2, 4]"},
        "deep": {"type": "int", "low": 1, "high": 3, "when": "low < -4 and s < 15"},
        "deeper": {"type": "float", "low": 0, "high": 1, "when": "deep != 2"},
        "never less": {"type": "float", "low": 0, "high": 1, "when": "n < 4.5"},
    },
    "two gates": {
        "a": {"type": "categorical", "choices": [0, 1, 2]},
        "b": {"type": "categorical", "choices": ["u", "v"]},
        "both": {"type": "float", "low": 0, "high": 1, "when": "a == 1 and b == 'v'"},
        "any": {"type": "float", "low": 0, "high": 1, "when": "a == 2 or b == 'u'"},
        "number": {"type": "float", "low": 0, "high": 1, "when": "a >= 1"},
        "not": {"type": "float", "low": 0, "high": 1, "when": "not (a == 1 or b == 'v')"},
        "inner": {"type": "categorical", "choices": [None, "k"], "when": "any > 0.5"},
        "inmost": {"type": "float", "low": 0, "high": 1, "when": "inner == 'k' or both > 0.5"},
    },
    "a model selection": model_selection()[0].to_dict(),
}  # fmt: skip


def run(code: str) -> dict[str, Any]:
    """Run code as a user would and return what it defines."""
    session: dict[str, Any] = {}
    exec(compile(code, "advice", "exec"), session)
    return session


def by_configspace(code: str, drawn: int) -> list[dict[str, Any]]:
    """Draw configurations with ConfigSpace."""
    session = run(code)
    session["space"].seed(0)
    found = [dict(one) for one in session["space"].sample_configuration(drawn)]
    return [session["config_of"](one) for one in found] if "config_of" in session else found


def by_ray(code: str, drawn: int) -> list[dict[str, Any]]:
    """Draw configurations with Ray Tune, as its random search does."""
    variants = importlib.import_module("ray.tune.search.variant_generator")
    space = run(code)["param_space"]
    return [config for _ in range(drawn) for _, config in variants.generate_variants(space)]


def by_hyperopt(code: str, drawn: int) -> list[dict[str, Any]]:
    """Draw configurations with Hyperopt."""
    sample = importlib.import_module("hyperopt.pyll.stochastic").sample
    session, rng = run(code), np.random.default_rng(0)
    flat = session.get("config_of", dict)
    return [flat(sample(session["space"], rng=rng)) for _ in range(drawn)]


def plain(value: Any) -> Any:
    """Return a value of Python."""
    return value.item() if isinstance(value, np.generic) else value


def same(one: Any, other: Any) -> bool:
    """Return whether two choices are the same: True is not 1."""
    return type(one) is type(other) and bool(one == other)


def fits(domain: Any, value: Any) -> bool:
    """Return whether a value is in a domain, but for rounding."""
    if isinstance(domain, Categorical):
        return any(same(choice, value) for choice in domain.choices)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    slack = 1e-9 * max(abs(domain.low), abs(domain.high))
    if not domain.low - slack <= value <= domain.high + slack:
        return False
    if isinstance(domain, condped.Int) and not isinstance(value, int):
        return False
    if domain.step is None:
        return True
    steps = (value - domain.low) / domain.step
    return math.isclose(steps, round(steps), abs_tol=1e-6)


def check(space: Space, drawn: list[dict[str, Any]]) -> None:
    """Compare configurations with the space: what is active, and in which domain."""
    seen: dict[str, set[bool]] = {name: set() for name in space}
    for config in drawn:
        own = {name: plain(value) for name, value in config.items()}
        assert set(own) <= set(space)
        for name, entries in space.items():
            active = [e.domain for e in entries if e.when is None or meets(e.when.root, own)]
            assert (name in own) == bool(active), (name, own)
            seen[name].add(name in own)
            if active:
                assert any(fits(domain, own[name]) for domain in active), (name, own)
    for name, entries in space.items():
        assert True in seen[name]
        assert (False in seen[name]) >= (entries[0].when is not None and len(entries) == 1)


def without_inactive(space: Space, config: dict[str, Any]) -> dict[str, Any]:
    """Leave out what is marked as not active."""
    found = {}
    for name, value in config.items():
        choices = [c for e in space[name] if isinstance(e.domain, Categorical)
                   for c in e.domain.choices]  # fmt: skip
        mark = "inactive" if None in choices else None
        if space[name][0].when is None or not same(value, mark):
            found[name] = value
    return found


@pytest.mark.parametrize("name", SPACES)
def test_configspace_draws_from_the_space(name: str) -> None:
    """Also SMAC takes it."""
    space = Space(SPACES[name])
    code = configspace_code(space)
    assert "always drawn" not in code
    check(space, by_configspace(code, DRAWN))


@pytest.mark.parametrize("name", SPACES)
def test_ray_draws_from_the_space(name: str) -> None:
    """By random search; what is not active is None, or marked where None is a choice."""
    space = Space(SPACES[name])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        drawn = by_ray(ray_code(space), DRAWN)
    check(space, [without_inactive(space, one) for one in drawn])


@pytest.mark.parametrize("name", SPACES)
def test_hyperopt_draws_from_the_space(name: str) -> None:
    """With choices nested in choices, and switches for other conditions."""
    space = Space(SPACES[name])
    check(space, by_hyperopt(hyperopt_code(space), DRAWN))


COMPARED: dict[str, Any] = {
    "a": {"type": "float", "low": 0, "high": 1},
    "b": {"type": "float", "low": 0, "high": 1},
    "k": {"type": "categorical", "choices": ["u", "v"], "when": "a > 0.5"},
    "x": {"type": "float", "low": 0, "high": 1, "when": "a < b"},
    "y": {"type": "float", "low": 0, "high": 1, "when": "not (k == 'u')"},
}


def test_what_configspace_cannot_express_is_said() -> None:
    """Two parameters compared, and a condition that holds where its gate is not active."""
    code = configspace_code(Space(COMPARED))
    assert "# x is always drawn: ConfigSpace cannot express" in code
    assert "# a < b (it compares two parameters). Ignore it elsewhere." in code
    assert "# not (k == 'u') (it holds where a parameter is not active)" in code
    drawn = by_configspace(code, 200)
    assert all({"a", "b", "x", "y"} <= set(one) for one in drawn)
    assert {"k" in one for one in drawn} == {True, False}


@pytest.mark.parametrize("tool", ["ray", "hyperopt"])
def test_other_tools_express_that(tool: str) -> None:
    """Ray in Python, Hyperopt by arithmetic."""
    space = Space(COMPARED)
    if tool == "ray":
        drawn = [without_inactive(space, one) for one in by_ray(ray_code(space), DRAWN)]
    else:
        drawn = by_hyperopt(hyperopt_code(space), DRAWN)
    check(space, drawn)


def test_hyperopt_searches_in_nested_and_switched_spaces() -> None:
    """TPE itself, which takes a space apart: what is not active has no value."""
    hyperopt = importlib.import_module("hyperopt")
    space = Space(SPACES["numbers as gates"])
    session, seen = run(hyperopt_code(space)), []

    def objective(drawn: dict[str, Any]) -> float:
        seen.append(session["config_of"](drawn))
        return float(seen[-1]["c"])

    hyperopt.fmin(
        objective, session["space"], algo=hyperopt.tpe.suggest, max_evals=80,
        show_progressbar=False, rstate=np.random.default_rng(0),
    )  # fmt: skip
    for config in seen:
        own = {name: plain(value) for name, value in config.items()}
        for name, entries in space.items():
            active = [e for e in entries if e.when is None or meets(e.when.root, own)]
            assert (name in own) == bool(active)


@pytest.mark.parametrize("write", [configspace_code, ray_code, hyperopt_code])
def test_unknown_conditions_are_comments(write: Any) -> None:
    """As is what an unknown parameter switches; the rest draws."""
    space = Space({
        "a": {"type": "categorical", "choices": ["u", "v"]},
        "odd\nname": {"type": "int", "low": 1, "high": 3},
        "below": {"type": "float", "low": 0, "high": 1, "when": "`odd\nname` == 2"},
    })  # fmt: skip
    code = write(space, {"odd\nname": (12, 80)})
    assert "is left out, its condition is unknown: it was active in 12 of 80 trials." in code
    assert "# below is left out, what switches it is unknown." in code
    draw = {configspace_code: by_configspace, ray_code: by_ray, hyperopt_code: by_hyperopt}[write]
    assert all(set(one) == {"a"} for one in draw(code, 5))


def test_advice_has_code_for_every_tool() -> None:
    """Of the new space: what is fixed away switches nothing, and is not drawn."""
    table = condped.problems.get("activation-disjoint").sample(1000, seed=0)
    advice = condped.advise(table)
    assert advice.dropped == ("y",)
    drawn = {
        "configspace": by_configspace(advice.configspace_code(), DRAWN),
        "ray": by_ray(advice.ray_code(), DRAWN),
        "hyperopt": by_hyperopt(advice.hyperopt_code(), DRAWN),
    }
    for found in drawn.values():
        check(advice.space, found)
        assert all("y" not in one for one in found)


def test_the_space_as_json_is_read_again() -> None:
    """Conditions, several domains and fixed values included."""
    every = SPACES["several domains"] | {"fixed": {"type": "categorical", "choices": [3]}}
    space = Space(every)
    read = Space(json.loads(space_json(space)))
    assert read == space
    constant = Space({"c": condped.Int(4, 4), "x": condped.Float(0, 1)}, inferred=True)
    again = Space(json.loads(space_json(constant)))
    assert again["c"][0].domain == Categorical([4])
    table = condped.problems.get("nested").sample(500, seed=0)
    advice = condped.advise(table)
    name = next(iter(advice.space))
    domain: Any = advice.space[name][0].domain
    loaded = condped.read(
        {name: [domain.low] * 3, "loss": [1.0, 2.0, 3.0]}, objective="loss",
        space={name: json.loads(advice.space_json())[name]},
    )  # fmt: skip
    assert loaded.parameters[0].domains == (domain,)
