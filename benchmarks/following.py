"""Following a large study: what an update reads and how long it takes, against reading it all.

Run: python -m benchmarks.following [--trials 100000] [--output FILE]

A conditional study of about ten parameters is written in Optuna's own formats. Ten more trials are
added at a time, and the followed table is compared with one that is read as a whole.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import optuna

import condped
from benchmarks.reading import trials, write_journal, write_sqlite

_NEW = 10  # trials at a time
_TIMES = 5


def add_to_sqlite(path: Path) -> None:
    """Add trials as Optuna does."""
    study = optuna.load_study(storage=f"sqlite:///{path}", study_name="s")
    for value, drawn in trials(_NEW):
        domains = {name: optuna.distributions.json_to_distribution(text) for name, _, text in drawn}
        parameters = {name: domains[name].to_external_repr(number) for name, number, _ in drawn}
        study.add_trial(
            optuna.trial.create_trial(params=parameters, distributions=domains, value=value)
        )


def add_to_journal(path: Path, first: int) -> None:
    """Append the operations that Optuna appends."""
    beside = path.with_suffix(".part")
    write_journal(beside, _NEW)
    lines = beside.read_text(encoding="utf-8").splitlines()[1:]  # without the study
    with path.open("a", encoding="utf-8") as file:
        for line in lines:
            operation = json.loads(line)
            if "trial_id" in operation:
                operation["trial_id"] += first
            file.write(json.dumps(operation, separators=(",", ":")) + "\n")


def measure(source: str, add: Callable[[int], None], count: int) -> dict[str, float]:
    """Return seconds and fetched records of whole reads, updates, and updates without news."""

    def timed(call: Callable[[], Any]) -> float:
        start = time.perf_counter()
        call()
        return time.perf_counter() - start

    whole = min(timed(lambda: condped.read(source)) for _ in range(3))
    start = time.perf_counter()
    followed = condped.follow(source)
    begun = time.perf_counter() - start
    first = followed.fetched
    updates, idle, fetched = [], [], 0
    for number in range(_TIMES):
        add(count + number * _NEW)
        updates.append(timed(followed.update))
        fetched = followed.fetched
        idle.append(min(timed(followed.update) for _ in range(5)))
    table, expected = followed.table, condped.read(source)
    for one, other in zip(table.parameters, expected.parameters, strict=True):
        if one.name != other.name or not np.array_equal(one.domain_ids, other.domain_ids):
            raise AssertionError(f"{one.name} is not what a full read gives")
        here = one.domain_ids >= 0
        if not np.array_equal(one.values[here], other.values[here]):
            raise AssertionError(f"{one.name} is not what a full read gives")
    return {
        "read_seconds": whole,
        "read_records": first,
        "follow_seconds": begun,
        "update_seconds": statistics.median(updates),
        "update_records": fetched,
        "idle_seconds": statistics.median(idle),
        "idle_records": followed.fetched,
        "update_share": statistics.median(updates) / whole,
        "idle_share": statistics.median(idle) / whole,
    }


def main() -> None:
    """Write the storages into a temporary folder, and follow them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=100_000)
    parser.add_argument("--output", type=Path, help="write the numbers as JSON")
    arguments = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    count = arguments.trials
    found: dict[str, Any] = {"trials": count, "new_trials": _NEW}
    with tempfile.TemporaryDirectory() as folder:
        database, journal = Path(folder) / "study.db", Path(folder) / "study.log"
        write_sqlite(database, count)
        write_journal(journal, count)
        places: dict[str, tuple[str, Callable[[int], None]]] = {
            "sqlite": (f"sqlite:///{database}", lambda _: add_to_sqlite(database)),
            "journal": (str(journal), lambda first: add_to_journal(journal, first)),
        }
        for name, (source, add) in places.items():
            found[name] = numbers = measure(source, add, count)
            print(
                f"{name}: all {numbers['read_seconds']:.2f} s, "
                f"{numbers['read_records']:,} records, followed {numbers['follow_seconds']:.2f} s; "
                f"{_NEW} new trials {1e3 * numbers['update_seconds']:.1f} ms, "
                f"{numbers['update_records']:,} records ({numbers['update_share']:.2%}); "
                f"nothing new {1e3 * numbers['idle_seconds']:.2f} ms, "
                f"{numbers['idle_records']:,} records ({numbers['idle_share']:.3%})",
                flush=True,
            )
    if arguments.output is not None:
        arguments.output.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
