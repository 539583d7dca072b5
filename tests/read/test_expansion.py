"""Sources of a few kilobytes that stand for tables of gigabytes."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import condped
from condped.errors import DataError
from condped.read.optuna.records import ParameterRecords, Violations

ROWS = 5_000
X = {"name": "FloatDistribution", "attributes": {"low": 0, "high": 1, "step": None, "log": False}}


def new_names_in_lines(folder: Path) -> None:
    """One new name in each line."""
    path = folder / "trials.jsonl"
    path.write_text("".join(f'{{"p{row}": 1, "loss": {row}}}\n' for row in range(ROWS)))
    condped.read(path, objective="loss")


def new_names_in_records(folder: Path) -> None:
    """The same in memory."""
    condped.read([{f"p{row}": 1, "loss": row} for row in range(ROWS)], objective="loss")


def new_names_in_a_storage(folder: Path) -> None:
    """A parameter of its own in each trial."""
    records = ParameterRecords("The storage")
    rows = range(ROWS)
    records.add(rows, [f"p{row}" for row in rows], [0.5] * ROWS, [json.dumps(X)] * ROWS)
    records.parameters(np.arange(ROWS))


def many_constraints_in_one_trial(folder: Path) -> None:
    """In the form of Optuna 4: a list."""
    Violations.of(np.arange(ROWS), [(7, "constraints", [1.0] * 4_000)])


@pytest.mark.parametrize(
    "read",
    [
        new_names_in_lines,
        new_names_in_records,
        new_names_in_a_storage,
        many_constraints_in_one_trial,
    ],
)
def test_what_every_row_would_lack_does_not_fill_the_memory(
    read: Callable[[Path], None], tmp_path: Path
) -> None:
    """A table has a cell for each name in each row, so few values can make a very large one."""
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match=r"expands too far: [\d,]+ values"):
            read(tmp_path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 30 << 20


def test_many_conditional_parameters_are_no_excess(tmp_path: Path) -> None:
    """Most of them are absent from most trials."""
    records = [
        {f"p{row % 100}_{place}": 0.5 for place in range(3)} | {"loss": row} for row in range(3_000)
    ]
    table = condped.read(records, objective="loss")
    assert len(table) == 3_000
    assert len(table.names) == 300


def test_too_little_memory_is_an_error_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says what helps, and does not call the file damaged."""

    def exhausted(*_: object, **__: object) -> None:
        raise MemoryError

    path = tmp_path / "trials.csv"
    path.write_text("x,loss\n1,2\n")
    monkeypatch.setattr("csv.reader", exhausted)
    with pytest.raises(DataError, match=r"does not fit into memory.*engine='stream'"):
        condped.read(path, objective="loss")
