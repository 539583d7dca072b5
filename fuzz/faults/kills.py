"""kill -9 at random moments: of condped while it reads and writes, and of writers of trials."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import time
from collections.abc import Sequence
from functools import partial

import condped
from fuzz.faults.oracle import Oracle, as_optuna_has_it, trials_of
from fuzz.faults.processes import MarkedProcesses, begin, ended, marked
from fuzz.faults.rows import Row
from fuzz.faults.storages import KINDS, Place, loaded, places
from fuzz.faults.studies import filled


def readers_killed(times: int, seed: int, kinds: Sequence[str] = KINDS) -> list[Row]:
    """Kill condped while it reads a storage that is being written; the writer notices nothing."""
    rng, rows = random.Random(seed), []
    with places(kinds) as made, marked() as own, marked() as writing:
        for place in made:
            row = Row("kill -9 of condped", f"reading {place.kind}")
            place.create()
            filled(place.source, 200)
            writer = writing.ready("fuzz.faults.writer", place.source, "1", "3600", "0.02")
            begin(writer)
            begun = time.monotonic()
            whole = ended(_reading(own, place, "summary"))
            row.add(whole.kind, whole.said)
            longest = time.monotonic() - begun
            for _ in range(times):
                process = _reading(own, place, rng.choice(["importance", "summary", "sweep"]))
                time.sleep(rng.uniform(0.1, 1.0) * longest)
                process.send_signal(signal.SIGKILL)
                end = ended(process)
                row.add(end.kind, end.said)
            row.expect(writer.poll() is None, "the writer has ended")
            _check_sound(place, row)
            writer.send_signal(signal.SIGKILL)
            writer.communicate()
            _check_same_trials(place, row)
            row.expect(own.alive() == [], f"processes are left: {own.alive()}")
            rows.append(row)
    return rows


def _reading(own: MarkedProcesses, place: Place, command: str) -> subprocess.Popen[str]:
    return own.start("condped", command, place.source, "--study", "study")


def writers_killed(times: int, seed: int, kinds: Sequence[str] = KINDS) -> list[Row]:
    """Kill writers in the middle of trials; what is left must be read as Optuna reads it."""
    rng, rows = random.Random(seed), []
    with places(kinds) as made, marked() as own:
        for place in made:
            row = Row("kill -9 of a writer", place.kind)
            place.create()
            oracle = Oracle()
            for number in range(times):
                process = own.ready("fuzz.faults.writer", place.source, str(number), "3600", "0")
                begin(process)
                time.sleep(rng.uniform(0, 1))
                process.send_signal(signal.SIGKILL)
                process.communicate()
                try:
                    oracle.check(condped.read(place.source, study="study"))
                    row.add("answer")
                except condped.errors.CondpedError as error:
                    # What a writer had begun is rolled back by the next one, not by a reader.
                    row.add("error", str(error))
                _check_same_trials(place, row)
            row.wrong += oracle.wrong
            rows.append(row)
    return rows


def outputs_killed(times: int, seed: int) -> list[Row]:
    """Kill condped while it replaces files; each must be the old one or the new one."""
    rng, rows = random.Random(seed), []
    for ending in (".html", ".json", ".csv", ".parquet"):
        row = Row("kill -9 of condped", f"writing {ending}")
        with places(["SQLite"]) as (place,), marked() as own:
            place.create()
            filled(place.source, 400)
            output = place.folder / f"out{ending}"
            kept = place.folder / "kept"
            command = "report" if ending == ".html" else "importance"

            asked = ("condped", command, place.source, "--output", str(output))
            write = partial(own.start, *asked)
            begun = time.monotonic()
            whole = ended(write())
            longest = time.monotonic() - begun
            row.add(whole.kind, whole.said)
            kept.write_bytes(output.read_bytes())
            filled(place.source, 50)
            whole = ended(write())
            row.add(whole.kind, whole.said)
            allowed = {kept.read_bytes(), output.read_bytes()}
            for _ in range(times):
                output.write_bytes(kept.read_bytes())
                process = write()
                # Files are written at the end.
                time.sleep(rng.uniform(0.5, 1.02) * longest)
                process.send_signal(signal.SIGKILL)
                end = ended(process)
                row.add(end.kind, end.said)
                row.expect(output.read_bytes() in allowed, f"{output.name} is neither old nor new")
        rows.append(row)
    return rows


def _check_sound(place: Place, row: Row) -> None:
    """Check that a database is sound, and can be written."""
    if place.kind.startswith("SQLite"):
        with sqlite3.connect(place.file, timeout=30) as database:
            found = database.execute("PRAGMA integrity_check").fetchall()
        database.close()
        row.expect(found == [("ok",)], f"integrity_check says {found[:3]}")
    study = loaded(place.source)
    before = len(study.trials)
    filled(place.source, 1)
    row.expect(len(study.trials) > before, "nothing can be written any more")


def _check_same_trials(place: Place, row: Row) -> None:
    expected = as_optuna_has_it(loaded(place.source))
    found = trials_of(condped.read(place.source, study="study"))
    row.expect(found == expected, f"condped reads {len(found)} trials, not as Optuna does")
