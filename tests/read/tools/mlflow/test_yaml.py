"""MLflow stores of files, against MLflow's own answers."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from mlflow.entities import Metric
from mlflow.tracking import MlflowClient

from condped import read
from condped.errors import DataError, NameNotFoundError, SettingsError
from condped.testing import check_reader
from tests.read.tools.mlflow.experiments import (
    EXPERIMENT,
    SPACE,
    as_runs,
    assert_same_importances,
    record,
    told,
)


@pytest.fixture(scope="module")
def store(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[Path, MlflowClient, str]]:
    """Let MLflow record an experiment; it writes files only for those who insist."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
        path = tmp_path_factory.mktemp("mlflow") / "mlruns"
        client = MlflowClient(path.as_uri())
        yield path, client, record(client)


@pytest.fixture
def copied(store: tuple[Path, MlflowClient, str], tmp_path: Path) -> Path:
    """Return a copy of the experiment's directory, to be broken."""
    return Path(shutil.copytree(store[0] / store[2], tmp_path / "mlruns" / store[2]))


def test_a_store_is_what_mlflow_tells(store: tuple[Path, MlflowClient, str]) -> None:
    """Values, states, domains, inactive parameters; slashes in names are directories here."""
    path, client, experiment = store
    runs = told(client, experiment)
    assert len(runs) == 39
    for source in (str(path), path.as_uri(), path / experiment):
        table = check_reader(
            "mlflow-files", str(source), as_runs(runs), objective="loss", space=SPACE
        )
    assert table.notes == (
        "Deleted runs left out: 1.",
        "Runs left out since their nested runs are the trials: 1.",
    )
    assert table.ignored_columns == ("trials",)


def test_importances_are_those_of_mlflows_own_answers(
    store: tuple[Path, MlflowClient, str],
) -> None:
    """A table made from MLflow's API gives the same numbers."""
    assert_same_importances(*store)


def test_the_latest_value_of_a_metric_is_the_one_that_mlflow_tells(
    store: tuple[Path, MlflowClient, str],
) -> None:
    """By step, then time, then value; also where a data set is named beside the value."""
    path, client, _ = store
    experiment = client.create_experiment("steps")
    histories = [
        [Metric("m", 1.0, 5, 1), Metric("m", 2.0, 4, 1)],
        [Metric("m", 1.0, 5, 1), Metric("m", 3.0, 5, 1), Metric("m", 2.0, 5, 1)],
        [Metric("m", 1.0, 1, 3, dataset_name="d", dataset_digest="x"), Metric("m", 2.0, 9, 2)],
        [Metric("m", 1.5e-300, 1, -1)],
    ]
    for place, history in enumerate(histories):
        run = client.create_run(experiment, start_time=place)
        client.log_batch(run.info.run_id, metrics=history)
        client.log_param(run.info.run_id, "x", place)
        client.set_terminated(run.info.run_id)
    runs = client.search_runs([experiment], order_by=["attributes.start_time ASC"])
    table = read(path, study="steps", objective="m")
    assert table.objectives[0].values.tolist() == [run.data.metrics["m"] for run in runs]
    client.delete_experiment(experiment)


def test_the_experiment_must_be_clear(store: tuple[Path, MlflowClient, str]) -> None:
    """A name or an id; a deleted experiment is none."""
    path, client, experiment = store
    assert len(read(path, objective="loss", study=experiment)) == 39
    other = client.create_experiment("other")
    with pytest.raises(SettingsError, match=r"2 experiments.*'tuning <b>.*' with 40 runs"):
        read(path, objective="loss")
    with pytest.raises(NameNotFoundError, match=r"Did you mean 'tuning <b>größe</b>'\?"):
        read(path, objective="loss", study="tuning größe")
    assert len(read(path, objective="loss", study=EXPERIMENT)) == 39
    client.delete_experiment(other)
    with pytest.raises(NameNotFoundError, match="There is no experiment 'other'"):
        read(path, objective="loss", study="other")


def test_what_is_not_there_is_refused_with_what_is(
    store: tuple[Path, MlflowClient, str], tmp_path: Path
) -> None:
    """Objectives, options and directories."""
    with pytest.raises(SettingsError, match=r"objective is needed.*'loss', 'speed/µs'"):
        read(store[0])
    with pytest.raises(NameNotFoundError, match="Did you mean 'loss'"):
        read(store[0], objective="los")
    with pytest.raises(SettingsError, match="budget cannot be set"):
        read(store[0], objective="loss", budget=3)
    with pytest.raises(DataError, match="There is no directory '/nowhere'"):
        read("/nowhere", objective="loss", reader="mlflow-files")
    with pytest.raises(DataError, match="is not an MLflow store"):
        read(tmp_path, objective="loss", reader="mlflow-files")
    run = next(path for path in (store[0] / store[2]).iterdir() if (path / "params").is_dir())
    with pytest.raises(DataError, match="is that of a single run"):
        read(run, objective="loss", reader="mlflow-files")


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("meta.yaml", None, r"meta\.yaml' cannot be read: No such file"),
        ("meta.yaml", b"status: [3", r"meta\.yaml' is not valid YAML: .*line 1"),
        ("meta.yaml", b"!!python/object/apply:os.system ['exit 1']", "could not determine a con"),
        ("meta.yaml", b"", "must hold named entries"),
        ("metrics/loss", b"5 high 3\n", r"Line 1 of '.*loss' must hold a time.*'5 high 3'"),
        ("metrics/loss", b"", "is empty"),
        ("params/model", b"\xff\xfe", "is not UTF-8 text"),
    ],
)
def test_corrupt_runs_are_refused_or_counted(
    copied: Path, file: str, content: bytes | None, message: str
) -> None:
    """The file is named; the caller may leave such runs out."""
    run = sorted(p.parent.parent for p in copied.glob("*/metrics/loss") if _finished(p))[0]
    if content is None:
        (run / file).unlink()
    else:
        (run / file).write_bytes(content)
    with pytest.raises(DataError, match=message) as caught:
        read(copied.parent, objective="loss")
    assert "\n" not in str(caught.value)
    assert "skip_corrupt" in str(caught.value)
    table = read(copied.parent, objective="loss", skip_corrupt=True)
    assert len(table) == 38
    assert "Runs that cannot be read left out: 1." in table.notes


def _finished(path: Path) -> bool:
    """Return whether a metric is of a trial that ended, and not of the sweep."""
    run = path.parent.parent
    return (
        (run / "tags" / "mlflow.parentRunId").exists()
        and "status: 3" in (run / "meta.yaml").read_text(encoding="utf-8")
        and "deleted_time" not in (run / "meta.yaml").read_text("utf-8")
    )


def test_runs_of_another_experiment_are_left_out_as_mlflow_does(copied: Path) -> None:
    """A directory that was copied from elsewhere says whose it is."""
    run = sorted(p.parent.parent for p in copied.glob("*/metrics/loss") if _finished(p))[0]
    meta = run / "meta.yaml"
    text = meta.read_text(encoding="utf-8")
    meta.write_text(text.replace(copied.name, "99"), encoding="utf-8")
    table = read(copied.parent, objective="loss")
    assert len(table) == 38
    assert "Runs recorded for another experiment left out: 1." in table.notes


def test_times_are_mlflows(store: tuple[Path, MlflowClient, str]) -> None:
    """In seconds, as its own answers have them in milliseconds."""
    path, client, experiment = store
    source = path / experiment
    times = read(source, objective="loss", direction="minimize", space=SPACE).times
    assert times is not None
    runs = told(client, experiment)
    assert times.started == pytest.approx([run.info.start_time / 1000 for run in runs])
