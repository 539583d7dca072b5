"""Ray Tune's spaces, against what Ray draws from them."""

from __future__ import annotations

from typing import Any

import pytest
import ray
from ray import tune
from ray.tune.search.variant_generator import generate_variants

from condped import Categorical, Float, Int, Space, read
from condped.errors import SpaceError
from condped.read.frames.mappings import flat
from condped.read.load_space import load_space
from condped.space.space import Alternative

DRAWN: dict[str, tuple[Any, Any]] = {
    "uniform": (tune.uniform(-1, 2), Float(-1, 2)),
    "loguniform": (tune.loguniform(1e-4, 1e-1), Float(1e-4, 1e-1, log=True)),
    "quniform": (tune.quniform(0.1, 0.5, 0.1), Float(0.1, 0.5, step=0.1)),
    "qloguniform": (tune.qloguniform(0.5, 4, 0.5), Float(0.5, 4, log=True)),
    "randint": (tune.randint(2, 6), Int(2, 5)),
    "lograndint": (tune.lograndint(1, 5), Int(1, 4, log=True)),
    "qrandint": (tune.qrandint(1, 10, 3), Int(3, 9, step=3)),
    "qrandint by 1": (tune.qrandint(1, 4), Int(1, 3)),
    "qlograndint": (tune.qlograndint(2, 9, 2), Int(2, 8, log=True)),
    "choice": (tune.choice(["a", None, 2, "a"]), Categorical(["a", None, 2])),
    "lists": (tune.choice([[64, 64], (32,)]), Categorical([(64, 64), (32,)])),
    "grid": (tune.grid_search([0.1, 0.2]), Categorical([0.1, 0.2])),
}


def drawn(space: dict[str, Any], trials: int, seed: int = 0) -> list[dict[str, Any]]:
    """Let Ray draw configurations, named as Ray names them."""
    found = []
    for trial in range(trials):
        for _, variant in generate_variants(space, random_state=seed + trial):
            found.append(flat(variant, "/"))
    return found


@pytest.mark.parametrize("name", DRAWN)
def test_domains_hold_what_ray_draws_and_no_more(name: str) -> None:
    """All values fit, and whole numbers, steps and choices are all reached."""
    source, expected = DRAWN[name]
    space = load_space({"x": source, "other": tune.uniform(0, 1)})
    assert space["x"] == (Alternative(expected),)
    values = [config["x"] for config in drawn({"x": source}, 60)]
    trials = {
        "x": [tuple(v) if isinstance(v, list) else v for v in values],
        "y": [1.0] * len(values),
    }
    table = read(trials, objective="y", space={"x": expected})
    if isinstance(expected, Float) and expected.step is None:
        return
    if isinstance(expected, Categorical):
        assert set(table.parameters[0].values) == set(range(len(expected.choices)))
    else:
        assert (min(values), max(values)) == pytest.approx((expected.low, expected.high))


@pytest.mark.skipif(
    tuple(map(int, ray.__version__.split(".")[:2])) < (2, 60),
    reason="this Ray cannot draw from choices among dicts",
)
def test_choices_among_dicts_become_conditions() -> None:
    """Nested ones too; a name in several branches has a domain in each."""
    source = {
        "model": tune.choice(
            [
                {
                    "kind": "svm",
                    "C": tune.loguniform(0.1, 10),
                    "kernel": tune.grid_search(
                        [{"name": "rbf", "g": tune.uniform(0, 1)}, {"name": "linear"}]
                    ),
                },
                {"kind": "net", "C": tune.uniform(0, 1), "warm": tune.choice([None, True])},
            ]
        ),
        "rate": tune.uniform(0, 1),
        "epochs": 3,
    }
    space = load_space(source)
    assert space.to_dict() == {
        "model/kind": {"type": "categorical", "choices": ["svm", "net"]},
        "model/C": [
            {"type": "float", "low": 0.1, "high": 10, "log": True, "when": "`model/kind` == 'svm'"},
            {"type": "float", "low": 0, "high": 1, "when": "`model/kind` == 'net'"},
        ],
        "model/kernel/name": {
            "type": "categorical",
            "choices": ["rbf", "linear"],
            "when": "`model/kind` == 'svm'",
        },
        "model/kernel/g": {
            "type": "float",
            "low": 0,
            "high": 1,
            "when": "`model/kind` == 'svm' and `model/kernel/name` == 'rbf'",
        },
        "model/warm": {
            "type": "categorical",
            "choices": [None, True],
            "when": "`model/kind` == 'net'",
        },
        "rate": {"type": "float", "low": 0, "high": 1},
    }
    assert space.notes == ()
    again = Space(space.to_dict())
    assert again.to_dict() == space.to_dict()
    rows = [{"loss": 1.0, **c} for c in drawn(source, 40)]
    table = read(rows, objective="loss", space=source)
    assert table.ignored_columns == ("epochs",)
    assert not table.notes


def test_branches_that_nothing_tells_apart_are_noted() -> None:
    """One domain for all, and the choice itself is no parameter."""
    space = load_space(
        {"m": tune.choice([{"a": tune.uniform(0, 1)}, {"a": tune.uniform(2, 3)}, None])}
    )
    assert space.to_dict() == {"m/a": {"type": "float", "low": 0, "high": 3}}
    assert [note.split(":")[0] for note in space.notes] == ["m", "m/a"]


def test_what_is_fixed_in_a_branch_counts_as_a_value() -> None:
    """A constant beside a domain; None beside one is an inactive parameter."""
    space = load_space(
        {
            "m": tune.choice(
                [
                    {"k": 1, "momentum": 0, "decay": None, "mode": "fast"},
                    {"k": 2, "momentum": tune.uniform(0, 1), "decay": tune.uniform(0, 1)}
                    | {"mode": tune.choice(["slow", "fast"])},
                ]
            )
        }
    )
    assert space["m/momentum"] == (Alternative(Float(0, 1)),)
    assert space["m/decay"][0].domain == Float(0, 1)
    assert space["m/decay"][0].when is not None
    assert space["m/decay"][0].when.text == "`m/k` == 2"
    assert space["m/mode"] == (Alternative(Categorical(["slow", "fast"])),)
    assert any(note.startswith("m/momentum: is fixed in some branches (0)") for note in space.notes)


def test_what_has_no_bounds_is_inferred_from_the_values() -> None:
    """Functions and normal distributions; what a function returns may be nested."""
    source = {
        "n": tune.randint(1, 9),
        "noise": tune.randn(0, 1),
        "steps": tune.qrandn(0, 10, 1),
        "drawn": tune.sample_from(lambda config: {"depth": config["n"] * 2, "fixed": 1}),
    }
    space = load_space(source)
    assert list(space) == ["n"]
    assert space.to_infer == ("noise", "steps", "drawn")
    rows = [{"loss": 1.0, **config} for config in drawn(source, 30)]
    table = read(rows, objective="loss", space=source)
    assert table.names == ("n", "noise", "steps", "drawn/depth")
    values = [row["noise"] for row in rows]
    noise = table.parameters[1]
    assert noise.domains == (Float(min(values), max(values)),)
    notes = "\n".join(table.notes)
    assert "noise: is drawn from a normal distribution" in notes
    assert "drawn/depth: its domain was taken from the values seen" in notes
    assert "drawn/fixed: left out, since it has a single value:" in notes


def test_a_space_of_functions_alone_is_one() -> None:
    """All domains are inferred then."""
    rows = [{"loss": 1.0, "x": value} for value in (0.5, 1.5)]
    table = read(rows, objective="loss", space={"x": tune.sample_from(lambda _: 1)})
    assert table.parameters[0].domains == (Float(0.5, 1.5),)
    gone = read(
        rows, objective="loss", space={"x": tune.uniform(0, 2), "y": tune.sample_from(lambda _: 1)}
    )
    assert any(
        note.startswith("y: left out, since no trial has a usable value") for note in gone.notes
    )


def test_entries_of_lists_are_parameters() -> None:
    """As Ray resolves them."""
    space = load_space({"layers": [tune.randint(1, 4), 7, {"p": tune.uniform(0, 1)}]})
    assert list(space) == ["layers/0", "layers/2/p"]


def test_names_may_hold_any_signs() -> None:
    """Conditions are made of parts, not of text that has to be parsed."""
    space = load_space(
        {
            "m`;ü": tune.choice(
                [{"k'": "it's", "x": tune.uniform(0, 1)}, {"k'": "<b>", "x": tune.uniform(2, 3)}]
            )
        }
    )
    rows = [
        {"loss": 1.0, "m`;ü/k'": "it's", "m`;ü/x": 0.5},
        {"loss": 2.0, "m`;ü/k'": "<b>", "m`;ü/x": 2.5},
    ]
    table = read(rows, objective="loss", space=space)
    assert table.parameters[1].domain_ids.tolist() == [0, 1]


def test_constants_alone_are_no_space() -> None:
    """Nor is what is no dict."""
    with pytest.raises(SpaceError, match="no parameters"):
        load_space({"n": tune.randint(3, 4)})
    with pytest.raises(SpaceError, match="must be a dict"):
        load_space([tune.uniform(0, 1)])
    with pytest.raises(SpaceError, match="'x' has the choice NaN"):
        load_space({"x": tune.choice([float("nan"), 1])})
