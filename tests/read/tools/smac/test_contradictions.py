"""Values that a tool recorded against its own conditions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ConfigSpace as CS  # noqa: N817
from smac import RandomFacade

from condped import Categorical, Float, Space, when
from condped.read.table.raw import RawTable
from condped.read.tools.recorded_space import as_recorded
from condped.testing.reader_kit import check_reader
from tests.read.tools.smac.runs import optimised, runs_of, scenario

SPACE = Space(
    {
        "k": Categorical(["a", "b"]),
        "x": when("k == 'a'", Float(0, 1)),
        "y": when("k == 'b'", Float(0, 1)),
        "n": when("k == 'b'", Categorical([None, 1])),
    },
    notes=["From a tool."],
)


def table(*rows: dict[str, Any]) -> RawTable:
    """Return records as columns."""
    return RawTable.of_records(rows, names=tuple(SPACE))


def test_conditions_that_hold_stay() -> None:
    """The space is the very same."""
    assert as_recorded(SPACE, table({"k": "a", "x": 0.5}, {"k": "b", "y": 0.5})) is SPACE


def test_a_contradicted_condition_goes_and_is_noted() -> None:
    """Only that of the parameter concerned."""
    space = as_recorded(SPACE, table({"k": "b", "x": 0.5}, {"k": "b", "x": 0.1, "y": 0.5}))
    assert space["x"][0].when is None
    assert space["y"] == SPACE["y"]
    assert space.notes == (
        "From a tool.",
        "x: has a value in 2 trials where its condition (k == 'a') does not hold; taken as active "
        "wherever it has one.",
    )


def test_a_parameter_that_may_be_none_keeps_its_condition() -> None:
    """Without it, its absence could not be told from None."""
    assert as_recorded(SPACE, table({"k": "a", "n": 1}, {"k": "b"})) is SPACE


def test_a_value_against_configspaces_own_condition_is_believed(tmp_path: Path) -> None:
    """ConfigSpace samples a child before a deeper parent is switched off; SMAC records it."""
    space = CS.ConfigurationSpace(seed=0)
    top = CS.CategoricalHyperparameter("top", ["a", "b"])
    middle = CS.CategoricalHyperparameter("middle", ["a", "b"])
    deep = CS.UniformFloatHyperparameter("deep", 0, 1)
    child = CS.UniformFloatHyperparameter("child", 0, 1)
    space.add(top, middle, deep, child)
    space.add(
        CS.EqualsCondition(middle, top, "a"),
        CS.EqualsCondition(deep, middle, "a"),
        CS.AndConjunction(
            CS.LessThanCondition(child, deep, 0.9), CS.InCondition(child, top, ["a", "b"])
        ),
    )
    described = scenario(tmp_path, "against", n_trials=40, space=space, deterministic=True)
    history = optimised(RandomFacade, described, lambda config, seed=0: config.get("deep", 0.5))
    against = sum("child" in config and "deep" not in config for config in history.get_configs())
    assert against > 0
    table = check_reader("smac", str(tmp_path / "against"), runs_of(history))
    assert any(f"child: has a value in {against} trials" in note for note in table.notes)
