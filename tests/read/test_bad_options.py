"""Spaces, options and sources that make no sense, refused while reading."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import condped
from condped import read
from condped.errors import (
    ConditionError,
    CondpedError,
    DataError,
    NameNotFoundError,
    SettingsError,
    SourceError,
    SpaceError,
)

LOSS = [4.0, 3.0, 2.0, 1.0]


@pytest.mark.parametrize(
    ("space", "error", "says"),
    [
        ({"x": {"type": "float", "low": 1, "high": 1}}, SpaceError, "'x'.*low must be below high"),
        ({"x": {"type": "float", "low": 2, "high": 1}}, SpaceError, "'x'.*low must not be above"),
        (
            {"x": {"type": "float", "low": 0, "high": 9, "log": True}},
            SpaceError,
            "'x'.*low above 0",
        ),
        (
            {"x": {"type": "float", "low": 0, "high": 9, "when": "y < 1"}},
            ConditionError,
            "'x' names 'y'",
        ),
        (
            {"x": {"type": "float", "low": 0, "high": 9, "when": "x <"}},
            ConditionError,
            "'x'.*at character 3",
        ),
        ({}, SpaceError, "no parameters"),
        (5, SourceError, "space must be"),
        ("no such file.json", SpaceError, "no such file.json' cannot be read"),
    ],
)
def test_a_bad_space_is_refused_while_reading(space: Any, error: Any, says: str) -> None:
    """The space is checked before the data."""
    with pytest.raises(error, match=says):
        read({"loss": LOSS, "x": LOSS}, objective="loss", space=space)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"objective": 0}, "objective must be a name or a list"),
        ({"objective": []}, "at least one"),
        ({"objective": ["loss", "loss"]}, "each once"),
        ({"objective": "loss", "direction": "down"}, "minimize or maximize.*'down'"),
        ({"objective": "loss", "direction": ["minimize"] * 2}, "one entry per objective: 1.*2"),
        ({"objective": "loss", "parameters": "x"}, "list of names"),
        ({"objective": "loss", "parameters": 5}, "list of names"),
        ({"objective": "loss", "parameters": [["x"]]}, "list of names"),
        ({"objective": "loss", "loss": LOSS}, "either loss or objective"),
        ({"loss": len}, "function"),
        ({"objective": "loss", "outside": np.zeros(3)}, "outside must be one of"),
        ({"objective": "loss", "order": [1, [2]]}, "order must be the name of a column"),
        ({"objective": "loss", "state": np.zeros(3)}, "state must be the name of a column"),
        ({"objective": "loss", "order": 10**5000}, "got an integer of 5001 digits"),
        ({"objective": "loss", "budget": np.zeros(3)}, "budget must be a number above 0"),
        ({"objective": "loss", "engine": {"a": 1}}, "engine must be one of"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any], says: str) -> None:
    """A SettingsError that shows what was given."""
    with pytest.raises(SettingsError, match=says):
        read({"loss": LOSS, "x": LOSS}, **options)


@pytest.mark.parametrize("loss", [[1.0, 2.0], ["a"] * 4, np.ones((4, 1)), 5])
def test_a_loss_that_does_not_fit_the_trials_is_refused(loss: Any) -> None:
    """One number per trial, no less and no more."""
    with pytest.raises(DataError, match="one number per trial"):
        read({"x": LOSS}, loss=loss)


@pytest.mark.parametrize(
    ("analysis", "options", "says"),
    [
        (condped.importance, {"target_quantile": 0.5, "region_quantile": 0.5}, "0.5 and 0.5"),
        (condped.importance, {"target_quantile": 0.9, "region_quantile": 0.2}, "0.9 and 0.2"),
        (condped.importance, {"target_quantile": 1.0}, "target_quantile"),
        (condped.importance, {"target_quantile": 0}, "target_quantile"),
        (condped.importance, {"target_quantile": -0.1}, "target_quantile"),
        (condped.importance, {"target_quantile": float("nan")}, "target_quantile"),
        (condped.importance, {"target_quantile": "0.1"}, "target_quantile"),
        (condped.importance, {"target_quantile": None}, "target_quantile"),
        (condped.importance, {"region_quantile": 1.5}, "region_quantile"),
        (condped.importance, {"region_quantile": 0}, "region_quantile"),
        (condped.sweep, {"target_quantiles": [0.2, 0.1]}, "ascending"),
        (condped.sweep, {"target_quantiles": [0.1, 0.1]}, "ascending"),
        (condped.sweep, {"target_quantiles": []}, "ascending|at least one"),
        (condped.sweep, {"target_quantiles": [0.1, 1.0]}, "target_quantile"),
        (condped.sweep, {"target_quantiles": [0.0, 0.5]}, "target_quantile"),
        (condped.sweep, {"target_quantiles": 0.1}, "target_quantiles"),
        (condped.sweep, {"target_quantiles": ["a"]}, "target_quantile"),
        (condped.sweep, {"target_quantiles": [0.1, float("nan")]}, "target_quantile|ascending"),
        (condped.sweep, {"region_quantile": 0.005}, "region_quantile"),
    ],
)
def test_quantiles_out_of_order_are_refused(
    analysis: Callable[..., Any], options: dict[str, Any], says: str
) -> None:
    """0 < target < region ≤ 1, and a sweep goes upwards."""
    with pytest.raises(SettingsError, match=says):
        analysis({"loss": LOSS, "x": LOSS}, objective="loss", **options)


@pytest.mark.parametrize(
    "source",
    [
        str(Path(__file__).parents[2] / "Makefile"),
        "oracle://me:secret@host/database",
        b"trials.csv",
        5,
        None,
        [5],
        pd.Series(LOSS),
        object(),
    ],
    ids=lambda source: type(source).__name__,
)
def test_a_source_that_no_reader_knows_is_refused(source: Any) -> None:
    """The message lists what can be read."""
    with pytest.raises(SourceError, match=r"No reader recognises.*csv.*parquet") as caught:
        read(source, objective="loss")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("source", ["trials.txt", Path("trials"), "~/no such directory"])
def test_a_path_that_leads_nowhere_is_named(source: Any) -> None:
    """Without a list of readers, which would not help."""
    with pytest.raises(SourceError, match=r"^There is no file or directory '.*\(current directory"):
        read(source, objective="loss")


def test_a_reader_that_does_not_take_the_source_says_so(tmp_path: Path) -> None:
    """It is the caller who chose it."""
    path = tmp_path / "trials.csv"
    path.write_text("loss,x\n1,2\n3,4\n", encoding="utf-8")
    for reader in ("mapping", "frame", "hyperopt", "optuna-study", "optuna-storage"):
        with pytest.raises(CondpedError, match=f"reader '{reader}' cannot read|cannot be set"):
            read(path, objective="loss", reader=reader)


def test_every_error_is_one_of_condpeds_own() -> None:
    """One root for those who want to catch them all, builtins for those who do not know it."""
    for error, builtin in (
        (SpaceError, ValueError),
        (ConditionError, ValueError),
        (DataError, ValueError),
        (SettingsError, ValueError),
        (NameNotFoundError, KeyError),
        (SourceError, TypeError),
    ):
        assert issubclass(error, CondpedError)
        assert issubclass(error, builtin)
