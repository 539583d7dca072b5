"""MLflow stores with several experiments, against what MLflow itself returns for each."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlflow.tracking import MlflowClient

import condped
from condped.errors import DataError, NameNotFoundError, SettingsError
from condped.read.expansion import check_cells
from tests.analyse.across.archives import across_numbers, single_numbers

# SQLAlchemy's word to MLflow about its own models.
pytestmark = pytest.mark.filterwarnings("ignore:.*noload:DeprecationWarning")
OPTIONS: dict[str, Any] = {"objective": "loss", "direction": "minimize", "sampling": "random"}
NAMES = ("xgb-wine", "xgb-adult", "forest")


@pytest.fixture(scope="module", params=["sqlite", "files"])
def store(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, MlflowClient]]:
    """Let MLflow record three experiments, beside the empty one that every store has."""
    folder = tmp_path_factory.mktemp("mlflow")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
        sqlite = request.param == "sqlite"
        source = f"sqlite:///{folder}/mlflow.db" if sqlite else str(folder / "mlruns")
        client = MlflowClient(source if sqlite else Path(source).as_uri())
        rng = np.random.default_rng(0)
        for name in NAMES:
            experiment = client.create_experiment(name)
            for trial in range(40):
                values = dict(zip(("depth", "rate"), rng.random(2).tolist(), strict=True))
                loss = values["rate"] + (name == "forest") * values["depth"]
                _run(client, experiment, trial, values, {"loss": loss})
        yield source, client


def _run(
    client: MlflowClient,
    experiment: str,
    trial: int,
    parameters: dict[str, float],
    metrics: dict[str, float],
) -> None:
    run = client.create_run(experiment, start_time=trial + 1).info.run_id
    for name, value in parameters.items():
        client.log_param(run, name, value)
    for name, value in metrics.items():
        client.log_metric(run, name, value)
    client.set_terminated(run)


def _told(client: MlflowClient, name: str) -> dict[str, list[float]]:
    """Return an experiment as a table of what MLflow's interface says of its runs."""
    experiment = client.get_experiment_by_name(name)
    assert experiment is not None
    runs = client.search_runs(
        [experiment.experiment_id], order_by=["attributes.start_time ASC"], max_results=1000
    )
    columns = {key: [float(run.data.params[key]) for run in runs] for key in ("depth", "rate")}
    return columns | {"loss": [run.data.metrics["loss"] for run in runs]}


def test_every_experiment_is_a_study(store: tuple[str, MlflowClient]) -> None:
    """With the numbers of MLflow's own answers; the empty Default is none of them."""
    source, client = store
    found = condped.across(source, **OPTIONS)
    assert [one.name for one in found.studies] == list(NAMES)
    told = {name: _told(client, name) for name in NAMES}
    assert across_numbers(found) == single_numbers(told, **OPTIONS)
    assert found["depth"].matters_in == 1


def test_a_pattern_chooses_experiments(store: tuple[str, MlflowClient]) -> None:
    """By their names, or one by its id; what matches nothing is an error with all names."""
    source, client = store
    found = condped.across(source, study="xgb-*", **OPTIONS)
    assert [one.name for one in found.studies] == ["xgb-wine", "xgb-adult"]
    forest = client.get_experiment_by_name("forest")
    assert forest is not None
    by_id = condped.across(source, study=forest.experiment_id, **OPTIONS)
    assert [one.name for one in by_id.studies] == ["forest"]
    with pytest.raises(NameNotFoundError, match=r"no experiment 'lgbm-\*'.*'xgb-wine'"):
        condped.across(source, study="lgbm-*", **OPTIONS)


def test_what_an_experiment_lacks_is_told_with_its_name(
    store: tuple[str, MlflowClient],
) -> None:
    """One without runs stays in the list with the reason; another metric is an error."""
    source, client = store
    created = [client.create_experiment("xgb-planned")]
    try:
        found = condped.across(source, study="xgb-*", **OPTIONS)
        assert [one.name for one in found.studies] == ["xgb-wine", "xgb-adult", "xgb-planned"]
        assert found.studies[2].reason is not None
        assert any("No conclusion is possible for the study xgb-planned" in n for n in found.notes)
        created.append(client.create_experiment("accuracies"))
        for trial in range(10):
            _run(client, created[1], trial, {"rate": trial / 10}, {"accuracy": 0.5})
        with pytest.raises(DataError, match=r"study 'accuracies'.*'loss'.*'accuracy'"):
            condped.across(source, **OPTIONS)
        with pytest.raises(SettingsError, match=r"objective"):
            condped.across(source, direction="minimize")
    finally:
        for experiment in created:
            client.delete_experiment(experiment)
    names = [one.name for one in condped.across(source, **OPTIONS).studies]
    assert names == list(NAMES)


def test_one_experiment_is_a_study_as_well(store: tuple[str, MlflowClient]) -> None:
    """Chosen by its whole name, or, in a store of files, by its directory."""
    source, client = store
    experiment = client.get_experiment_by_name("forest")
    assert experiment is not None
    sources: list[tuple[str, str | None]] = [(source, "forest")]
    if not source.startswith("sqlite"):
        sources.append((f"{source}/{experiment.experiment_id}", None))
    for own, chosen in sources:
        found = condped.across(own, study=chosen, **OPTIONS)
        assert [one.name for one in found.studies] == ["forest"]


def test_parameters_that_most_runs_lack_are_bounded(
    store: tuple[str, MlflowClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table has a cell for each name in each run, so few values can make a very large one."""
    source, _ = store
    monkeypatch.setattr(sys.modules[check_cells.__module__], "_MOST_CELLS", 79)
    monkeypatch.setattr(sys.modules[check_cells.__module__], "_CELLS_EACH", 0)
    with pytest.raises(DataError, match="expands too far: 80 values of parameters"):
        condped.read(source, study="forest", objective="loss")
