"""Output directories of SMAC that are damaged, and options that they do not have."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import condped
from condped.errors import CondpedError, DataError, SettingsError, SpaceError
from condped.read.registry import reader_for
from tests.read.tools.smac.runs import Kept, changed, with_first


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (with_first("status", 9), "unknown status 9 in a run of configuration 1"),
        (with_first("status", {"__enum__": "StatusType.SUCCESS"}), "unknown status .*as SMAC 2"),
        (with_first("cost", "low"), "cost that is not a number in a run of configuration 1"),
        (with_first("cost", [1.0, 2.0]), r"runs with 1, 2 costs, but scenario.json.*1 objectives"),
        (with_first("config_id", 999), "run of configuration 999, which it does not list"),
        (lambda h: {**h, "data": [{"cost": 1.0}]}, "a run without 'config_id'"),
        (lambda h: {**h, "data": [3]}, "a run without 'config_id'"),
        (lambda h: {**h, "configs": {"1": None}}, "no values for configuration 1"),
        (lambda h: {"data": h["data"]}, "lacks 'configs'"),
        (with_first("budget", [3]), r"has the budget .* in a run .* 1\. It must be a number"),
        (with_first("budget", "$HOME"), "has the budget .* in a run of configuration 1"),
        (with_first("starttime", {}), "has the starttime .* in a run of configuration 1"),
        (with_first("instance", {"a": 1}), "has the instance .*: .* a single value"),
        (with_first("cost", 10**400), "cost that is not a number in a run of configuration 1"),
        (lambda h: {**h, "config_origins": [1]}, "config_origins that are not a JSON object"),
        (lambda h: [h], "must hold a JSON object"),
        (lambda h: {**h, "data": []}, "There are no trials in an output directory of SMAC"),
    ],
)
def test_run_histories_that_make_no_sense_are_refused(
    noisy: Kept, tmp_path: Path, change: Callable[[Any], Any], message: str
) -> None:
    """With the file, the configuration and what is allowed."""
    with pytest.raises(DataError, match=message):
        condped.read(changed(noisy.path, tmp_path / "run", change))


@pytest.mark.parametrize(
    "entries",
    [
        {"hyperparameters": 3},
        {"hyperparameters": [{"name": {}, "type": "constant", "value": 1}]},
        {"hyperparameters": [{"name": "a", "type": [], "value": 1}]},
    ],
)
def test_a_space_of_another_shape_is_told(
    noisy: Kept, tmp_path: Path, entries: dict[str, Any]
) -> None:
    """With the file."""
    path = shutil.copytree(noisy.path, tmp_path / "run")
    (path / "configspace.json").write_text(json.dumps(entries), encoding="utf-8")
    with pytest.raises(CondpedError, match=r"configspace\.json") as caught:
        condped.read(path)
    assert "please report" not in str(caught.value)


def test_files_that_are_cut_off_or_gone_are_told(noisy: Kept, tmp_path: Path) -> None:
    """With the file and the place."""
    path = shutil.copytree(noisy.path, tmp_path / "run")
    file = path / "runhistory.json"
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"runhistory.json' is not valid JSON: .* at line \d+"):
        condped.read(path)
    file.write_bytes(b"\xff" + whole)
    with pytest.raises(DataError, match=r"runhistory.json' is not valid JSON: 'utf-8'"):
        condped.read(path)
    file.unlink()
    with pytest.raises(DataError, match=r"no runhistory.json in .*smac3_output/<name>/<seed>"):
        condped.read(path, reader="smac")
    file.write_bytes(whole)
    (path / "scenario.json").unlink()
    with pytest.raises(DataError, match=r"There is no scenario\.json in"):
        condped.read(path)


def test_a_space_that_makes_no_sense_names_its_file(noisy: Kept, tmp_path: Path) -> None:
    """A hyperparameter of an unknown type."""
    path = shutil.copytree(noisy.path, tmp_path / "run")
    file = path / "configspace.json"
    text = file.read_text(encoding="utf-8").replace("uniform_float", "levy_float")
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SpaceError, match=r"configspace.json': .*unknown type 'levy_float'"):
        condped.read(path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"budget": 4}, "no runs at budget 4. Available: 1, 3, 9"),
        ({"budget": "lowest"}, "budget must be a number above 0 or 'highest'"),
        ({"direction": "maximize"}, "direction cannot be set for an output directory of SMAC"),
        ({"study": "a"}, "study cannot be set"),
        ({"constraints": ["a"]}, "constraints cannot be set"),
        ({"state": "a"}, "state cannot be set"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    hyperband: Kept, options: dict[str, Any], message: str
) -> None:
    """SMAC records these itself, and its budgets are listed."""
    with pytest.raises(SettingsError, match=message):
        condped.read(hyperband.path, **options)


def test_a_budget_is_refused_where_there_are_none(noisy: Kept) -> None:
    """Rather than ignored."""
    with pytest.raises(CondpedError, match=r"no runs at budget 3\. Available: none"):
        condped.read(noisy.path, budget=3)
    assert reader_for(str(noisy.path)).name == "smac"
