"""Spaces of ConfigSpace, told by ConfigSpace itself and by its files."""

from __future__ import annotations

import json
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import ConfigSpace as CS  # noqa: N817
import numpy as np
import pytest

import condped
from condped import Categorical, Float, Int, Space
from condped.errors import ConditionError, SpaceError
from condped.read.load_space import load_space
from condped.read.table.convert_values import convert_column
from condped.read.tools.smac.configspace import space_of
from condped.space import Condition
from condped.trials.columns import object_column
from tests.read.tools.smac.configspaces import domain_of, random_spaces

SPACES = tuple(random_spaces(150))


def written(space: CS.ConfigurationSpace, path: Path) -> Path:
    """Let ConfigSpace write its file."""
    space.to_json(path)
    return path


def holding(space: Space, configurations: list[CS.Configuration]) -> dict[str, list[bool]]:
    """Return which parameters our conditions call active in each configuration."""
    columns = {
        name: convert_column(
            name, object_column([c.get(name) for c in configurations]), space[name]
        )
        for name in space
    }
    return {
        name: alternative.when.holds(columns).tolist()
        if alternative.when
        else [True] * len(configurations)
        for name, (alternative,) in space.items()
    }


def test_activation_is_configspaces_own_in_random_spaces() -> None:
    """Nested conditions on all types: the active hyperparameters of every configuration."""
    conditional = 0
    for theirs in SPACES:
        configurations = theirs.sample_configuration(40)
        ours = holding(load_space(theirs), configurations)
        for row, configuration in enumerate(configurations):
            active = theirs.get_active_hyperparameters(configuration)
            assert {name for name, held in ours.items() if held[row]} == active
            conditional += len(theirs) - len(active)
    assert conditional > 5000


def test_sampled_values_are_accepted_and_domains_agree() -> None:
    """What ConfigSpace samples is read back value by value, at the bounds too."""
    for theirs in SPACES:
        # ConfigSpace samples a child before a deeper parent of it is switched off, now and then.
        configurations = [
            configuration
            for configuration in theirs.sample_configuration(40)
            if set(configuration) == theirs.get_active_hyperparameters(configuration)
        ]
        columns = {name: [c.get(name) for c in configurations] for name in theirs}
        losses = np.arange(len(configurations))
        table = condped.read({"the loss": losses, **columns}, objective="the loss", space=theirs)
        assert not any("missing in" in note for note in table.notes)
        for parameter in table.parameters:
            domain = domain_of(theirs[parameter.name])
            assert parameter.domains == (domain,)
            for row, configuration in enumerate(configurations):
                assert (parameter.domain_ids[row] >= 0) == (parameter.name in configuration)
                if parameter.name in configuration:
                    value = parameter.values[row]
                    read = domain.choices[value] if isinstance(domain, Categorical) else value
                    assert read == configuration[parameter.name]


def test_object_and_file_are_the_same_space(tmp_path: Path) -> None:
    """Also their plain data, and each condition's text says what its nodes say."""
    for theirs in SPACES:
        ours = load_space(theirs)
        path = written(theirs, tmp_path / "configspace.json")
        assert load_space(path) == load_space(str(path)) == ours
        assert space_of(json.loads(path.read_text(encoding="utf-8"))) == ours
        for (alternative,) in ours.values():
            # The language has no words for the choices that are tuples.
            if alternative.when is not None and ", 2)" not in alternative.when.text:
                assert Condition.parse(alternative.when.text) == alternative.when


def small_space() -> CS.ConfigurationSpace:
    """Make a space with every quirk that has a rule of its own."""
    space = CS.ConfigurationSpace()
    model = CS.CategoricalHyperparameter("model", ["svm", "net"], weights=[3, 1])
    depth = CS.OrdinalHyperparameter("depth", ["low", "mid", "high"])
    width = CS.UniformIntegerHyperparameter("width", 1, 64, log=True)
    gamma = CS.CategoricalHyperparameter("gamma", [None, "auto"])
    noise = CS.NormalFloatHyperparameter("noise", 0.5, 2, 0, 1)
    rate = CS.BetaIntegerHyperparameter("rate", 3, 2, 1, 9)
    never = CS.UniformFloatHyperparameter("never", 0, 1)
    fixed = CS.Constant("fixed", 7)
    space.add(model, depth, width, gamma, noise, rate, never, fixed)
    space.add(
        CS.EqualsCondition(gamma, model, "svm"),
        CS.EqualsCondition(noise, gamma, None),
        CS.NotEqualsCondition(rate, gamma, "auto"),
        CS.LessThanCondition(never, depth, "low"),
        CS.OrConjunction(
            CS.AndConjunction(
                CS.GreaterThanCondition(width, depth, "low"), CS.EqualsCondition(width, fixed, 7)
            ),
            CS.InCondition(width, model, ["svm"]),
        ),
    )
    space.add(
        CS.ForbiddenAndConjunction(
            CS.ForbiddenEqualsClause(model, "net"), CS.ForbiddenEqualsClause(depth, "high")
        )
    )
    return space


def test_conditions_read_like_those_that_a_person_writes() -> None:
    """Ordinals by their order, None told apart from inactive, never as a contradiction."""
    found = {name: alternative.when for name, (alternative,) in load_space(small_space()).items()}
    assert {name: when.text for name, when in found.items() if when} == {
        "gamma": "model == 'svm'",
        "noise": "model == 'svm' and not (gamma in ['auto'])",
        "rate": "not (gamma == 'auto')",
        "never": "depth == 'low' and depth != 'low'",
        "width": "(depth in ['mid', 'high'] and fixed == 7) or model == 'svm'",
    }


def test_what_does_not_change_domains_is_noted() -> None:
    """Weights, normal and beta distributions, forbidden clauses."""
    shaped, forbidden = load_space(small_space()).notes
    assert shaped == (
        "Not sampled uniformly by ConfigSpace: model (weights), noise (normal), rate (beta)."
    )
    assert forbidden.startswith("The ConfigSpace has 1 forbidden clause,")


# As ConfigSpace 0.4 to 0.7 wrote it: default, q, probabilities, unparametrized.
OLD: dict[str, Any] = {
    "hyperparameters": [
        {"name": "lr", "type": "uniform_float", "log": True, "lower": 0.001, "upper": 1.0,
         "default": 0.1, "q": None},
        {"name": "drop", "type": "uniform_float", "log": False, "lower": 0.1, "upper": 0.7,
         "default": 0.3, "q": 0.2},
        {"name": "units", "type": "uniform_int", "log": False, "lower": 1, "upper": 9,
         "default": 3, "q": 2},
        {"name": "logged", "type": "uniform_int", "log": True, "lower": 1, "upper": 9,
         "default": 3, "q": 2},
        {"name": "k", "type": "categorical", "choices": ["a", "b"], "default": "a",
         "probabilities": [0.5, 0.5]},
        {"name": "u", "type": "unparametrized", "value": "on"},
        {"name": "n", "type": "normal_int", "log": False, "mu": 3, "sigma": 2, "lower": 1,
         "upper": 5, "default": 3},
    ],
    "conditions": [
        {"child": "lr", "parent": "k", "type": "EQ", "value": "a"},
        {"child": "lr", "parent": "units", "type": "GT", "value": 3},
    ],
    "forbiddens": [],
    "python_module_version": "0.4.18",
    "json_format_version": 0.2,
}  # fmt: skip


def test_the_old_format_is_read_with_its_quantisation() -> None:
    """Steps where they are even; two conditions of one child must both hold."""
    space = load_space(OLD)
    assert {name: alternative.domain for name, (alternative,) in space.items()} == {
        "lr": Float(0.001, 1, log=True),
        "drop": Float(0.1, 0.7, step=0.2),
        "units": Int(1, 9, step=2),
        "logged": Int(1, 9, log=True),
        "k": Categorical(["a", "b"]),
        "u": Categorical(["on"]),
        "n": Int(1, 5),
    }
    assert space["lr"][0].when == Condition.parse("k == 'a' and units > 3")
    assert space.notes == (
        "logged: its quantisation q=2 is left out, since it does not divide the range into even "
        "steps.",
        "Not sampled uniformly by ConfigSpace: n (normal).",
    )


def changed(key: str, **entries: Any) -> dict[str, Any]:
    """Return the old space with its first hyperparameter or condition changed."""
    first, *rest = OLD[key]
    return {**OLD, key: [{**first, **entries}, *rest]}


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (changed("hyperparameters", type="normal_float", upper=None), r"'lr': normal_float withou"),
        (changed("hyperparameters", type="float"), "'lr' of the ConfigSpace has the unknown type"),
        (changed("hyperparameters", lower=2), "'lr': low must not be above high"),
        (changed("hyperparameters", name="k"), r"must have distinct names \(got 'k' twice\)"),
        (changed("hyperparameters", name=3), r"must have distinct names.*got 3"),
        (changed("hyperparameters", type=["float"]), "not laid out as configspace writes it"),
        (changed("hyperparameters", weights=True), "not laid out as configspace writes it"),
        ({**OLD, "conditions": [3]}, "'conditions' of a ConfigSpace must be a list"),
    ],
)
def test_hyperparameters_that_make_no_sense_are_refused(source: Any, message: str) -> None:
    """An unbounded normal has no domain, and none is made up."""
    with pytest.raises(SpaceError, match=message):
        load_space(source)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"type": "XOR"}, "must be one of EQ, NEQ.*got 'XOR'"),
        ({"parent": "kk"}, "the parent 'kk'.*Did you mean 'k'"),
        ({"child": "lrr"}, "the child 'lrr'.*Did you mean 'lr'"),
        ({"value": "c"}, "compares 'k' with 'c', which it never equals"),
        ({"type": "LT"}, "LT condition of 'lr' needs an ordinal"),
        ({"type": "IN", "values": []}, "needs a list 'values'"),
        ({"type": "AND"}, "needs a list 'conditions'"),
        ({"parent": "lr"}, "depends on 'lr' itself"),
    ],
)
def test_conditions_that_make_no_sense_are_refused(entries: Any, message: str) -> None:
    """Each with the names it is about."""
    with pytest.raises(ConditionError, match=message):
        load_space(changed("conditions", **entries))


def test_circles_and_bottomless_conditions_are_refused() -> None:
    """Instead of running out of stack."""
    nested: dict[str, Any] = {"child": "lr", "parent": "k", "type": "EQ", "value": "a"}
    for _ in range(200):
        nested = {"child": "lr", "type": "AND", "conditions": [nested, nested]}
    with pytest.raises(ConditionError, match="more than 50 levels deep"):
        load_space({**OLD, "conditions": [nested]})
    both = [
        {"name": name, "type": "categorical", "choices": [None, 1]} for name in ("one", "other")
    ]
    circle = [
        {"child": "one", "parent": "other", "type": "EQ", "value": None},
        {"child": "other", "parent": "one", "type": "EQ", "value": None},
    ]
    with pytest.raises(ConditionError, match="nested without cycles"):
        load_space({"hyperparameters": both, "conditions": circle})


def test_an_ordinary_space_is_not_mistaken_for_one_of_configspace() -> None:
    """Even with a parameter that is called hyperparameters and has alternatives."""
    entry = {"type": "float", "low": 0, "high": 1}
    space = load_space(
        {
            "c": entry,
            "hyperparameters": [
                {**entry, "when": "c < 0.5"},
                {**entry, "high": 2, "when": "c >= 0.5"},
            ],
        }
    )
    assert list(space) == ["c", "hyperparameters"]


def test_an_object_that_cannot_be_written_down_says_what_to_do() -> None:
    """Older than ConfigSpace 1.0, or with a type of the user's own."""

    class ConfigurationSpace:
        pass

    with pytest.raises(SpaceError, match=r"read_and_write\.json and give its path"):
        load_space(ConfigurationSpace())

    class Own(CS.Constant):
        pass

    space = CS.ConfigurationSpace()
    space.add(Own("own", 1))
    with pytest.raises(SpaceError, match="cannot be serialised: No found encoder"):
        load_space(space)


def chained(parents: int, depth: int) -> dict[str, Any]:
    """Return levels of parameters, each active if all of the level above are None or "a".

    Whether a conditional parameter is None depends on its own conditions.
    """
    levels = [[f"p{level}_{place}" for place in range(parents)] for level in range(depth)]
    return {
        "hyperparameters": [
            {"type": "categorical", "name": name, "choices": [None, "a"]}
            for level in reversed(levels)
            for name in level
        ],
        "conditions": [
            {"type": "IN", "child": child, "parent": parent, "values": [None, "a"]}
            for above, level in pairwise(levels)
            for child in level
            for parent in above * 2  # each of them twice
        ],
    }


def test_conditions_that_repeat_others_take_no_longer() -> None:
    """A parent that may be None or inactive brings its own conditions along, once."""
    begun = time.process_time()
    space = space_of(chained(parents=1, depth=40))
    assert time.process_time() - begun < 1
    (last,) = space["p39_0"]
    assert last.when is not None
    assert set(last.when.names) == {f"p{level}_0" for level in range(39)}


def test_conditions_that_grow_without_end_are_an_error() -> None:
    """With two parents each level is twice as long as the one above."""
    begun = time.process_time()
    with pytest.raises(ConditionError, match=r"more than 1,000 comparisons.*another value than"):
        space_of(chained(parents=2, depth=40))
    assert time.process_time() - begun < 1
