"""The page on effects shows what was measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.effects import table

ROOT = Path(__file__).parents[3]


def test_the_page_shows_the_last_measurement() -> None:
    """Every line of its table comes from the benchmark's file."""
    measured = json.loads((ROOT / "benchmarks" / "effects.json").read_text(encoding="utf-8"))
    page = (ROOT / "docs" / "trust" / "effects.md").read_text(encoding="utf-8")
    shown = [line for line in page.splitlines() if line.startswith("|")]
    assert shown == table(measured["rows"])


@pytest.mark.parametrize("kind", ["bins", "good inside", "good outside"])
def test_intervals_hold_the_truth_of_random_draws(kind: str) -> None:
    """At the stated level over all problems, as measured; bins in every single problem."""
    measured = json.loads((ROOT / "benchmarks" / "effects.json").read_text(encoding="utf-8"))
    rows = [row for row in measured["rows"] if row["sampler"] == "random" and f"{kind} held" in row]
    counts = [row[f"{kind} held count"] for row in rows]
    held = sum(row[f"{kind} held"] * row[f"{kind} held count"] for row in rows) / sum(counts)
    assert held >= measured["level"]
    if kind == "bins":
        assert min(row["bins held"] for row in rows) >= measured["level"]
