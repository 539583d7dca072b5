"""Trackio's projects: SQLite files with the configuration and the metrics of each run."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from condped.errors import DataError, SettingsError
from condped.read.databases.sqlite import COLUMNS, snapshot
from condped.read.each_study import unknown_study
from condped.read.files.named_path import expanded
from condped.read.frames.mappings import flat
from condped.read.options import ReadOptions
from condped.read.table.build import build_runs
from condped.read.table.raw import RawRuns, RawTable
from condped.read.tools.drawing import recorded_times
from condped.trials.columns import number_of
from condped.trials.table import TrialTable, all_complete

# The columns that are queried; since Trackio 0.2x there is a run_id, and names need not differ.
_NEEDED = {
    "metrics": {"run_name", "timestamp", "step", "metrics"},
    "configs": {"run_name", "config", "created_at"},
}


@dataclass(slots=True)
class _Run:
    """One run: its configuration, and the last number of each metric."""

    config: Mapping[str, Any]
    metrics: dict[str, float] = field(default_factory=dict)
    started: str | None = None
    ended: str | None = None


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return the runs of a project, each metric with its last value.

    The parameters are the entries of a run's configuration; nested names are joined by a dot. Runs
    without a configuration or without any number are left out and counted. For a directory,
    ``study`` names the project.
    """
    options.refuse("a Trackio project", "budget")
    path = _project(source, options.study)
    with snapshot(path) as (place, database):
        _check_schema(place, database)
        runs, notes = _runs(database, place)
    used = [run for run in runs if run.metrics]
    if len(used) < len(runs):
        notes.append(f"Runs that logged no number, which are left out: {len(runs) - len(used)}.")
    return build_runs(
        RawRuns(
            parameters=RawTable.of_records([run.config for run in used]),
            metrics=RawTable.of_records([run.metrics for run in used]),
            states=all_complete(len(used)),
            notes=tuple(notes),
            times=recorded_times([run.started for run in used], [run.ended for run in used]),
        ),
        options,
        f"the Trackio project {Path(path).stem!r}",
    )


def _project(source: str, requested: str | None) -> str:
    """Return the file of a project: the source itself, the named one, or the only one."""
    folder = Path(expanded(source))
    if not folder.is_dir():
        if requested is not None and requested != Path(source).stem:
            raise unknown_study("project", requested, [Path(source).stem])
        return source
    found = {path.stem: str(path) for path in sorted(folder.glob("*.db"))}
    if requested is not None:
        if requested not in found:
            raise unknown_study("project", requested, list(found))
        return found[requested]
    if len(found) != 1:
        listed = ", ".join(map(repr, list(found)[:12])) or "none"
        raise SettingsError(
            f"{source!r} holds {len(found)} projects of Trackio: name one with the option study, "
            f"--study on the command line ({listed})."
        )
    return next(iter(found.values()))


def _check_schema(place: str, database: sqlite3.Connection) -> None:
    for table, needed in _NEEDED.items():
        there = {name for (name,) in database.execute(COLUMNS, (table,))}
        if not needed <= there:
            lacking = ", ".join(map(repr, sorted(needed - there)))
            raise DataError(
                f"{place} is not a readable Trackio project: its table {table!r} lacks {lacking}. "
                "Open it with Trackio once, which upgrades it."
            )


def _runs(database: sqlite3.Connection, place: str) -> tuple[list[_Run], list[str]]:
    columns = {name for (name,) in database.execute(COLUMNS, ("metrics",))}
    key = "run_id" if "run_id" in columns else "run_name"
    runs: dict[Any, _Run] = {}
    for run, config, created in database.execute(
        f"SELECT {key}, config, created_at FROM configs ORDER BY id"
    ):
        values = _object(config, place, "configuration")
        entries = {n: v for n, v in flat(values).items() if not n.startswith("_")}  # Trackio's own
        begun = values.get("_Created")
        runs[run] = _Run(entries, started=begun if isinstance(begun, str) else created)
    nameless: set[Any] = set()
    for run, time, metrics in database.execute(
        f"SELECT {key}, timestamp, metrics FROM metrics ORDER BY step, id"
    ):
        if run not in runs:
            nameless.add(run)
            continue
        found = runs[run]
        for name, value in flat(_object(metrics, place, "metrics")).items():
            number = number_of(value)
            if number is not None:
                found.metrics[name] = number
        if isinstance(time, str):
            found.ended = time if found.ended is None else max(found.ended, time)
    notes = []
    if nameless:
        notes.append(f"Runs without a configuration, which are left out: {len(nameless)}.")
    return list(runs.values()), notes


def _object(text: Any, place: str, what: str) -> dict[str, Any]:
    """Return the JSON object of a cell, which Trackio stores as bytes."""
    try:
        found = json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise DataError(
            f"{place} has a run whose {what} is not valid JSON ({error}). Delete that run with "
            "Trackio, or restore the file."
        ) from error
    if not isinstance(found, dict):
        raise DataError(
            f"{place} has a run whose {what} is not a JSON object (got {type(found).__name__}). "
            "Delete that run with Trackio, or restore the file."
        )
    return found
