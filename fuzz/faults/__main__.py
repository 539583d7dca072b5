"""Faults on a schedule, and ten minutes of writers beside readers.

Run: python -m fuzz.faults [--times 10] [--minutes 10] [--only NAME ...] [--output FILE]
     [--page PAGE]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import optuna

from fuzz.faults.clocks import clocks
from fuzz.faults.disks import full_disk, read_only
from fuzz.faults.kills import outputs_killed, readers_killed, writers_killed
from fuzz.faults.outages import outages
from fuzz.faults.page import with_tables
from fuzz.faults.rows import Row
from fuzz.faults.truncation import truncated
from fuzz.faults.writers import writers

FAULTS: dict[str, Callable[[int, int], list[Row]]] = {
    "readers-killed": readers_killed,
    "writers-killed": writers_killed,
    "outputs-killed": outputs_killed,
    "full-disk": lambda times, seed: full_disk(),
    "read-only": lambda times, seed: read_only(),
    "truncated": truncated,
    "outages": lambda times, seed: outages(max(times // 4, 1)),
    "clocks": lambda times, seed: clocks(),
}


def main() -> None:
    """Make the requested faults, and print what was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=10, help="how often each fault is made")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=10.0, help="that writers write")
    parser.add_argument("--only", nargs="+", choices=[*FAULTS, "writers"], default=[])
    parser.add_argument("--output", type=Path, help="keep what was seen here")
    parser.add_argument("--page", type=Path, help="put the tables into this page")
    arguments = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    names = arguments.only or [*FAULTS, "writers"]
    state: dict[str, Any] = {}
    if arguments.output is not None and arguments.output.exists():
        state = json.loads(arguments.output.read_text(encoding="utf-8"))
    for name in names:
        if name == "writers":
            seconds = 60 * arguments.minutes
            rows = writers(seconds, seconds / 10, 1.0)
            state["writers"] = {"minutes": arguments.minutes, "storages": rows}
        else:
            found = [
                {"campaign": name, **asdict(row)}
                for row in FAULTS[name](arguments.times, arguments.seed)
            ]
            others = [row for row in state.get("faults", []) if row["campaign"] != name]
            state["faults"] = sorted(
                others + found, key=lambda row: [*FAULTS].index(row["campaign"])
            )
            for row in found:
                print(
                    f"{row['fault']}, {row['done_to']}: {row['ends']} {row['skipped']}", flush=True
                )
                for wrong in row["wrong"]:
                    print(f"  {wrong}", flush=True)
        if arguments.output is not None:
            arguments.output.write_text(json.dumps(state, indent=1) + "\n", encoding="utf-8")
    if arguments.page is not None:
        page = arguments.page.read_text(encoding="utf-8")
        arguments.page.write_text(with_tables(page, state), encoding="utf-8")


if __name__ == "__main__":
    main()
