"""Work grows in proportion to the number of parameters, conditional ones included."""

from __future__ import annotations

import csv
import gc
import json
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import condped
from condped.analyse.advice.code.optuna_code import suggest_code
from condped.analyse.branches.structure import structure_of
from condped.trials.table import TrialTable
from tests.counted_names import Counted
from tests.space.test_limits import calls

_TRIALS = 60
_FEW, _MANY = 75, 450  # parameters
# Six times as many may take so many times as long: work in proportion takes 6 at most, and less
# where much is done once, work in proportion to the square up to 36.
_MOST = 15


def columns(parameters: int, trials: int = _TRIALS) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    """Return trials and their space; a third of the parameters depend on another one."""
    rng = np.random.default_rng(0)
    gate = rng.integers(0, 2, trials)
    found: dict[str, list[Any]] = {"k": [["a", "b"][value] for value in gate]}
    space: dict[str, Any] = {"k": {"type": "categorical", "choices": ["a", "b"]}}
    for number in range(parameters):
        name, values = f"parameter_{number:05}", rng.random(trials).tolist()
        space[name] = {"type": "float", "low": 0, "high": 1}
        if number % 3 == 0:
            values = [v if g == number % 2 else None for v, g in zip(values, gate, strict=True)]
            space[name] |= {"when": f"k == '{'ab'[number % 2]}'"}
        found[name] = values
    found["loss"] = rng.random(trials).tolist()
    return found, space


def study(parameters: int) -> TrialTable:
    """Return the trials in memory."""
    found, space = columns(parameters)
    return condped.read(found, objective="loss", space=space)


def show(size: int) -> list[int]:
    """Return the work of printing what is known, and of writing code for it."""
    table = study(size)
    space, result = structure_of(table).space, condped.branches(table)
    str(result)  # tests are made once
    return [calls(lambda: str(result)), calls(lambda: suggest_code(space))]


def keep(size: int, path: Path) -> list[int]:
    """Return the work of saving and loading, by 1,000 letters of the file."""
    result = condped.effects(study(size))
    saving = calls(lambda: result.save(path))
    letters = path.stat().st_size // 1000
    return [saving // letters, calls(lambda: condped.load(path)) // letters]


def test_texts_and_code_take_time_in_proportion_to_the_parameters() -> None:
    """Four times as many take about four times as long, or less where most are left out."""
    show(20)
    for few, many in zip(show(150), show(600), strict=True):
        assert many < 7 * few


def test_files_take_time_in_proportion_to_their_size(tmp_path: Path) -> None:
    """A few calls for each value in them, however many there are."""
    keep(20, tmp_path / "result.json")
    keep(20, tmp_path / "few.json")  # what is made once
    few, many = keep(20, tmp_path / "few.json"), keep(60, tmp_path / "many.json")
    assert many[0] < 1.5 * few[0] < 4000
    assert many[1] < 1.5 * few[1] < 6000


def journal(path: Path, parameters: int) -> tuple[Any, dict[str, Any]]:
    """Return a journal whose parameters all have choices of their own."""
    found, _ = columns(parameters, 20)
    begun = {"op_code": 4, "worker_id": "w", "study_id": 0, "datetime_start": "2026-01-01T00:00:00"}
    lines: list[Any] = [{"op_code": 0, "worker_id": "w", "study_name": "s", "directions": [1]}]
    for row in range(20):
        lines.append(begun)
        for name, values in found.items():
            if name in ("k", "loss") or values[row] is None:
                continue
            choices = {"choices": [name, "b", "c"]}
            lines.append({
                "op_code": 5, "worker_id": "w", "trial_id": row, "param_name": name,
                "param_value_internal": float(values[row] > 0.5),
                "distribution": json.dumps(
                    {"name": "CategoricalDistribution", "attributes": choices}
                ),
            })  # fmt: skip
        lines.append({
            "op_code": 6, "worker_id": "w", "trial_id": row, "state": 1,
            "values": [found["loss"][row]], "datetime_complete": "2026-01-01T00:00:01",
        })  # fmt: skip
    file = path / f"{parameters}.log"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return str(file), {}


def sqlite(path: Path, parameters: int) -> tuple[Any, dict[str, Any]]:
    """Return an SQLite database of Optuna's, its parameters written by hand: Optuna is slow."""
    file = path / f"{parameters}.db"
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    made = optuna.create_study(storage=f"sqlite:///{file}", study_name="s")
    made.optimize(lambda trial: trial.number, n_trials=20)
    found, _ = columns(parameters, 20)
    attributes = {"low": 0.0, "high": 1.0, "log": False, "step": None}
    domain = json.dumps({"name": "FloatDistribution", "attributes": attributes})
    rows = [
        (row + 1, name, values[row], domain)
        for row in range(20)
        for name, values in found.items()
        if name not in ("k", "loss") and values[row] is not None
    ]
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.executemany(
            "INSERT INTO trial_params (trial_id, param_name, param_value, distribution_json) "
            "VALUES (?, ?, ?, ?)",
            rows,
        )
    return f"sqlite:///{file}", {}


def csv_file(path: Path, parameters: int) -> tuple[Any, dict[str, Any]]:
    """Return a table as CSV."""
    found, space = columns(parameters)
    file = path / f"{parameters}.csv"
    with file.open("w", newline="", encoding="utf-8") as opened:
        writer = csv.writer(opened)
        writer.writerows([found, *zip(*found.values(), strict=True)])
    return file, {"objective": "loss", "space": space}


def json_lines(path: Path, parameters: int) -> tuple[Any, dict[str, Any]]:
    """Return a table as JSON lines."""
    found, space = columns(parameters)
    file = path / f"{parameters}.jsonl"
    rows = [
        {n: v for n, v in zip(found, row, strict=True) if v is not None}
        for row in zip(*found.values(), strict=True)
    ]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return file, {"objective": "loss", "space": space}


def parquet(path: Path, parameters: int) -> tuple[Any, dict[str, Any]]:
    """Return a table as Parquet."""
    found, space = columns(parameters)
    pq.write_table(pa.table(found), path / f"{parameters}.parquet")
    return path / f"{parameters}.parquet", {"objective": "loss", "space": space}


def seconds(function: Callable[[], Any]) -> float:
    """Return the processor's seconds for a call, the best of three, without collecting garbage."""
    found = []
    gc.disable()
    try:
        for _ in range(3):
            begun = time.process_time()
            function()
            found.append(time.process_time() - begun)
    finally:
        gc.enable()
    return min(found)


@pytest.mark.parametrize("make", [journal, sqlite, csv_file, json_lines, parquet])
def test_sources_are_read_in_time_in_proportion_to_the_parameters(
    make: Callable[[Path, int], tuple[Any, dict[str, Any]]], tmp_path: Path
) -> None:
    """Of every format, as numbers and as choices."""
    took = []
    for size in (20, _FEW, _MANY):  # the first imports what is needed
        source, options = make(tmp_path, size)
        took.append(seconds(lambda s=source, o=options: condped.read(s, **o)))  # type: ignore[misc]
        read = condped.read(source, **options)
        assert len(read.names) == size + ("k" in read.names)
    assert took[2] < _MOST * max(took[1], 0.01)


ANALYSES: dict[str, Callable[..., Any]] = {
    "importance": condped.importance,
    "branches": condped.branches,
    "advise": condped.advise,
    "report": lambda table: condped.report(table, verdicts=False),
}


@pytest.mark.parametrize("kind", ANALYSES)
def test_results_take_time_in_proportion_to_the_parameters(kind: str, tmp_path: Path) -> None:
    """Made, printed, as JSON, as records, as CSV, saved and loaded."""
    took: list[list[float]] = []
    for size in (20, _FEW, _MANY):
        table = study(size)
        result = ANALYSES[kind](table)
        file = tmp_path / f"{size}.json"
        forms: list[Callable[[], Any]] = [
            lambda t=table: ANALYSES[kind](t),  # type: ignore[misc]
            lambda r=result: str(r),  # type: ignore[misc]
            lambda r=result: json.dumps(r.to_data(), default=str),  # type: ignore[misc]
            lambda r=result: r.rows(),  # type: ignore[misc]
            lambda r=result: r.to_csv(),  # type: ignore[misc]
            lambda r=result, f=file: r.save(f),  # type: ignore[misc]
            lambda f=file: condped.load(f),  # type: ignore[misc]
        ]
        took.append([seconds(form) for form in forms])
    for few, many in zip(took[1], took[2], strict=True):
        assert many < _MOST * max(few, 0.01)


@pytest.mark.parametrize("form", ["plain", "exported by Optuna"])
def test_names_are_not_looked_for_in_lists(form: str) -> None:
    """A search through all names for each name would compare half a million."""
    rng = np.random.default_rng(0)
    mark = "params_" if form != "plain" else ""
    names = [Counted(f"{mark}p{number}") for number in range(1_000)]
    trials: dict[str, Any] = {name: rng.random(10) for name in names}
    if mark:
        trials |= {"number": np.arange(10), "state": ["COMPLETE"] * 10}
    Counted.compared = 0
    condped.read({**trials, "value": rng.random(10)}, objective="value")
    assert Counted.compared < 50 * len(names)


@pytest.mark.parametrize("kind", ["branches", "domains", "or"])
def test_gates_with_many_values_take_time_in_proportion(kind: str) -> None:
    """A branch, a domain, or a part of a condition for each value."""

    def made(size: int) -> TrialTable:
        gate = [row * size // _TRIALS for row in range(_TRIALS)]
        x = {"type": "float", "low": 0.0, "high": 1.0}
        values = [row % 7 / 7 for row in range(_TRIALS)]
        space: dict[str, Any] = {"n": {"type": "int", "low": 0, "high": size}}
        if kind == "branches":
            space |= {f"x{one}": {**x, "when": f"n == {one}"} for one in range(size)}
            own = {f"x{one}": [0.5 if g == one else None for g in gate] for one in range(size)}
            return condped.read({"n": gate, **own, "loss": values}, objective="loss", space=space)
        if kind == "domains":
            space["x"] = [{**x, "high": 1.0 + one, "when": f"n == {one}"} for one in range(size)]
        else:
            space["x"] = {**x, "when": " or ".join(f"n == {one}" for one in range(size))}
        return condped.read({"n": gate, "x": values, "loss": values}, objective="loss", space=space)

    tables = [made(size) for size in (20, _FEW, _MANY)]
    took = [seconds(lambda t=table: condped.importance(t).gates) for table in tables]  # type: ignore[misc]
    assert took[2] < _MOST * max(took[1], 0.01)
