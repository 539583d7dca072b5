"""The page on live pages shows the last measurement, which covers what it says."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

from benchmarks.live import table
from benchmarks.live_memory import slope
from benchmarks.live_memory import table as memory_table
from benchmarks.live_server import family

ROOT = Path(__file__).parents[1]


def test_the_table_of_live_pages_is_the_last_measurement() -> None:
    """And that meets what is promised: two seconds, five per cent, nothing that moves."""
    rows = _measured()["storages"]
    assert table(rows) in _page()
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


def test_memory_is_flat_over_a_thousand_updates() -> None:
    """An update leaves behind little more than its trial, in the server and in the page."""
    found = _measured()["memory"]
    assert memory_table(found) in _page()
    assert found["errors"] == []
    assert found["weights"][-1]["updates"] >= 1_000
    assert slope(found, "server") < 5_000  # bytes
    assert slope(found, "page") < 1_000


def test_a_process_that_another_thread_has_started_belongs_to_the_server() -> None:
    """Verdicts are computed by one."""
    starts = """
        import subprocess, sys, threading
        def start():
            waits = [sys.executable, "-c", "import sys; sys.stdin.read()"]
            child = subprocess.Popen(waits, stdin=subprocess.PIPE)
            print(child.pid, flush=True)
            child.wait()
        threading.Thread(target=start, daemon=True).start()
        sys.stdin.read()
    """
    command = [sys.executable, "-c", textwrap.dedent(starts)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert family(parent.pid) == [parent.pid, child]
        parent.communicate("\n")


def _measured() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        (ROOT / "benchmarks" / "live.json").read_text(encoding="utf-8")
    )
    return found


def _page() -> str:
    return (ROOT / "docs" / "trust" / "live.md").read_text(encoding="utf-8")
