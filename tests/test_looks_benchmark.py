"""The page on looks says what was measured, and the benchmark counts rightly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.looks_page import holds, page, summaries

ROOT = Path(__file__).parents[1]
MEASURED = json.loads((ROOT / "benchmarks" / "looks.json").read_text(encoding="utf-8"))


def test_the_page_has_the_numbers_that_were_written_down() -> None:
    """Filling it in again changes nothing."""
    assert page(MEASURED) == (ROOT / "docs" / "trust" / "looks.md").read_text(encoding="utf-8")


def test_false_alarms_and_intervals_are_as_promised() -> None:
    """Of all stored and of all synthetic studies, at most 5 % and at least 80 %."""
    told = {row["studies"]: row for row in MEASURED["ever"]}
    for name in ("stored, all", "synthetic, all"):
        assert told[name]["dead ever, repeated"][0] <= 0.05
    for row in MEASURED["forecasts"]:
        if row["studies"] in ("stored, all", "synthetic, all"):
            assert row["holds"][0] >= 0.8


def _row(found: dict[str, int]) -> dict[str, Any]:
    return {
        "study": "made up", "origin": "stored", "sampler": "tpe", "trials": 210, "end": 200,
        "dead": ["idle"], "live": ["x"], "ever": {"repeated": found},
        "last": {"repeated": list(found)},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("found", "low", "high", "right"),
    [
        ({"x": 130}, 100, 160, True),
        ({"x": 130}, 100, None, True),
        ({"x": 130}, 160, None, False),  # sooner than its lower end
        ({"x": 130}, 80, 100, False),  # later than its upper end
        ({"x": 130}, None, None, False),  # never, but it was
        ({}, None, None, True),
        ({}, 80, None, True),
        ({}, 80, 250, True),  # beyond the run
        ({}, 80, 160, False),  # should have been settled by then
    ],
)
def test_an_interval_holds_what_is_known(
    found: dict[str, int], low: int | None, high: int | None, right: bool
) -> None:
    """The settling look if there is one, and that it lies beyond the run if not."""
    one = {"at": 60, "name": "x", "outlook": "open", "chance": 0.5, "low": low, "high": high}
    assert holds(_row(found), one) is right


def test_shares_count_parameters_and_forecasts() -> None:
    """One of two live and dead parameters, one of two forecasts."""
    forecasts = [
        {"at": 60, "name": "x", "outlook": "open", "chance": 0.5, "low": 80, "high": 160},
        {"at": 80, "name": "x", "outlook": "unlikely", "chance": 0.1, "low": None, "high": None},
        {"at": 200, "name": "idle", "outlook": "open", "chance": 0.5, "low": 250, "high": 310},
    ]
    told = summaries([_row({"x": 100}) | {"forecasts": forecasts}])
    (ever,) = (row for row in told["ever"] if row["studies"] == "stored, all")
    assert ever["dead ever, repeated"][0] == 0.0
    assert ever["live at the end, repeated"][0] == 1.0
    live = next(row for row in told["forecasts"] if row["parameters"] == "live")
    assert live["forecasts"] == 2
    assert live["holds"][0] == 0.5
    assert live["settled after all"][0] == 1.0
    dead = next(row for row in told["forecasts"] if row["parameters"] == "dead")
    assert dead["forecasts"] == 0  # at the end of the run nothing is left to compare with
