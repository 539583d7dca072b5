"""Results in a run of MLflow."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from mlflow import MlflowClient
from mlflow.entities import Metric, RunTag

if TYPE_CHECKING:
    from condped.show.trackers.entry import Entry

_FOLDER = "condped"
_MOST_WORDS = 4000  # letters of a tag


def log_entry(entry: Entry, run: Any) -> None:
    """Write metrics, tags and files, through the current tracking URI."""
    client, number = MlflowClient(), run.info.run_id
    now = int(1000 * time.time())
    metrics = [
        Metric(f"{_FOLDER}/{name}", value, now, entry.step or 0)
        for name, value in entry.numbers.items()
    ]
    # Verdicts are tags, since they change and parameters of a run cannot.
    tags = [RunTag(f"{_FOLDER}/{name}", words[:_MOST_WORDS]) for name, words in entry.words.items()]
    client.log_batch(number, metrics=metrics, tags=tags)
    _log_table(client, number, entry)
    client.log_text(number, entry.markdown, f"{_FOLDER}/{entry.kind}.md")
    if entry.page is not None:
        client.log_text(number, entry.page, f"{_FOLDER}/report.html")


def _log_table(client: Any, number: str, entry: Entry) -> None:
    """Write the rows as an MLflow table, in place of an existing one."""
    place = f"{_FOLDER}/{entry.kind}.json"
    if any(file.path == place for file in client.list_artifacts(number, _FOLDER)):
        # log_table would append the rows to the existing ones.
        client.log_dict(number, {"columns": list(entry.columns), "data": entry.rows}, place)
        return
    columns = zip(*entry.rows, strict=True) if entry.rows else ((),) * len(entry.columns)
    data = dict(zip(entry.columns, map(list, columns), strict=True))
    client.log_table(number, data, place)
