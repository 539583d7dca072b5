"""Many studies in one file, compared in one call.

Run: python -m benchmarks.archive [--quick] [--studies 100 1000] [--rounds 3]
     [--scratch DIRECTORY] [--output FILE]

A Parquet file of studies of 200 trials and 20 parameters each, labelled by a column, one study
after the other. Each measurement runs in a fresh process, after a call with ten of the studies,
which does the imports: reading the file (pyarrow, all columns, into memory); reading it as one
table of trials; ``condped.across`` over batches of it, over the same rows in memory, and over a
table of DuckDB; and a loop of single ``condped.importance`` calls with intervals and verdicts, one
per study. The best of several rounds counts. Ratios are to reading the file, in processor time;
memory is the process's peak.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import condped
from benchmarks.archive_tasks import PARAMETERS, TASKS, TRIALS
from benchmarks.scale import copy_to_duckdb
from benchmarks.timing import measured_apart


def trials(studies: int) -> pa.Table:
    """Return studies in which two of the parameters matter, more or less."""
    rng = np.random.default_rng(0)
    rows = studies * TRIALS
    columns: dict[str, Any] = {
        "study": np.repeat([f"study-{number:05}" for number in range(studies)], TRIALS),
        "trial": np.tile(np.arange(TRIALS), studies),
    }
    for place in range(PARAMETERS):
        drawn = rng.random(rows) if place % 4 else rng.integers(0, 4, rows)
        columns[f"p{place}"] = drawn
    weight = np.repeat(rng.random(studies), TRIALS)
    losses = columns["p1"] ** 2 + weight * columns["p2"] + 0.1 * rng.normal(size=rows)
    return pa.table({**columns, "loss": losses})


def measured(task: str, path: Path) -> dict[str, float]:
    """Run one task in a process of its own."""
    return measured_apart("benchmarks.archive_tasks", task, str(path))


def one_size(path: Path, studies: int, tasks: list[str], rounds: int) -> list[dict[str, Any]]:
    """Measure all tasks with a file of this many studies; the best of several rounds counts."""
    every = dict.fromkeys(("read", *tasks))
    runs = [{task: measured(task, path) for task in every} for _ in range(rounds)]
    best = {task: min((run[task] for run in runs), key=_processor_time) for task in every}
    reading = best["read"]
    found = []
    for task in tasks:
        run = best[task]
        entry = {"studies": studies, "task": task, **run}
        entry["cpu_ratio"] = run["cpu_seconds"] / reading["cpu_seconds"]
        found.append(entry)
        print(
            f"{studies:>6,} studies, {task:>8}: {run['cpu_seconds']:8.2f} s of processor time = "
            f"{entry['cpu_ratio']:6.1f} × reading; {1e3 * run['cpu_seconds'] / studies:6.2f} ms "
            f"a study; peak {run['peak_bytes'] / 1e6:5.0f} MB",
            flush=True,
        )
    return found


def _processor_time(run: dict[str, float]) -> float:
    return run["cpu_seconds"]


def main() -> None:
    """Run all measurements and save them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="100 studies only, half a minute")
    parser.add_argument("--studies", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--rounds", type=int, default=3, help="the best of so many counts")
    parser.add_argument("--tasks", nargs="+", default=list(TASKS), choices=list(TASKS))
    parser.add_argument("--scratch", type=Path, help="where files are written and kept")
    parser.add_argument("--output", type=Path, help="write the numbers as JSON")
    arguments = parser.parse_args()
    found: list[dict[str, Any]] = []
    files: dict[int, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        for studies in [100] if arguments.quick else arguments.studies:
            path = Path(arguments.scratch or folder) / f"archive_{studies}.parquet"
            pq.write_table(trials(studies), path, row_group_size=1 << 16)
            copy_to_duckdb(path)
            files[studies] = path.stat().st_size
            found += one_size(path, studies, arguments.tasks, arguments.rounds)
    if arguments.output:
        told = {
            "versions": {
                "python": platform.python_version(),
                "numpy": np.__version__,
                "pyarrow": pa.__version__,
                "condped": condped.__version__,
            },
            "cores": len(os.sched_getaffinity(0)),
            "trials": TRIALS,
            "parameters": PARAMETERS,
            "rounds": arguments.rounds,
            "file_bytes": files,
            "runs": found,
        }
        arguments.output.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
