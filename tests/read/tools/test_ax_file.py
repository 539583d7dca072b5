"""Files that Ax saved, against what Ax itself told about its trials."""

from __future__ import annotations

import json
import os
import subprocess
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import condped
from condped import Categorical, Float, Int, read
from condped.errors import DataError, NameNotFoundError, SettingsError, SpaceError
from condped.read.table.state_words import checked_state
from condped.space.domain import Domain
from condped.testing import Run, check_reader
from condped.trials.table import State

SAVED = Path(__file__).parent / "ax_saved"
MAKER = Path(__file__).parent / "ax_experiments.py"
DOMAINS: dict[str, Domain] = {
    "model": Categorical(["svm", "net", "none"]),
    "größe; <b>": Float(1e-3, 1e3, log=True),
    "layers": Int(1, 5),
    "dropout": Float(0, 0.5, step=0.05),
    "batch": Categorical([16, 32, 64]),
    "root": Categorical(["a", "b"]),
    "x": Float(0, 1),
    "y": Int(1, 100, log=True),
    "z": Categorical([False, True]),
    "w": Float(0.1, 0.9),
}
STATES = {
    "COMPLETED": State.COMPLETE,
    "FAILED": State.FAILED,
    "ABANDONED": State.FAILED,
    "EARLY_STOPPED": State.PRUNED,
    "RUNNING": State.RUNNING,
}


def told(folder: Path, name: str, metrics: list[str]) -> list[Run]:
    """Return the trials as Ax told them; a constant is no parameter of a table."""
    entries = json.loads((folder / f"{name}.told.json").read_text(encoding="utf-8"))
    return [
        Run(
            values=[_saved(entry["metrics"][metric]) for metric in metrics],
            parameters={n: v for n, v in entry["parameters"].items() if n in DOMAINS},
            domains={n: DOMAINS[n] for n in entry["parameters"] if n in DOMAINS},
            state=STATES[entry["state"]],
        )
        for entry in entries
    ]


def _saved(value: float | None) -> float | None:
    """Return the number in the file: Ax saves ten decimals, and loads them a last bit off."""
    return None if value is None else round(value, 10)


def check_folder(folder: Path) -> None:
    """Check both files of a folder that the maker has filled."""
    runs = told(folder, "client", ["loss"])
    assert {run.state for run in runs} == {*STATES.values()}
    table = check_reader("ax", str(folder / "client.json"), runs)
    assert table.notes == ("Outcome constraints are not taken into account: latency <= 3.",)
    two = check_reader(
        "ax",
        str(folder / "axclient.json"),
        told(folder, "axclient", ["error", "speed"]),
        directions=("minimize", "maximize"),
    )
    assert two.ignored_columns == ("constant",)
    assert [o.name for o in two.objectives] == ["error", "speed"]


def test_saved_files_are_what_ax_told() -> None:
    """Values, states, domains, conditions and directions; files of Ax 1.3.1 kept for this."""
    check_folder(SAVED)


def test_fresh_files_are_what_ax_tells(tmp_path: Path) -> None:
    """The same with an Ax that is there, which brings PyTorch and is no part of these tests."""
    python = os.environ.get("CONDPED_AX_PYTHON")
    if not python:
        pytest.skip("CONDPED_AX_PYTHON names no Python that has ax-platform (1.6 GB with PyTorch)")
    subprocess.run([python, MAKER, tmp_path], check=True, capture_output=True)
    check_folder(tmp_path)


def test_importances_are_those_of_what_ax_told() -> None:
    """A table made from Ax's own words gives the same numbers."""
    runs = told(SAVED, "client", ["loss"])
    names = [name for name in DOMAINS if any(name in run.parameters for run in runs)]
    columns: dict[str, list[Any]] = {
        name: [run.parameters.get(name) for run in runs] for name in names
    }
    columns["loss"] = [run.values[0] for run in runs]
    columns["end"] = [checked_state(run.state).name.lower() for run in runs]
    space = {name: DOMAINS[name] for name in names}
    expected = condped.importance(columns, objective="loss", state="end", space=space)
    found = condped.importance(SAVED / "client.json")
    assert found.to_dict(normalize=False) == pytest.approx(
        expected.to_dict(normalize=False), rel=1e-12
    )


def changed(tmp_path: Path, name: str, change: Any) -> Path:
    """Return a copy of a saved file with something changed."""
    saved = json.loads((SAVED / f"{name}.json").read_text(encoding="utf-8"))
    change(saved["experiment"])
    path = tmp_path / "ax.json"
    path.write_text(json.dumps(saved), encoding="utf-8")
    return path


def test_an_experiment_alone_and_batches_are_read(tmp_path: Path) -> None:
    """Ax can save an experiment without a client; a batch has several arms in a trial."""

    def batch(experiment: Any) -> None:
        trial = experiment["trials"]["0"]
        run = trial.pop("generator_run")
        extra = {"__type": "Arm", "parameters": run["arms"][0]["parameters"], "name": "0_1"}
        structs = [{"generator_run": {**run, "arms": [*run["arms"], extra]}, "weight": 1.0}]
        experiment["trials"]["0"] = {**trial, "generator_run_structs": structs}

    path = changed(tmp_path, "client", batch)
    saved = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(saved["experiment"]), encoding="utf-8")
    table = read(path)
    assert len(table) == len(told(SAVED, "client", ["loss"])) + 1
    assert table.objectives[0].values[0] == 3.25


@pytest.mark.parametrize(
    ("objective", "expected"),
    [
        ("loss, -latency", [("loss", "maximize"), ("latency", "minimize")]),
        ("- latency", [("latency", "minimize")]),
        ("2*loss - latency", None),
    ],
)
def test_objectives_are_metrics_with_signs(tmp_path: Path, objective: str, expected: Any) -> None:
    """Where metrics are combined the caller must choose one."""

    def change(experiment: Any) -> None:
        experiment["optimization_config"]["objective"]["expression"] = objective

    path = changed(tmp_path, "client", change)
    if expected is None:
        with pytest.raises(SettingsError, match=r"objective is needed.*'loss', 'latency'"):
            read(path)
        table = read(path, objective="loss", direction="maximize")
        assert any("combination of metrics" in note for note in table.notes)
    else:
        assert [(o.name, o.direction) for o in read(path).objectives] == expected


def test_what_makes_no_sense_is_refused(tmp_path: Path) -> None:
    """Files that are cut off, of other versions, with unknown parameters."""
    whole = (SAVED / "client.json").read_bytes()
    path = tmp_path / "ax.json"
    path.write_bytes(whole[:5000])
    with pytest.raises(DataError, match="is not valid JSON"):
        read(path)
    path.write_text('{"_type": "Client", "__type": "Nothing"}')
    with pytest.raises(DataError, match=r"holds no Ax experiment|must hold a JSON object"):
        read(path)
    path.write_text("[1]")
    with pytest.raises(DataError, match=r"holds no Ax experiment|must hold a JSON object"):
        read(path, reader="ax")

    def unknown(experiment: Any) -> None:
        experiment["trials"]["0"]["status"]["name"] = "LOST"

    with pytest.raises(DataError, match=r"not laid out as Ax 1\.3.*unknown status 'LOST'"):
        read(changed(tmp_path, "client", unknown))

    def shapeless(experiment: Any) -> None:
        experiment["trials"]["0"]["generator_run_structs"] = [
            {"generator_run": {"arms": [{"name": "0_0", "parameters": ["x"]}]}}
        ]

    with pytest.raises(DataError, match=r"ax\.json' is not laid out as Ax 1\.3"):
        read(changed(tmp_path, "client", shapeless))

    def odd(experiment: Any) -> None:
        experiment["search_space"]["parameters"][1]["__type"] = "OddParameter"

    with pytest.raises(SpaceError, match="unknown kind 'OddParameter'"):
        read(changed(tmp_path, "client", odd))
    with pytest.raises(NameNotFoundError, match="Did you mean 'loss'"):
        read(SAVED / "client.json", objective="los")
    with pytest.raises(SettingsError, match="study cannot be set"):
        read(SAVED / "client.json", study="exp")


def test_times_are_those_of_the_file() -> None:
    """When each trial was started and completed; not all of them were."""
    path = SAVED / "client.json"
    trials = json.loads(path.read_text(encoding="utf-8"))["experiment"]["trials"].values()
    times = read(path).times
    assert times is not None
    for row, trial in enumerate(trials):
        for time, found in (
            (trial["time_run_started"], times.started[row]),
            (trial["time_completed"], times.ended[row]),
        ):
            if time is not None:
                assert (
                    found
                    == (
                        datetime.fromisoformat(time["value"]) - datetime(1970, 1, 1)
                    ).total_seconds()
                )
    assert np.isfinite(times.ended).any()
