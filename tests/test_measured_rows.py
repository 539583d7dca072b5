"""Long benchmarks continue where they stopped."""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path

from benchmarks.measured_rows import Row, add_row_options, measure_rows


def test_a_resumed_run_measures_only_what_is_missing(tmp_path: Path) -> None:
    """Without the option it starts again; rows are always written in the order of the jobs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--output", type=Path, default=tmp_path / "told.json")
    add_row_options(parser, "a row per job")
    ran: list[int] = []

    def measure(key: int) -> list[Row]:
        ran.append(key)
        return [{"key": key, "part": part} for part in range(2)]

    def run(jobs: int, *options: str) -> list[Row]:
        ran.clear()
        return measure_rows(
            parser.parse_args(options),
            lambda row: int(row["key"]),
            ((key, partial(measure, key)) for key in range(jobs)),
        )

    run(2)
    rows = run(3, "--resume")
    assert ran == [2]
    assert [(row["key"], row["part"]) for row in rows] == [(k, p) for k in range(3) for p in (0, 1)]
    written = (tmp_path / "told.jsonl").read_text().splitlines()
    assert list(map(json.loads, written)) == rows
    run(3)
    assert ran == [0, 1, 2]
