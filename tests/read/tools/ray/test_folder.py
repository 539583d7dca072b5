"""Ray Tune's directories, read without Ray, against the results that Ray restores from them."""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import condped
from condped import Categorical
from condped.errors import DataError, SettingsError
from condped.read.opening import read_with_reports
from condped.testing.reader_kit import check_reader
from condped.trials.table import State
from tests.read.tables import plain
from tests.read.tools.ray.experiments import PARAM_SPACE, Experiment, restored, told

OPTIONS: dict[str, Any] = {"direction": "minimize", "space": PARAM_SPACE}


@pytest.fixture
def copied(ray_experiments: dict[str, Experiment], tmp_path: Path) -> Path:
    """Return a copy of an experiment's directory, to be damaged."""
    return Path(shutil.copytree(ray_experiments["nested"].path, tmp_path / "nested"))


def finished(folder: Path) -> Path:
    """Return the directory of a trial that reported and did not fail."""
    return next(
        path.parent
        for path in sorted(folder.glob("*/result.json"))
        if path.stat().st_size and not (path.parent / "error.txt").exists()
    )


def change_state(folder: Path, change: Callable[[dict[str, Any], dict[str, Any]], Any]) -> None:
    """Change what the experiment's state says of each trial."""
    (file,) = folder.glob("experiment_state-*.json")
    state = json.loads(file.read_text(encoding="utf-8"))
    for pair in state["trial_data"]:
        fixed, run = map(json.loads, pair)
        change(fixed, run)
        pair[:] = json.dumps(fixed), json.dumps(run)
    file.write_text(json.dumps(state), encoding="utf-8")


def test_a_directory_is_what_ray_restores_from_it(ray_experiments: dict[str, Experiment]) -> None:
    """The same trials in the same order, and the same table to the last note."""
    experiment = ray_experiments["nested"]
    grid = restored(experiment)
    table = check_reader("ray-folder", str(experiment.path), told(grid, "loss"), **OPTIONS)
    assert plain(table) == plain(condped.read(grid, space=PARAM_SPACE))


@pytest.mark.parametrize(
    ("name", "metric", "direction"),
    [("switching", "score", "maximize"), ("stopped", "loss", "minimize")],
)
def test_directories_without_a_space_are_inferred_alike(
    ray_experiments: dict[str, Experiment], name: str, metric: str, direction: str
) -> None:
    """Configurations of a search algorithm, and trials that a scheduler stopped."""
    experiment = ray_experiments[name]
    options: dict[str, Any] = {"objective": metric, "direction": direction}
    grid = restored(experiment)
    table = condped.read(str(experiment.path), **options)
    assert plain(table) == plain(condped.read(grid, **options))
    ours, theirs = (condped.importance(entry, **options) for entry in (experiment.path, grid))
    assert ours.to_dict(normalize=False) == theirs.to_dict(normalize=False)


def test_the_metric_is_known_and_the_direction_must_be_said(
    ray_experiments: dict[str, Experiment],
) -> None:
    """Ray keeps the mode in a pickle, which stays closed."""
    path = ray_experiments["nested"].path
    assert condped.read(path, direction="minimize").objectives[0].name == "loss"
    with pytest.raises(SettingsError, match="direction is needed for 'loss'"):
        condped.read(path)
    with pytest.raises(SettingsError, match="objective is needed"):
        condped.read(ray_experiments["stopped"].path)


def test_no_pickle_is_opened(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any of them, the table is the same."""
    expected = plain(condped.read(copied, **OPTIONS))
    for file in copied.rglob("*.pkl"):
        file.unlink()

    def forbidden(*_: Any, **__: Any) -> None:
        raise AssertionError("a pickle was opened")

    monkeypatch.setattr(pickle, "loads", forbidden)
    monkeypatch.setattr(pickle, "load", forbidden)
    assert plain(condped.read(copied, **OPTIONS)) == expected


def test_a_last_line_that_is_cut_off_is_left_out_and_noted(copied: Path) -> None:
    """The line before it counts, as the trial was still writing."""
    expected = condped.read(copied, **OPTIONS)
    with (finished(copied) / "result.json").open("a", encoding="utf-8") as file:
        file.write('{"loss": 0.1, "val')
    table = condped.read(copied, **OPTIONS)
    np.testing.assert_array_equal(table.objectives[0].values, expected.objectives[0].values)
    assert any("cut off" in note and "result.json" in note for note in table.notes)


def test_a_corrupt_line_is_refused_by_number_or_passed_over(copied: Path) -> None:
    """With file and line; skip_corrupt counts what it leaves out."""
    expected = condped.read(copied, **OPTIONS)
    file = finished(copied) / "result.json"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([lines[0], b"\x00 no JSON\n", b"[1]\n", *lines[1:]]))
    with pytest.raises(DataError, match=r"Line 2 of '.*result\.json'.*skip_corrupt"):
        condped.read(copied, **OPTIONS)
    table = condped.read(copied, skip_corrupt=True, **OPTIONS)
    np.testing.assert_array_equal(table.objectives[0].values, expected.objectives[0].values)
    assert any(note.startswith("2 corrupt lines were skipped: line 2") for note in table.notes)


def test_a_lost_result_file_is_replaced_by_the_state(copied: Path) -> None:
    """With Ray's loggers switched off there is nothing but the experiment's state."""
    expected = condped.read(copied, **OPTIONS)
    for file in (*copied.glob("*/result.json"), *copied.glob("*/params.json")):
        file.unlink()
    table = condped.read(copied, **OPTIONS)
    assert plain(table)["parameters"] == plain(expected)["parameters"]
    np.testing.assert_array_equal(table.objectives[0].values, expected.objectives[0].values)
    # A NaN of numpy's shorter floats is the one value that Ray pickles there.
    assert "Values that Ray pickled were not read: loss." in table.notes


def test_pickled_values_are_left_out_and_noted(copied: Path) -> None:
    """Of a trial that never began, only the state knows the configuration."""
    trial = finished(copied)
    shutil.rmtree(trial)

    def pickle_rate(fixed: dict[str, Any], run: dict[str, Any]) -> None:
        if fixed["relative_logdir"] == trial.name:
            fixed["status"], run["last_result"] = "PENDING", {}
            fixed["config"]["rate"] = {"_type": "CLOUDPICKLE_FALLBACK", "value": "80054e2e"}

    change_state(copied, pickle_rate)
    table = condped.read(copied, **OPTIONS)
    rate = table.parameters[table.names.index("rate")]
    assert (rate.domain_ids < 0).sum() == 1
    assert table.states[rate.domain_ids < 0] == State.RUNNING
    assert "Values that Ray pickled were not read: rate." in table.notes


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("PENDING", State.RUNNING),
        ("RUNNING", State.RUNNING),
        ("PAUSED", State.RUNNING),
        ("TERMINATED", State.COMPLETE),
        ("ERROR", State.FAILED),
        ("ANOTHER", State.RUNNING),
    ],
)
def test_every_status_has_its_state(copied: Path, status: str, state: State) -> None:
    """What has not ended is not counted."""
    change_state(copied, lambda fixed, _: fixed.update(status=status))
    assert set(condped.read(copied, **OPTIONS).states.tolist()) == {state}


def test_the_newest_state_counts_and_unknown_directories_are_noted(copied: Path) -> None:
    """A resumed experiment has two states; one that was killed has trials that are in neither."""
    (file,) = copied.glob("experiment_state-*.json")
    older = json.loads(file.read_text(encoding="utf-8"))
    older["trial_data"] = []
    (copied / "experiment_state-2000-01-01_00-00-00.json").write_text(json.dumps(older))
    shutil.copytree(finished(copied), copied / "unknown")
    table = condped.read(copied, **OPTIONS)
    assert len(table) == 16
    assert any(note.startswith("1 directories of trials are not named") for note in table.notes)


def test_directories_that_are_none_are_refused(copied: Path, tmp_path: Path) -> None:
    """With the file, and what to do."""
    with pytest.raises(DataError, match="There is no experiment_state"):
        condped.read(tmp_path, reader="ray-folder")
    (file,) = copied.glob("experiment_state-*.json")
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"experiment_state-.*is not valid JSON"):
        condped.read(copied, **OPTIONS)
    trial = json.dumps({"status": "ERROR", "config": [], "trial_id": "a"})
    none = json.dumps({"trial_data": [["{}", "{}"]], "runner_data": {}})
    listed = json.dumps({"trial_data": [[trial, "{}"]], "runner_data": {}})
    placed = json.dumps({"relative_logdir": 3.5, "status": "ERROR", "config": {}, "trial_id": "a"})
    nowhere = json.dumps({"trial_data": [[placed, "{}"]], "runner_data": {}})
    for odd in ("{}", none, listed, nowhere):
        file.write_text(odd, encoding="utf-8")
        with pytest.raises(DataError, match="not the state of an experiment"):
            condped.read(copied, **OPTIONS)
    file.write_bytes(whole)
    shutil.rmtree(finished(copied))
    assert len(condped.read(copied, **OPTIONS)) == 16


def test_choices_that_json_cannot_hold_are_known_by_their_text(copied: Path) -> None:
    """Ray writes the text of a class; with the space it is the class again."""
    classes = {"svm": int, "net": str}
    for file in (*copied.glob("*/result.json"), *copied.glob("*/params.json")):
        text = file.read_text(encoding="utf-8")
        for kind, chosen in classes.items():
            text = text.replace(f'"kind": "{kind}"', f'"kind": "{chosen}"')
        file.write_text(text, encoding="utf-8")
    closed = {"_type": "CLOUDPICKLE_FALLBACK", "value": "80054e2e"}
    change_state(copied, lambda fixed, _: fixed["config"]["model"].update(kind=closed))
    expected = condped.read(copied, direction="minimize", parameters=["model/kind"])
    assert expected.parameters[0].domains == (Categorical(sorted(map(str, classes.values()))),)
    space = {"model/kind": Categorical([int, str])}
    table = condped.read(copied, direction="minimize", space=space)
    assert table.parameters[0].domains == (Categorical([int, str]),)
    np.testing.assert_array_equal(table.parameters[0].values, expected.parameters[0].values)


def test_reports_are_kept_for_a_comparison_of_budgets(
    ray_experiments: dict[str, Experiment],
) -> None:
    """From the directory and from the results in memory, as Ray's own frames have them."""
    experiment = ray_experiments["stopped"]
    options = {"objective": "loss", "direction": "minimize"}
    folder, memory = (
        read_with_reports(source, options) for source in (experiment.path, experiment.results)
    )
    assert folder.reports is not None
    assert memory.reports is not None
    last = folder.objectives[0].values
    frames = [result.metrics_dataframe for result in experiment.results]
    expected = {
        (frame["loss"].iloc[-1], step): value
        for frame in frames
        for step, value in zip(frame["training_iteration"], frame["loss"], strict=True)
    }
    found = {
        (last[row], step): value
        for row, step, value in zip(
            folder.reports.rows, folder.reports.budgets, folder.reports.values, strict=True
        )
    }
    assert found == pytest.approx(expected)
    for step in range(1, 9):
        one, other = folder.reports.at(step), memory.reports.at(step)
        assert np.array_equal(np.sort(one), np.sort(other), equal_nan=True)


def test_a_directory_of_experiments_holds_several_studies(
    ray_experiments: dict[str, Experiment], tmp_path: Path
) -> None:
    """Each under the name of its directory, with its own numbers."""
    for name in ("first", "second"):
        shutil.copytree(ray_experiments["nested"].path, tmp_path / "tuned" / name)
    found = condped.across(tmp_path, **OPTIONS, sampling="random")
    assert [one.name for one in found.studies] == ["first", "second"]
    alone = condped.importance(tmp_path / "tuned" / "first", **OPTIONS, sampling="random")
    for name in ("first", "second"):
        own = {cell.parameter: cell.importance for cell in found.cells if cell.study == name}
        assert own == pytest.approx(alone.to_dict())
    assert found.studies[1].same_as == "first"
