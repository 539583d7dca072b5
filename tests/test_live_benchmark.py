"""The page on live pages shows the last measurement."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.live import table

ROOT = Path(__file__).parents[1]


def test_the_table_of_live_pages_is_the_last_measurement() -> None:
    """And that meets what is promised: two seconds, five per cent, nothing that moves."""
    rows = json.loads((ROOT / "benchmarks" / "live.json").read_text(encoding="utf-8"))
    assert table(rows) in (ROOT / "docs" / "trust" / "live.md").read_text(encoding="utf-8")
    for row in rows:
        assert row["most_lag"] < 2
        assert row["slowdown"] < 0.05
        assert row["errors"] == []
        assert row["interrupted"][0] == 0
        kept = dict(row["kept"])
        before, after = kept.pop("fold_top")
        assert abs(before - after) <= 2  # pixels
        assert all(one == other for one, other in kept.values())


def test_the_callback_costs_what_was_measured() -> None:
    """The ratios to a study without a callback are those of benchmarks/watching.json."""
    rows = json.loads((ROOT / "benchmarks" / "watching.json").read_text(encoding="utf-8"))
    by_case = {row["case"]: row for row in rows}
    shown = " ".join((ROOT / "docs" / "trust" / "live.md").read_text(encoding="utf-8").split())
    cases = {
        "sleep 20 ms, random, memory": "takes {} times as long with the callback (500 random",
        "sleep 20 ms, TPE, memory": "{} (300 of TPE)",
        "sleep 20 ms, random, SQLite": "{} (200 in SQLite)",
        "no time, TPE, memory": "1,000 trials of TPE whose objective takes no time: {}.",
    }
    for case, sentence in cases.items():
        assert sentence.format(f"{by_case[case]['Watch / without']:.2f}") in shown
        assert f"{by_case[case]['trials']:,}" in shown
    idle = by_case["no time, random, memory"]
    assert f"With {idle['trials']:,} such random trials" in shown
    empty = idle["seconds with an empty callback"] / idle["seconds without"]
    assert abs(empty - 4 / 3) < 0.02
    assert "even an empty one, takes a third more time" in shown
    assert idle["Watch / empty callback"] < 1
    assert idle["looks per study"] == 0
