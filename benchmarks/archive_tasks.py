"""What benchmarks.archive measures, each in a process of its own.

Run: python -m benchmarks.archive_tasks read|trials|batches|memory|duckdb|singles FILE
"""

from __future__ import annotations

import json
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


def trials(path: str, _: str | None) -> None:
    """Read the file into a table of trials, all values checked."""
    condped.read(path, **_READING)


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
    """Compute the importances of each study by itself, as without across."""
    table = pq.read_table(path)
    for name in pc.unique(table["study"]).to_pylist()[: 10 if study else None]:
        own = table.filter(pc.equal(table["study"], name)).drop_columns(["study", "trial"])
        result = condped.importance(own, intervals="jackknife", sampling="ordered", **_READING)
        _ = result.evidence


TASKS: dict[str, Callable[[str, str | None], None]] = {
    "read": read,
    "trials": trials,
    "batches": batches,
    "memory": memory,
    "duckdb": duckdb,
    "singles": singles,
}


def _peak_bytes() -> int:
    """Return the peak memory of this process, without that of its parent."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])


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
                "peak_bytes": _peak_bytes(),
            }
        )
    )


if __name__ == "__main__":
    main()
