"""Work grows in proportion to the number of parameters, conditional ones included."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import condped
from condped.analyse.advice.code.optuna_code import suggest_code
from condped.analyse.branches.structure import structure_of
from condped.trials.table import TrialTable
from tests.space.test_limits import calls


def study(parameters: int) -> TrialTable:
    """Return a study, a third of whose parameters are active where another one has a value."""
    rng = np.random.default_rng(0)
    gate = rng.integers(0, 2, 60)
    columns: dict[str, Any] = {"k": [["a", "b"][value] for value in gate]}
    space: dict[str, Any] = {"k": {"type": "categorical", "choices": ["a", "b"]}}
    for number in range(parameters):
        values = rng.random(60)
        name = f"parameter_{number:05}"
        space[name] = {"type": "float", "low": 0, "high": 1}
        if number % 3 == 0:
            values = np.where(gate == number % 2, values, np.nan)
            space[name] |= {"when": f"k == '{'ab'[number % 2]}'"}
        columns[name] = values
    columns["loss"] = rng.random(60)
    return condped.read(columns, objective="loss", space=space)


def show(size: int) -> list[int]:
    """Return the work of printing what is known, and of writing code for it."""
    table = study(size)
    space, result = structure_of(table).space, condped.branches(table)
    str(result)  # tests are made once
    return [calls(lambda: str(result)), calls(lambda: suggest_code(space))]


def keep(size: int, path: Path) -> list[int]:
    """Return the work of saving and loading, by 1,000 letters of the file."""
    result = condped.effects(study(size))
    saving = calls(lambda: result.save(path))
    letters = path.stat().st_size // 1000
    return [saving // letters, calls(lambda: condped.load(path)) // letters]


def test_texts_and_code_take_time_in_proportion_to_the_parameters() -> None:
    """Four times as many take about four times as long, or less where most are left out."""
    show(20)
    for few, many in zip(show(150), show(600), strict=True):
        assert many < 7 * few


def test_files_take_time_in_proportion_to_their_size(tmp_path: Path) -> None:
    """A few calls for each value in them, however many there are."""
    keep(20, tmp_path / "result.json")
    keep(20, tmp_path / "few.json")  # what is made once
    few, many = keep(20, tmp_path / "few.json"), keep(60, tmp_path / "many.json")
    assert many[0] < 1.5 * few[0] < 2000
    assert many[1] < 1.5 * few[1] < 6000
