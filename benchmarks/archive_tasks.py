"""What benchmarks.archive measures, each in a process of its own.

Run: python -m benchmarks.archive_tasks read|batches|memory|duckdb|singles FILE
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pyarrow.parquet as pq

import condped

TRIALS, PARAMETERS = 200, 20
SPACE = condped.Space(
    {
        f"p{place}": {"type": "float", "low": 0, "high": 1}
        if place % 4
        else {"type": "categorical", "choices": [0, 1, 2, 3]}
        for place in range(PARAMETERS)
    }
)
_READING: dict[str, Any] = {"objective": "loss", "direction": "minimize", "space": SPACE}
_FEW = "study-0000?"


def read(path: str, _: str | None) -> None:
    """Read the file."""
    pq.read_table(path)


def batches(path: str, study: str | None) -> None:
    """Compare the studies over batches of the file."""
    condped.across(path, study_column="study", study=study, engine="stream", **_READING)


def memory(path: str, study: str | None) -> None:
    """Compare the studies in memory."""
    condped.across(path, study_column="study", study=study, engine="memory", **_READING)


def duckdb(path: str, study: str | None) -> None:
    """Compare the studies in a table of DuckDB."""
    condped.across(
        "trials",
        study_column="study",
        study=study,
        order="trial",
        backend=f"duckdb://{Path(path).with_suffix('.duckdb')}",
        **_READING,
    )


def singles(path: str, study: str | None) -> None:
    """Ask for the importances of each study by itself, as without across."""
    table = pq.read_table(path)
    for name in pc.unique(table["study"]).to_pylist()[: 10 if study else None]:
        own = table.filter(pc.equal(table["study"], name)).drop_columns(["study", "trial"])
        result = condped.importance(own, intervals="jackknife", sampling="ordered", **_READING)
        _ = result.evidence


TASKS: dict[str, Callable[[str, str | None], None]] = {
    "read": read,
    "batches": batches,
    "memory": memory,
    "duckdb": duckdb,
    "singles": singles,
}


def main() -> None:
    """Run a task with ten studies, then measure it with all of them."""
    task, path = TASKS[sys.argv[1]], sys.argv[2]
    task(path, _FEW)
    started, used = time.perf_counter(), time.process_time()
    task(path, None)
    print(
        json.dumps(
            {
                "seconds": time.perf_counter() - started,
                "cpu_seconds": time.process_time() - used,
                "peak_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
            }
        )
    )


if __name__ == "__main__":
    main()
