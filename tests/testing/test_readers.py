"""The kit for readers fails readers that do what readers must not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from condped.errors import DataError
from condped.read.files import csv as csv_file
from condped.read.frames import mappings
from condped.read.options import ReadOptions
from condped.testing import Run, check_reader
from condped.trials.table import State, TrialTable

TRIALS = {"loss": [0.3, 0.1, 0.2], "lr": [0.1, 0.2, 0.3], "momentum": [None, 0.9, None]}
RUNS = [
    Run([0.3], {"lr": 0.1}),
    Run([0.1], {"lr": 0.2, "momentum": 0.9}),
    Run([0.2], {"lr": 0.3}),
]


def with_loss(table: TrialTable) -> TrialTable:
    values = table.objectives[0].values.copy()
    values[1] += 1e-12
    return replace(table, objectives=(replace(table.objectives[0], values=values),))


def with_momentum(table: TrialTable) -> TrialTable:
    momentum = replace(table.parameters[-1], domain_ids=np.zeros(3, dtype=np.int8))
    return replace(table, parameters=(*table.parameters[:-1], momentum))


FAULTS: dict[str, tuple[Callable[[TrialTable], TrialTable], str]] = {
    "value": (with_loss, "'loss' in trial 1 should be 0.1"),
    "presence": (with_momentum, "The parameters in trial 0"),
    "state": (
        lambda table: replace(table, states=np.full(3, State.FAILED, dtype=np.int8)),
        "The state in trial 0",
    ),
    "fewer": (lambda table: table.only(np.array([True, True, False])), "The number of trials"),
    "lost": (lambda table: table.with_parameters(["lr"]), r"\['momentum'\] of the runs are not"),
    "direction": (
        lambda table: replace(
            table, objectives=(replace(table.objectives[0], direction="maximize"),)
        ),
        "The directions should be",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_reader_that_changes_something_is_failed(
    fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message says what differs, and where."""
    change, message = FAULTS[fault]
    honest = mappings.read
    check_reader("mapping", TRIALS, RUNS, objective="loss")
    monkeypatch.setattr(
        mappings,
        "read",
        lambda source, options: change(honest(source, replace(options, parameters=None))),
    )
    with pytest.raises(AssertionError, match=message):
        check_reader("mapping", TRIALS, RUNS, objective="loss")


def test_a_reader_that_writes_or_that_another_one_precedes_is_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file's hash before and after tells; so does the registry's choice."""
    path = tmp_path / "runs.csv"
    path.write_text("loss,lr\n0.3,0.1\n0.1,0.2\n", encoding="utf-8")
    runs = [Run([0.3], {"lr": 0.1}), Run([0.1], {"lr": 0.2})]
    with pytest.raises(AssertionError, match="recognises the source should be 'parquet'"):
        check_reader("parquet", str(path), runs, objective="loss")

    def writing(source: Any, options: ReadOptions) -> TrialTable:
        with path.open("a", encoding="utf-8") as file:
            file.write("\n")
        return mappings.read({"loss": [0.3, 0.1], "lr": [0.1, 0.2]}, options)

    monkeypatch.setattr(csv_file, "read", writing)
    with pytest.raises(AssertionError, match="bytes, after reading it"):
        check_reader("csv", str(path), runs, objective="loss")


def test_a_state_may_be_a_word() -> None:
    """As tools write it; one that means nothing is named."""
    trials = {**TRIALS, "state": ["complete", "complete", "crashed"]}
    words = [*RUNS[:2], replace(RUNS[2], state="failed")]
    check_reader("mapping", trials, words, objective="loss", state="state")
    with pytest.raises(DataError, match="The state 'exploded' is unknown"):
        check_reader(
            "mapping", TRIALS, [replace(RUNS[0], state="exploded"), *RUNS[1:]], objective="loss"
        )
