"""Counting files of 10^6 to 10^8 rows against a plain scan of the same columns.

Run: python -m benchmarks.scale [--quick] [--rows 1e6 1e7 1e8] [--engines stream duckdb]
     [--scratch DIRECTORY] [--output FILE]

A Parquet file of conditional trials with ten parameters is written for each size (about 42 bytes a
row; 10^8 rows take 4.2 GB of the scratch directory). Each measurement runs in a fresh process: a
scan, which reads every column in batches on all cores and sums it up, then each engine with one
target quantile and with 99; DuckDB holds the same rows in a table of its own. Times are from call
to result after a call with a small file, which does the imports, and with the file in the page
cache; memory is the process's peak. The best of several runs counts, and the ratio is taken to the
scan of the same round.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import tempfile
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import condped
from benchmarks.timing import measured_apart

TASKS = {"one": "one γ'", "many": "99 γ'"}
_GROUP = 1 << 20
_MOST_IN_DATABASE = 10**7  # rows: minutes beyond
_TEXTS = ("svm", "knn", "mlp")


def trials(rows: int, rng: np.random.Generator) -> pa.Table:
    """Draw trials: a gate, domains that switch, parameters that are often inactive."""
    gate = rng.random(rows, dtype=np.float32)
    learner = rng.integers(0, 3, rows).astype(np.int8)
    rate = np.clip(np.exp(rng.uniform(np.log(1e-5), 0, rows)), 1e-5, 1)
    switched = np.where(gate < 0.5, rng.uniform(-5, 0, rows), rng.uniform(0, 5, rows))
    gamma = np.clip(np.exp(rng.uniform(np.log(1e-4), np.log(10), rows)), 1e-4, 10)
    loss = (switched - 1) ** 2 + 0.1 * np.log10(rate) ** 2 * (learner == 0) + rng.normal(size=rows)

    def only(values: Any, active: Any) -> Any:
        return pa.array(values, mask=~active)

    return pa.table(
        {
            "loss": loss,
            "gate": gate,
            "learner": pa.DictionaryArray.from_arrays(pa.array(learner), pa.array(_TEXTS)),
            "rate": rate,
            "depth": rng.integers(1, 21, rows).astype(np.int32),
            "switched": switched,
            "gamma": only(gamma, learner == 0),
            "neighbours": only(rng.integers(1, 51, rows).astype(np.int32), learner == 1),
            "width": only(rng.integers(8, 1025, rows).astype(np.int32), learner == 2),
            "dropout": only(rng.random(rows, dtype=np.float32), learner == 2),
            "momentum": rng.random(rows),
        }
    )


def write(path: Path, rows: int) -> None:
    """Write a file of that many trials, one row group at a time."""
    rng = np.random.default_rng(0)
    whole = ["learner", "depth", "neighbours", "width"]
    with pq.ParquetWriter(path, trials(1, rng).schema, use_dictionary=whole) as file:
        for start in range(0, rows, _GROUP):
            file.write_table(trials(min(_GROUP, rows - start), rng))


def copy_to_duckdb(path: Path) -> None:
    """Copy a file into a table of a DuckDB database beside it."""
    with duckdb.connect(path.with_suffix(".duckdb")) as database:
        database.execute(
            "CREATE OR REPLACE TABLE trials AS FROM read_parquet($file)", {"file": str(path)}
        )


def measured(task: str, path: Path, engine: str = "") -> dict[str, float]:
    """Run one task in a process of its own."""
    return measured_apart("benchmarks.scale_tasks", task, str(path), engine)


def one_size(path: Path, rows: int, engines: list[str], rounds: int) -> list[dict[str, Any]]:
    """Measure the scan and all engines in rounds, and keep the best of each."""
    best: dict[tuple[str, str], dict[str, Any]] = {}
    few = path.with_name("trials_few.parquet")  # for each process to warm up with
    write(few, 1000)
    if "duckdb" in engines and rows <= _MOST_IN_DATABASE:
        copy_to_duckdb(few)
        copy_to_duckdb(path)
    measured("scan", path)  # brings the file into the page cache
    for _ in range(rounds):
        runs = {("scan", "scan"): measured("scan", path)}
        for engine in engines if rows <= _MOST_IN_DATABASE else ["stream"]:
            for task in TASKS:
                runs[engine, task] = measured(task, path, engine)
        for (engine, task), run in runs.items():
            known = best.setdefault((engine, task), {"rows": rows, "engine": engine, "task": task})
            known |= {name: min(value, known.get(name, value)) for name, value in run.items()}
    scanned = best["scan", "scan"]
    for entry in best.values():
        entry["ratio"] = entry["seconds"] / scanned["seconds"]
        entry["cpu_ratio"] = entry["cpu_seconds"] / scanned["cpu_seconds"]
        print(
            f"{rows:>11,} rows, {entry['engine']:>6} {TASKS.get(entry['task'], ''):6}: "
            f"{entry['seconds']:8.2f} s = {entry['ratio']:5.2f} scans "
            f"({entry['cpu_ratio']:5.2f} in processor time); "
            f"{1e3 * entry['seconds_after']:6.1f} ms after counting; "
            f"peak {entry['peak_bytes'] / 1e6:5.0f} MB",
            flush=True,
        )
    return list(best.values())


def main() -> None:
    """Run all measurements and save them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="10^5 and 10^6 rows only, a minute")
    parser.add_argument("--rows", type=float, nargs="+", default=[1e6, 1e7, 1e8])
    parser.add_argument("--engines", nargs="+", default=["stream", "duckdb"])
    parser.add_argument("--scratch", type=Path, help="where files are written and kept")
    parser.add_argument("--output", type=Path, help="write the numbers as JSON")
    arguments = parser.parse_args()
    sizes = [10**5, 10**6] if arguments.quick else [int(rows) for rows in arguments.rows]
    found: list[dict[str, Any]] = []
    files: dict[int, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        for rows in sizes:
            path = Path(arguments.scratch or folder) / f"trials_{rows}.parquet"
            if not path.exists():
                write(path, rows)
            files[rows] = path.stat().st_size
            rounds = 3 if rows <= 10**7 else 2
            found += one_size(path, rows, arguments.engines, rounds)
            if arguments.scratch is None:
                path.unlink()
                path.with_suffix(".duckdb").unlink(missing_ok=True)
    if arguments.output:
        told = {
            "versions": {
                "python": platform.python_version(),
                "numpy": np.__version__,
                "pyarrow": pa.__version__,
                "condped": condped.__version__,
            },
            "cores": len(os.sched_getaffinity(0)),
            "parameters": 10,
            "file_bytes": files,
            "runs": found,
        }
        arguments.output.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
