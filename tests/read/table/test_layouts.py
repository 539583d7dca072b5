"""Tables whose columns a tool has named: MLflow, Weights & Biases, Ray Tune, Optuna."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import mlflow
import numpy as np
import optuna
import pandas as pd
import polars as pl
import pytest
from mlflow.tracking import MlflowClient

import condped
from condped import Categorical, Float, Int, Space, read, when
from condped.errors import DataError, NameNotFoundError, SettingsError
from condped.testing import Run, check_reader
from condped.trials.table import State
from tests.read.optuna.studies import run
from tests.read.tables import plain
from tests.read.tools.mlflow.experiments import SPACE, as_runs, record, told

# SQLAlchemy's word to MLflow about its own models.
pytestmark = pytest.mark.filterwarnings("ignore:.*noload:DeprecationWarning")


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, MlflowClient, str]]:
    """Let MLflow record the same experiment in a database and in files."""
    folder = tmp_path_factory.mktemp("mlflow")
    made = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
        for uri in (f"sqlite:///{folder / 'mlflow.db'}", (folder / "mlruns").as_uri()):
            client = MlflowClient(uri)
            made[uri.partition(":")[0]] = (uri, client, record(client))
    return made


def frame_of(store: tuple[str, MlflowClient, str]) -> pd.DataFrame:
    """Ask MLflow for its frame, the newest run last."""
    uri, _, experiment = store
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
        before = mlflow.get_tracking_uri()
        mlflow.set_tracking_uri(uri)
        try:
            return mlflow.search_runs([experiment], order_by=["attributes.start_time ASC"])
        finally:
            mlflow.set_tracking_uri(before)


@pytest.mark.parametrize("kind", ["sqlite", "file"])
def test_mlflows_frame_is_the_table_of_its_store(
    stores: dict[str, tuple[str, MlflowClient, str]], kind: str
) -> None:
    """Three ways to the same runs; only what was deleted is told by a store alone."""
    uri, client, experiment = stores[kind]
    frame = frame_of(stores[kind])
    table = check_reader(
        "frame", frame, as_runs(told(client, experiment)), objective="loss", space=SPACE
    )
    assert table.notes == ("Runs left out since their nested runs are the trials: 1.",)
    stored = plain(read(uri, objective="loss", space=SPACE))
    assert {**plain(table), "notes": stored["notes"]} == stored
    # The objective may be named as the frame shows it.
    assert plain(read(frame, objective="metrics.loss", space=SPACE)) == plain(table)
    guessed, from_store = read(frame, objective="loss"), read(uri, objective="loss")
    assert {p.name: p.domains for p in guessed.parameters} == {
        p.name: p.domains for p in from_store.parameters
    }


def test_a_frame_without_the_tag_of_nested_runs_is_taken_as_it_is(
    stores: dict[str, tuple[str, MlflowClient, str]],
) -> None:
    """Who chooses the runs may drop the tag; every row is a trial then."""
    frame = frame_of(stores["sqlite"]).drop(columns="tags.mlflow.parentRunId")
    assert len(read(frame, objective="loss")) == 40
    times = [name for name in frame.columns if name.endswith("_time")]
    polars = pl.from_pandas(frame.drop(columns=times))
    assert plain(read(polars, objective="loss")) == plain(read(frame, objective="loss"))


def test_mlflows_frame_may_come_from_a_csv_file(
    stores: dict[str, tuple[str, MlflowClient, str]], tmp_path: Path
) -> None:
    """Choices are spelled by the space, though the columns bear MLflow's mark."""
    frame = frame_of(stores["file"])
    frame.loc[frame["params.model"] == "none", "params.model"] = "nil"  # a word for no value in CSV
    space = Space({**SPACE, "model": Categorical(["svm", "net", "nil"])})
    frame.to_csv(tmp_path / "runs.csv", index=False)
    table = read(tmp_path / "runs.csv", objective="loss", space=space)
    assert plain(table) == plain(read(frame, objective="loss", space=space))


# Weights & Biases: what its API gives of each run.
WANDB: list[dict[str, Any]] = [
    {
        "name": f"run-{place}",
        "state": ["finished", "finished", "crashed", "failed", "killed", "running"][place % 6],
        "config": {
            "opt": {"name": "adam", "lr": 0.01 * (place + 1)} if place % 2 else {"name": "sgd"},
            "größe; µ": place % 7,
            "flag": place % 3 == 0,
            "sizes": [place],
        },
        "summary": {"loss": place * 0.3 % 1, "_step": 9, "_runtime": 5.5, "_wandb": {"runtime": 5}},
    }
    for place in range(24)
]
WANDB_SPACE = Space(
    {
        "opt.name": Categorical(["adam", "sgd"]),
        "opt.lr": when("opt.name == 'adam'", Float(0, 1)),
        "größe; µ": Int(0, 6),
        "flag": Categorical([False, True]),
    }
)


def wandb_runs() -> list[Run]:
    """Return these runs as the readers' kit wants them."""
    ends = {"finished": State.COMPLETE, "running": State.RUNNING}
    return [
        Run(
            [entry["summary"]["loss"]],
            {
                **{f"opt.{name}": value for name, value in entry["config"]["opt"].items()},
                "größe; µ": entry["config"]["größe; µ"],
                "flag": entry["config"]["flag"],
            },
            state=ends.get(entry["state"], State.FAILED),
        )
        for entry in WANDB
    ]


def wrapped(entry: dict[str, Any]) -> dict[str, Any]:
    """Return a run with its config as W&B stores it: value and description apart."""
    config = {name: {"value": value, "desc": None} for name, value in entry["config"].items()}
    own = {"_wandb": {"value": {"t": {"1": [1]}}, "desc": None}, "wandb_version": 1}
    return {**entry, "config": {**own, **config}}


@pytest.mark.parametrize("space", [WANDB_SPACE, None], ids=["space", "inferred"])
def test_runs_of_wandb_come_as_records_frames_and_wrapped(space: Space | None) -> None:
    """Nested configs, values with descriptions, and what W&B adds by itself."""
    expected = check_reader("records", WANDB, wandb_runs(), objective="loss", space=space)
    assert set(expected.names) == set(WANDB_SPACE)
    stored = [wrapped(entry) for entry in WANDB]
    frame = pd.DataFrame(WANDB)  # as W&B's guide to exports has it: columns of dicts
    for source in (stored, frame, pl.DataFrame(WANDB).drop("name")):
        assert plain(read(source, objective="loss", space=space)) == plain(expected)
    check_reader("frame", frame, wandb_runs(), objective="loss", space=space)
    assert read(WANDB, objective="_runtime").objectives[0].values[0] == 5.5


def test_runs_of_wandb_come_from_a_csv_file(tmp_path: Path) -> None:
    """Columns config.* and summary.*, as pandas writes flattened runs."""
    path = tmp_path / "runs.csv"
    pd.json_normalize(WANDB).to_csv(path, index=False)
    table = check_reader("csv", str(path), wandb_runs(), objective="loss", space=WANDB_SPACE)
    found = condped.importance(table).to_dict(normalize=False)
    expected = condped.importance(WANDB, objective="loss", space=WANDB_SPACE)
    assert found == pytest.approx(expected.to_dict(normalize=False), rel=1e-12)


def test_config_entries_with_an_underscore_are_told_about_and_can_be_named() -> None:
    """They are W&B's own as a rule; the caller may know better."""
    records = [
        {"config": {"_mine": place, "x": place % 3}, "summary": {"loss": place}}
        for place in range(9)
    ]
    table = read(records, objective="loss")
    assert table.names == ("x",)
    assert table.notes == ("Config entries that start with an underscore left out: _mine.",)
    assert read(records, objective="loss", parameters=["_mine"]).names == ("_mine",)
    assert read(records, objective="loss", space={"_mine": Int(0, 9)}).names == ("_mine",)


def test_what_wandb_does_not_have_is_refused_with_what_there_is() -> None:
    """Objectives, states and options."""
    with pytest.raises(NameNotFoundError, match=r"no objective 'los'.*Did you mean 'loss'"):
        read(WANDB, objective="los")
    with pytest.raises(SettingsError, match="objective is needed"):
        read(WANDB)
    with pytest.raises(DataError, match="The state 'vanished' in row 0"):
        read([{**WANDB[0], "state": "vanished"}, WANDB[1]], objective="loss")


def test_values_that_are_no_numbers_in_json_are_none_here() -> None:
    """W&B writes NaN and Infinity as texts."""
    records = [
        {"config": {"x": place}, "summary": {"loss": value}}
        for place, value in enumerate(["NaN", "Infinity", "-Infinity", 1.5])
    ]
    losses = read(records, objective="loss").objectives[0].values
    np.testing.assert_array_equal(losses, [math.nan, math.inf, -math.inf, 1.5])


def test_optunas_frame_is_its_study() -> None:
    """trials_dataframe() has no domains and writes the choice None as a missing value."""
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    run(study, 60)
    frame = study.trials_dataframe()
    table = read(frame, objective="value")
    assert {*table.names} == {name for trial in study.trials for name in trial.params}
    expected = [
        Run(
            [trial.value],
            {name: value for name, value in trial.params.items() if value is not None},
            state={"COMPLETE": State.COMPLETE, "PRUNED": State.PRUNED}.get(
                trial.state.name, State.FAILED
            ),
        )
        for trial in study.trials
    ]
    # The values that Optuna prints for pruned trials are intermediate ones.
    check_reader("frame", frame, expected, objective="value")


def test_rays_columns_are_told_apart() -> None:
    """A table of results has config/ in front of what was tried."""
    columns = {
        "loss": [0.3, 0.1, 0.2],
        "training_iteration": [1, 1, 4],
        "config/opt/name": ["adam", "sgd", "adam"],
        "config/lr": [0.1, None, 0.3],
    }
    table = read(pd.DataFrame(columns), objective="loss")
    assert table.names == ("opt/name", "lr")
    space = {
        "opt/name": Categorical(["adam", "sgd"]),
        "lr": when("`opt/name` == 'adam'", Float(0, 1)),
    }
    expected = [
        Run([0.3], {"opt/name": "adam", "lr": 0.1}),
        Run([0.1], {"opt/name": "sgd"}),
        Run([0.2], {"opt/name": "adam", "lr": 0.3}),
    ]
    check_reader("frame", pd.DataFrame(columns), expected, objective="loss", space=space)
    check_reader("mapping", columns, expected, objective="loss", space=space)


def test_a_space_with_a_tools_full_names_has_its_way(tmp_path: Path) -> None:
    """Who names the columns as they stand gets them as they stand."""
    path = tmp_path / "runs.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["config.x", "summary.loss"])
        writer.writerows([[0.1, 3], [0.2, 1]])
    table = read(path, objective="summary.loss", space={"config.x": Float(0, 1)})
    assert table.names == ("config.x",)
