"""Experiments that MLflow really recorded, with everything in them that a reader must cope with."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlflow.entities import Metric, Run, ViewType
from mlflow.tracking import MlflowClient

import condped
from condped import Categorical, Float, Int, Space, when
from condped.space.domain import Domain
from condped.testing import reader_kit
from condped.trials.table import State

# MLflow allows letters of any script, and of other signs only _ - . : / and spaces.
EXPERIMENT = "tuning <b>größe</b>"
DROPOUT = "net/dropout rate.1"
SHALLOW, DEEP = Float(0, 0.5), Float(0, 0.25)
DOMAINS: dict[str, Domain] = {
    "model": Categorical(["svm", "net", "none"]),
    "größe µ": Float(1e-3, 1e3, log=True),
    "net/layers": Int(1, 6),
    "warm": Categorical([True, False]),
}
SPACE = Space(
    {
        "model": DOMAINS["model"],
        "größe µ": when("model == 'svm'", DOMAINS["größe µ"]),
        "net/layers": when("model == 'net'", DOMAINS["net/layers"]),
        DROPOUT: [
            when("model == 'net' and `net/layers` < 4", SHALLOW),
            when("model == 'net' and `net/layers` >= 4", DEEP),
        ],
        "warm": DOMAINS["warm"],
    }
)
STATES = {
    "FINISHED": State.COMPLETE,
    "FAILED": State.FAILED,
    "KILLED": State.FAILED,
    "RUNNING": State.RUNNING,
    "SCHEDULED": State.RUNNING,
}
_SPELLED: Mapping[str, Callable[[str], Any]] = {
    "model": str,
    "größe µ": float,
    "net/layers": int,
    DROPOUT: float,
    "warm": lambda text: text == "True",
}


def record(client: MlflowClient, trials: int = 40) -> str:
    """Record a sweep with its trials in nested runs; return the experiment's id."""
    experiment: str = client.create_experiment(EXPERIMENT)
    sweep = client.create_run(experiment, start_time=1)
    client.log_param(sweep.info.run_id, "trials", trials)
    client.log_metric(sweep.info.run_id, "loss", -5.0)
    rng = np.random.default_rng(0)
    for trial in range(trials):
        tags = {"mlflow.parentRunId": sweep.info.run_id}
        run = client.create_run(experiment, start_time=1000 - trial, tags=tags)
        _trial(client, run.info.run_id, trial, rng)
    client.set_terminated(sweep.info.run_id)
    return experiment


def _trial(client: MlflowClient, run: str, trial: int, rng: np.random.Generator) -> None:
    parameters: dict[str, Any] = {"model": ["svm", "net", "net", "none"][trial % 4]}
    if parameters["model"] == "svm":
        parameters["größe µ"] = float(10 ** rng.uniform(-3, 3))
    elif parameters["model"] == "net":
        layers = int(rng.integers(1, 7))
        parameters["net/layers"] = layers
        parameters[DROPOUT] = float(rng.uniform(0, 0.5 if layers < 4 else 0.25))
    parameters["warm"] = bool(trial % 3)
    for name, value in parameters.items():
        client.log_param(run, name, value)
    loss = float(rng.normal())
    if trial % 10 == 9:
        client.set_terminated(run, "FAILED")
        return
    special = {12: math.inf, 13: -math.inf, 14: math.nan}.get(trial, loss)
    # The value at the last step counts, whenever it was written.
    metrics = [
        Metric("loss", special, 5, 2),
        Metric("loss", 77.0, 9, 1),
        Metric("speed/µs", loss + 1, 5, 0),
    ]
    client.log_batch(run, metrics=metrics)
    if trial == 20:
        client.set_terminated(run, "KILLED")
    elif trial == 21:
        client.delete_run(run)
    elif trial != 22:  # still running
        client.set_terminated(run)


def told(client: MlflowClient, experiment: str) -> list[Run]:
    """Return the trials as MLflow tells them, in the order of their start."""
    runs: list[Run] = client.search_runs([experiment], order_by=["attributes.start_time ASC"])
    return [run for run in runs if "trials" not in run.data.params]


def as_runs(told_runs: list[Run]) -> list[reader_kit.Run]:
    """Return MLflow's runs as the readers' kit wants them."""
    return [
        reader_kit.Run(
            values=[logged(run.data.metrics.get("loss"))],
            parameters={name: _SPELLED[name](text) for name, text in run.data.params.items()},
            domains=_domains(run.data.params),
            state=STATES[run.info.status],
        )
        for run in told_runs
    ]


def logged(value: float | None) -> float | None:
    """Return the value that was logged: MLflow's databases turn infinity into the largest float."""
    return math.copysign(math.inf, value) if value and abs(value) > 1e308 else value


def _domains(parameters: Mapping[str, str]) -> dict[str, Domain]:
    switched = SHALLOW if int(parameters.get("net/layers", 0)) < 4 else DEEP
    return {name: DOMAINS.get(name, switched) for name in parameters}


def as_columns(told_runs: list[Run]) -> dict[str, list[Any]]:
    """Return MLflow's runs as a mapping of columns, for a table without any reader of files."""
    columns: dict[str, list[Any]] = {
        "loss": [logged(run.data.metrics.get("loss")) for run in told_runs],
        "end": [run.info.status for run in told_runs],
    }
    for name, spelled in _SPELLED.items():
        texts = [run.data.params.get(name) for run in told_runs]
        columns[name] = [None if text is None else spelled(text) for text in texts]
    return columns


def everything(client: MlflowClient, experiment: str) -> int:
    """Return how many runs there are, deleted ones among them."""
    return len(client.search_runs([experiment], run_view_type=ViewType.ALL))


def assert_same_importances(path: Path, client: MlflowClient, experiment: str) -> None:
    """Compare the importances of a store with those of a table made from MLflow's answers."""
    options: Any = {"objective": "loss", "space": SPACE}
    columns = as_columns(told(client, experiment))
    expected = condped.importance(columns, state="end", **options).to_dict(normalize=False)
    found = condped.importance(path, **options).to_dict(normalize=False)
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-15)
