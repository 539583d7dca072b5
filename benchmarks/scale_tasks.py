"""What benchmarks.scale measures, each in a process of its own.

Run: python -m benchmarks.scale_tasks scan|one|many FILE [ENGINE], beside a trials_few.parquet
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import condped
from condped.progress import reporting

_SVM, _KNN, _MLP = (f"learner == '{learner}'" for learner in ("svm", "knn", "mlp"))
SPACE = condped.Space(
    {
        "gate": {"type": "float", "low": 0, "high": 1},
        "learner": {"type": "categorical", "choices": ["svm", "knn", "mlp"]},
        "rate": {"type": "float", "low": 1e-5, "high": 1, "log": True},
        "depth": {"type": "int", "low": 1, "high": 20},
        "switched": [
            {"type": "float", "low": -5, "high": 0, "when": "gate < 0.5"},
            {"type": "float", "low": 0, "high": 5, "when": "gate >= 0.5"},
        ],
        "gamma": {"type": "float", "low": 1e-4, "high": 10, "log": True, "when": _SVM},
        "neighbours": {"type": "int", "low": 1, "high": 50, "when": _KNN},
        "width": {"type": "int", "low": 8, "high": 1024, "log": True, "when": _MLP},
        "dropout": {"type": "float", "low": 0, "high": 1, "when": _MLP},
        "momentum": {"type": "float", "low": 0, "high": 1},
    }
)


def scan(path: str) -> None:
    """Read all columns in batches, a row group to each core at a time, and sum them up."""

    def total(group: int) -> float:
        found = 0.0
        with pq.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20) as file:
            for batch in file.iter_batches(1 << 16, row_groups=[group], use_threads=False):
                for column in batch.columns:
                    whole = column.indices if pa.types.is_dictionary(column.type) else column
                    found += pc.sum(whole).as_py() or 0
        return found

    groups = pq.read_metadata(path).num_row_groups
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as workers:
        sum(workers.map(total, range(groups)))


def source(path: str, engine: str) -> Any:
    """Return the trials: the file, or the same rows as a table of DuckDB through Ibis."""
    if engine == "stream":
        return path
    import ibis  # noqa: PLC0415

    return ibis.duckdb.connect(Path(path).with_suffix(".duckdb"), read_only=True).table("trials")


def one(path: str, engine: str) -> None:
    """Estimate importances with one target quantile."""
    condped.importance(source(path, engine), objective="loss", space=SPACE, engine="stream")


def many(path: str, engine: str) -> None:
    """Estimate importances with 99 target quantiles."""
    quantiles = [percent / 100 for percent in range(1, 100)]
    condped.sweep(
        source(path, engine),
        target_quantiles=quantiles,
        objective="loss",
        space=SPACE,
        engine="stream",
    )


def main() -> None:
    """Run the task that the command line names, and print what it took."""
    task, path, *engine = [entry for entry in sys.argv[1:] if entry]
    tasks: dict[str, Callable[..., None]] = {"scan": scan, "one": one, "many": many}
    last = [0.0]

    def hear(what: str, done: float, total: float) -> None:
        last[0] = time.perf_counter()

    tasks[task](str(Path(path).with_name("trials_few.parquet")), *engine)
    start, begun = time.perf_counter(), time.process_time()
    last[0] = start
    with reporting(hear):
        tasks[task](path, *engine)
    end = time.perf_counter()
    # The kernel's own high-water mark: what getrusage says may be the parent's.
    status = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    (peak,) = [line.split()[1] for line in status if line.startswith("VmHWM")]
    print(
        json.dumps(
            {
                "seconds": end - start,
                "cpu_seconds": time.process_time() - begun,
                "seconds_after": end - last[0] if last[0] > start else 0.0,
                "peak_bytes": 1024.0 * int(peak),
            }
        )
    )


if __name__ == "__main__":
    main()
