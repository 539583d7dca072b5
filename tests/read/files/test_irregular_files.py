"""Folders that hold pipes and devices: reading one never ends, or fills the memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import condped

# Reads a folder with little memory and time, and prints what came of it.
READ = """
import resource, signal, sys
import condped

condped.read({"x": [1], "loss": [1]}, objective="loss")
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 29), used + (1 << 29)))
signal.alarm(10)
try:
    table = condped.read(sys.argv[1], objective="loss", direction="minimize")
    print(len(table), *table.notes)
except condped.errors.DataError as error:
    print(error)
"""


def zeros(path: Path) -> None:
    """Make a link to a device that never ends."""
    path.unlink(missing_ok=True)
    path.symlink_to("/dev/zero")


def pipe(path: Path) -> None:
    """Make a pipe that nobody writes to."""
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def outcome(folder: Path) -> str:
    command = [sys.executable, "-c", READ, str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("make", [zeros, pipe])
def test_what_is_no_file_is_left_out_of_a_folder(
    make: Callable[[Path], None], tmp_path: Path
) -> None:
    """It is counted in the notes."""
    (tmp_path / "a.csv").write_text("x,loss\n1,2\n")
    make(tmp_path / "b.csv")
    make(tmp_path / "other.space.json")
    told = outcome(tmp_path)
    assert told.split()[0] == "1"
    assert "Pipes, devices and the like, not read: 1." in told


def test_a_link_to_itself_is_named_among_several_studies(tmp_path: Path) -> None:
    """Its study is named as well."""
    (tmp_path / "a.csv").write_text("x,loss\n1,2\n")
    (tmp_path / "b.csv").symlink_to("b.csv")
    studies = [tmp_path / "a.csv", tmp_path / "b.csv"]
    with pytest.raises(condped.errors.DataError, match=r"'b'.* Too many levels of symbolic links"):
        condped.across(studies, objective="loss", direction="minimize")


@pytest.mark.parametrize("name", ["params/x", "metrics/loss", "meta.yaml"])
@pytest.mark.parametrize("make", [zeros, pipe])
def test_runs_of_mlflow_hold_files(make: Callable[[Path], None], name: str, tmp_path: Path) -> None:
    """Others are named, as all that cannot be read."""
    run = tmp_path / "mlruns" / "1" / "run"
    for folder in ("params", "metrics"):
        (run / folder).mkdir(parents=True)
    (tmp_path / "mlruns" / "1" / "meta.yaml").write_text("experiment_id: '1'\nname: one\n")
    (run / "meta.yaml").write_text("experiment_id: '1'\nstatus: 3\nlifecycle_stage: active\n")
    (run / "params" / "x").write_text("1")
    (run / "metrics" / "loss").write_text("1 0.5 0\n")
    make(run / name)
    assert f"{name}' cannot be read: it is not a regular file." in outcome(tmp_path / "mlruns")


@pytest.mark.parametrize("name", ["result.json", "params.json"])
@pytest.mark.parametrize("make", [zeros, pipe])
def test_trials_of_ray_hold_files(make: Callable[[Path], None], name: str, tmp_path: Path) -> None:
    """A configuration that is none is left alone."""
    fixed = {"trial_id": "t", "config": {"x": 1}, "relative_logdir": "t"}
    run = {"status": "TERMINATED", "last_result": {"loss": 1.0, "config": {"x": 1}}}
    state = {"trial_data": [[json.dumps(fixed), json.dumps(run)]], "runner_data": {}}
    (tmp_path / "experiment_state-1.json").write_text(json.dumps(state))
    (tmp_path / "t").mkdir()
    make(tmp_path / "t" / name)
    told = outcome(tmp_path)
    if name == "result.json":
        assert "result.json' cannot be read: it is not a regular file." in told
    else:
        assert told.split()[0] == "1"


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.json", "a.csv.gz"])
def test_a_device_that_bears_the_name_of_a_file_is_not_read(name: str, tmp_path: Path) -> None:
    """It would fill the memory before anything could be said about it."""
    zeros(tmp_path / name)
    assert f"{name}' cannot be read: it is a device, not a file." in outcome(tmp_path / name)


def test_spaces_and_results_are_no_devices(tmp_path: Path) -> None:
    """Neither is read until the memory is full (this device ends, in case that it is read)."""
    (tmp_path / "a.json").symlink_to("/dev/null")
    with pytest.raises(condped.errors.SourceError, match="it is a device, not a file"):
        condped.load(tmp_path / "a.json")
    with pytest.raises(condped.errors.SpaceError, match="it is a device, not a file"):
        condped.read([{"x": 1, "loss": 1}], objective="loss", space=tmp_path / "a.json")


def test_pipes_are_read_by_name(tmp_path: Path) -> None:
    """As a shell gives them: ``condped importance results.csv --space <(generate)``."""
    pipe(tmp_path / "space.json")
    text = '{"x": {"type": "float", "low": 0, "high": 5}}'
    with subprocess.Popen(["sh", "-c", f"echo '{text}' > {tmp_path}/space.json"]):
        table = condped.read(
            {"x": [1], "loss": [1]}, objective="loss", space=tmp_path / "space.json"
        )
    assert str(table.parameters[0].domains[0]) == "Float(low=0.0, high=5.0, log=False, step=None)"


def test_a_file_larger_than_the_memory_is_an_error_that_says_so(tmp_path: Path) -> None:
    """It is not called damaged."""
    with (tmp_path / "a.csv").open("wb") as file:
        file.write(b"x,loss\n")
        file.truncate(1 << 30)  # one line of zeros, which take no room on the disk
    told = outcome(tmp_path / "a.csv")
    assert "a.csv' does not fit into memory." in told
    assert "report" not in told


@pytest.mark.parametrize("length", [240, 255])
def test_a_name_as_long_as_names_can_be_has_no_space_beside_it(length: int, tmp_path: Path) -> None:
    """The name of a space file would be longer than the file system allows."""
    path = tmp_path / f"{'a' * (length - 4)}.csv"
    path.write_text("x,loss\n1,2\n")
    assert outcome(path).split()[0] == "1"
