"""The numbers of docs/trust/scale.md, as measured by benchmarks.scale, .workers and .archive.

Run: python -m benchmarks.scale_page
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "trust" / "scale.md"
_ENGINES = {
    "scan": "plain scan",
    "stream": "files in batches",
    "duckdb": "DuckDB through Ibis",
}
_WORKERS = {
    "stream": "files in batches, threads",
    "duckdb": "DuckDB, threads",
    "spark": "Spark, task slots",
    "ray": "Ray Data, workers",
}
_ARCHIVES = {
    "read": "the file read by pyarrow",
    "trials": "the file read by `condped.read`",
    "batches": "`across`, in batches",
    "memory": "`across`, in memory",
    "duckdb": "`across`, a table of DuckDB",
    "singles": "`importance`, study by study",
}
_TASKS = {"scan": "", "one": "one γ'", "many": "99 γ'"}
# The plan: rows, workers, cores of each, bytes per second that each reads.
_ROWS, _MACHINES, _CORES, _READS = 1e12, 100, 16, 1e9
_WIDE, _NARROW = 42.1, 8.6  # bytes per row of the table measured, and of its objective
_NARROW_PASSES = 2


def page(text: str, scale: dict[str, Any], workers: dict[str, Any], archive: dict[str, Any]) -> str:
    """Return the page with its numbers filled in anew."""
    for name, lines in (
        ("measured", [*_sizes(scale), "", *_one_and_two(workers), "", *_shuffled(workers)]),
        ("archive", _archive(archive)),
        ("plan", _plan(workers)),
    ):
        start = text.index("-->\n", text.index(f"<!-- {name}:")) + 4
        end = text.index("<!-- end -->", start)
        text = text[:start] + "\n".join(lines) + "\n" + text[end:]
    return text


def _sizes(scale: dict[str, Any]) -> list[str]:
    lines = [
        "## Measured",
        "",
        "10 parameters with conditions, one Parquet file of 42 bytes a row, in the page cache, "
        f"{scale['cores']} cores.",
        "A plain scan reads the same columns in batches on all cores and sums them up. Each run in",
        "a fresh process, the best of two or three rounds; ratios are to the scan of the same "
        "round ([benchmarks/scale.json](../../benchmarks/scale.json)).",
        "",
        "| rows | source | | seconds | × the scan | × its processor time | peak memory |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {run['rows']:,} | {_ENGINES[run['engine']]} | {_TASKS[run['task']]} | "
        f"{run['seconds']:.2f} | {run['ratio']:.2f} | {run['cpu_ratio']:.2f} | "
        f"{run['peak_bytes'] / 1e6:.0f} MB |"
        for run in scale["runs"]
    ]
    lines += ["", *_linear(scale)]
    return lines


def _linear(scale: dict[str, Any]) -> list[str]:
    """Return how the time grows with the rows, and what is spent after counting."""
    times = {(run["engine"], run["task"], run["rows"]): run for run in scale["runs"]}
    sizes = sorted({run["rows"] for run in scale["runs"]})
    lines = []
    for task in ("one", "many"):
        per_row = [f"{1e9 * times['stream', task, rows]['seconds'] / rows:.0f}" for rows in sizes]
        after = [f"{1e3 * times['stream', task, rows]['seconds_after']:.0f}" for rows in sizes]
        lines.append(
            f"Files in batches, {_TASKS[task]}: {', '.join(per_row)} ns a row at "
            f"{', '.join(f'{rows:,}' for rows in sizes)} rows; {', '.join(after)} ms after "
            "counting."
        )
    return lines


def _one_and_two(workers: dict[str, Any]) -> list[str]:
    """Return what the model predicts for two workers, beside what two took."""
    sizes = sorted({run["rows"] for run in workers["runs"]})
    lines = [
        "### One worker and two",
        "",
        f"One γ' at {sizes[0]:,} and {sizes[1]:,} rows. The two sizes on one worker give the time "
        "per row (c in the",
        "model below) and the fixed time (t₀). What these predict for two workers at the larger",
        "size is compared with what two workers took, on a machine with "
        f"{workers['cores']} cores ([benchmarks/workers.json](../../benchmarks/workers.json)).",
        "",
        "| | c, µs a row | t₀, s | two workers: predicted, s | measured, s | difference |",
        "|---|---|---|---|---|---|",
    ]
    for engine, model in workers["models"].items():
        predicted, measured = model["predicted_two_workers"], model["measured_two_workers"]
        lines.append(
            f"| {_WORKERS[engine]} | {1e6 * model['seconds_per_row']:.2f} | "
            f"{model['seconds_beside']:.2f} | {predicted:.2f} | {measured:.2f} | "
            f"{100 * (measured / predicted - 1):+.0f} % |"
        )
    return lines


def _shuffled(workers: dict[str, Any]) -> list[str]:
    runs = [run for run in workers["runs"] if run["engine"] == "spark" and run["workers"] == 2]
    told = "; ".join(
        f"{run['shuffled_bytes'] / 1e6:.2f} MB of {run['rows']:,} rows" for run in runs
    )
    return [f"Shuffled by Spark, all stages together: {told}."]


def _archive(archive: dict[str, Any]) -> list[str]:
    """Return how long the comparison of many studies takes."""
    lines = [
        f"Studies of {archive['trials']} trials and {archive['parameters']} parameters each, in "
        "one Parquet file, one core",
        "([benchmarks/archive.json](../../benchmarks/archive.json)); processor time, with "
        f"intervals and verdicts for all, the best of {archive['rounds']}",
        "runs on a machine that was busy with other work.",
        "",
        "| studies | | seconds | ms a study | × reading the file | peak memory |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {run['studies']:,} | {_ARCHIVES[run['task']]} | {run['cpu_seconds']:.2f} | "
        f"{1e3 * run['cpu_seconds'] / run['studies']:.2f} | {run['cpu_ratio']:,.0f} | "
        f"{run['peak_bytes'] / 1e6:.0f} MB |"
        for run in archive["runs"]
    ]
    return lines


def _plan(workers: dict[str, Any]) -> list[str]:
    read = _ROWS * (_WIDE + _NARROW_PASSES * _NARROW)
    reading = read / (_MACHINES * _READS)
    lines = [
        f"- bytes read: {read / 1e12:.0f} TB, {reading:.0f} s at {_READS / 1e9:g} GB/s a worker",
    ]
    for engine, model in workers["models"].items():
        counting = model["seconds_per_row"] * _ROWS / (_MACHINES * _CORES)
        bound = "counting" if counting > reading else "reading"
        lines.append(
            f"- counting at the rate of {_WORKERS[engine].split(',')[0]}: {counting:.0f} s, so "
            f"{max(counting, reading) / 60:.0f} minutes in total, bound by {bound}"
        )
    return lines


def main() -> None:
    """Fill the page in."""
    found = (
        json.loads((ROOT / "benchmarks" / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("scale", "workers", "archive")
    )
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), *found), encoding="utf-8")


if __name__ == "__main__":
    main()
