"""The page about reports says what was measured, and its pictures are small."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[3] / "docs" / "how-to"
PAGE = (DOCS / "report.md").read_text(encoding="utf-8")
MEASURED = json.loads(
    (DOCS.parents[1] / "benchmarks" / "presenting.json").read_text(encoding="utf-8")
)


def said(pattern: str) -> float:
    """Return the one number of the page that stands in these words."""
    (found,) = re.findall(pattern, re.sub(r"\s+", " ", PAGE))
    return float(found)


def test_costs_are_the_last_measurement() -> None:
    """Every number of the section on costs is that of benchmarks/presenting.json."""
    memory, stored, browser = (MEASURED[name] for name in ("in_memory", "sqlite", "browser"))
    faster = memory["optuna_picture_seconds"] / memory["report_seconds"]
    assert said(r"(\d+) times faster than Optuna") == pytest.approx(faster, rel=0.03)
    longer = memory["report_seconds"] / memory["optuna_numbers_seconds"]
    assert said(r"takes ([\d.]+) times as long as Optuna's numbers") == pytest.approx(
        longer, rel=0.03
    )
    whole = stored["command_seconds"] / stored["reading_seconds"]
    assert said(r"takes ([\d.]+) times as long as reading") == pytest.approx(whole, rel=0.01)
    assert said(r"loaded after ([\d.]+) s") == pytest.approx(browser["loaded_seconds"], rel=0.06)
    for name, words in (
        ("step_seconds", "as it opens"),
        ("step_seconds_all_shown", "with all 300 shown"),
        ("step_seconds_20_cards_open", "with them and 20 cards open"),
    ):
        median = 1000 * browser[name]["median"]
        assert said(rf"(\d+) ms {words}") == pytest.approx(median, abs=0.6)


def test_goals_were_reached() -> None:
    """Sooner than Optuna's picture, at most three times reading, below 0.2 s for a step."""
    assert MEASURED["in_memory"]["report_seconds"] < MEASURED["in_memory"]["optuna_picture_seconds"]
    assert MEASURED["sqlite"]["trials"] == 100_000
    assert MEASURED["sqlite"]["command_seconds"] <= 3 * MEASURED["sqlite"]["reading_seconds"]
    for name in ("step_seconds", "step_seconds_all_shown", "step_seconds_20_cards_open"):
        assert MEASURED["browser"][name]["most"] < 0.2


def test_pictures_are_there_and_small() -> None:
    """Each at most 250 kB, in both widths, light and dark."""
    shown = re.findall(r"\((report/[a-z-]+\.png)\)", PAGE)
    assert sorted(shown) == [
        f"report/{width}-{scheme}.png"
        for width in ("desktop", "phone")
        for scheme in ("dark", "light")
    ]
    for name in shown:
        assert (DOCS / name).stat().st_size <= 250_000
