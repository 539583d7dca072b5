"""Results in runs of real trackers, read back by the trackers' own means; nothing leaves here."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import condped
from condped.errors import SettingsError
from condped.show.trackers.entry import entry_of, safe_names
from tests.show.cases import result


@cache
def report() -> condped.Report:
    """Return a report of a conditional study."""
    return condped.report(condped.problems.get("nested").sample(150, seed=0))


# MLflow 3.17 asks SQLAlchemy 2.1 and pandas 3 for what is going away there.
@pytest.mark.filterwarnings("ignore:For backward compatibility, 'str' dtypes")
@pytest.mark.filterwarnings("ignore:The ``noload`` loader strategy")
def test_mlflow_has_metrics_tags_table_and_page(tmp_path: Path) -> None:
    """In a SQLite store; logging again replaces table and page, and adds to the metrics."""
    mlflow = pytest.importorskip("mlflow")
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'mlflow.db'}")
    mlflow.create_experiment("tuning", artifact_location=str(tmp_path / "files"))
    mlflow.set_experiment("tuning")
    found = report().importance
    with mlflow.start_run() as run:
        condped.log(found, run)
        condped.log(report(), run)
        condped.log(result("hostile"), run)
        condped.log(report(), run)
    client, number = mlflow.MlflowClient(), run.info.run_id
    data = client.get_run(number).data
    for own in found:
        key = f"condped/importance/{own.name}"
        assert data.metrics[key] == pytest.approx(own.importance)
        assert data.tags[f"condped/verdict/{own.name}"] == found.evidence[own.name].verdict
        assert [m.step for m in client.get_metric_history(number, key)] == [150] * 3
    assert data.tags["condped/status"] == "ok"
    table = mlflow.load_table("condped/importance.json", run_ids=[number])
    assert list(table["parameter"]) == list(found.names)
    assert list(table["importance"]) == pytest.approx([own.importance for own in found])
    page = Path(client.download_artifacts(number, "condped/report.html", str(tmp_path)))
    assert page.read_text(encoding="utf-8") == report().html
    text = Path(client.download_artifacts(number, "condped/importance.md", str(tmp_path)))
    assert text.read_text(encoding="utf-8") == found.to_markdown()


def test_wandb_has_summary_table_and_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In an offline run, read from its files."""
    wandb = pytest.importorskip("wandb")
    for name, value in (("MODE", "offline"), ("SILENT", "true"), ("DIR", str(tmp_path))):
        monkeypatch.setenv(f"WANDB_{name}", value)
    run = wandb.init(project="tuning", dir=str(tmp_path))
    condped.log(report(), run)
    summary = dict(run.summary)
    run.finish()
    wandb.teardown()  # its service would keep this directory as its own for later tests
    found = report().importance
    for own in found:
        assert summary[f"condped/importance/{own.name}"] == pytest.approx(own.importance)
        assert summary[f"condped/verdict/{own.name}"] == found.evidence[own.name].verdict
    (table,) = tmp_path.rglob("importance_table*.table.json")
    kept = json.loads(table.read_text(encoding="utf-8"))
    assert kept["columns"] == list(found.columns)
    assert [row[:2] for row in kept["data"]] == [[own.name, own.importance] for own in found]
    (page,) = tmp_path.rglob("report*.html")
    assert page.read_text(encoding="utf-8") == report().html


TRACKIO = """
import condped, trackio, json, sys
from tests.show.trackers.test_log import report
run = trackio.init(project="tuning", name="one", auto_log_cpu=False, auto_log_gpu=False)
condped.log(report(), run)
run.finish()
"""


def test_trackio_has_metrics_table_and_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In its SQLite file; in a process of its own, since it decides on import where files go."""
    pytest.importorskip("trackio")
    for name, value in (("TRACKIO_DIR", str(tmp_path)), ("HF_HUB_OFFLINE", "1")):
        monkeypatch.setenv(name, value)
    subprocess.run([sys.executable, "-c", TRACKIO], check=True, capture_output=True, timeout=120)
    with sqlite3.connect(tmp_path / "tuning.db") as kept:
        (line,) = [row[0] for row in kept.execute("select metrics from metrics")]
    metrics: dict[str, Any] = json.loads(line)
    found = report().importance
    for own in found:
        assert metrics[f"condped/importance/{own.name}"] == pytest.approx(own.importance)
        assert metrics[f"condped/verdict/{own.name}"] == found.evidence[own.name].verdict
    rows = metrics["condped/importance_table"]["_value"]
    assert [row["parameter"] for row in rows] == list(found.names)
    (page,) = tmp_path.rglob("*.html")
    made = re.compile(r'"made":"[^"]+"')  # to the minute: the processes may differ in it
    written = page.read_text(encoding="utf-8")
    assert len(made.findall(written)) == 1
    assert made.sub("", written) == made.sub("", report().html)


def test_what_is_no_run_or_no_result_is_refused() -> None:
    """With what is allowed."""
    with pytest.raises(SettingsError, match=r"mlflow.start_run\(\).*wandb.init\(\).*trackio.init"):
        condped.log(report(), object())
    mlflow = pytest.importorskip("mlflow")
    with pytest.raises(SettingsError, match=r"got mlflow\.entities"):
        condped.log(report(), mlflow.entities.Metric("x", 1.0, 0, 0))
    with pytest.raises(SettingsError, match="result must be a condped result"):
        condped.log({"x": 1.0}, object())  # type: ignore[arg-type]


def test_kinds_of_results_do_not_replace_each_other() -> None:
    """Importance and forecast of one study may be logged to the same run."""
    found = report().importance
    forecast = condped.forecast(condped.problems.get("nested").sample(150, seed=0))
    first, second = entry_of(found), entry_of(forecast)
    assert {f"verdict/{name}" for name in found.names} <= set(first.words)
    assert {f"forecast/verdict/{one.name}" for one in forecast} == set(second.words)
    assert not {*first.words, *first.numbers} & {*second.words, *second.numbers}


def test_names_do_not_depend_on_their_order() -> None:
    """A parameter keeps its name when importances change places."""
    names = ["a/b", "a?b", "a_b", "a_b_2"]
    assert safe_names(names) == safe_names(names[::-1])


def test_names_stay_apart() -> None:
    """Names that no tracker takes get others, all different."""
    names = ["a/b", "a?b", "a_b", "..", "../../etc", "x" * 500, "", "数"]
    made = safe_names(names)
    assert len(set(made.values())) == len(names)
    assert not any(
        "/" in name or (name.startswith("..") and len(name) == 2) for name in made.values()
    )
    assert max(map(len, made.values())) <= 130
    assert made["数"] == "数"
