"""Real Optuna writers on four storages, while these are read, followed and served."""

from __future__ import annotations

import json
import statistics
import subprocess
import time
from collections.abc import Sequence
from typing import Any

import psycopg

import condped
from fuzz.faults.oracle import Oracle, as_optuna_has_it, trials_of
from fuzz.faults.processes import MarkedProcesses, Server, begin, heard_of, marked, waited
from fuzz.faults.storages import KINDS, Place, loaded, places

WRITERS = 4


def writers(seconds: float, alone: float, sleep: float, kinds: Sequence[str] = KINDS) -> list[Any]:
    """Let them write for ``seconds`` beside readers, before and after that by themselves."""
    with places(kinds) as made, marked() as own:
        for place in made:
            place.create()
        before = _run_writers(made, own, alone, sleep, 0)
        left_before = {place.kind: place.files() for place in made}
        servers = [Server(own, place.source) for place in made]
        readers = [
            (place.kind, how, own.ready("fuzz.faults.reader", how, place.source, "0.5"))
            for place in made
            for how in ("reading", "following")
        ]
        beside = _run_writers(made, own, seconds, sleep, 1)
        found = [(kind, how, json.loads(_output_of(one))) for kind, how, one in readers]
        rows = []
        for place, server in zip(made, servers, strict=True):
            row = _compare_readers(place, server)
            for kind, how, told in found:
                if kind == place.kind:
                    row[how] = told
            row["left"] = sorted(set(place.files()) - set(left_before[place.kind]))
            row["connections"] = _connections(place, own)
            rows.append(row)
        left = own.left()
        after = _run_writers(made, own, alone, sleep, 2)
        for row in rows:
            kind = row["storage"]
            row["left"] += left
            row["writers"] = _summary(before[kind] + after[kind], beside[kind])
        return rows


def _run_writers(
    made: Sequence[Place], own: MarkedProcesses, seconds: float, sleep: float, phase: int
) -> dict[str, list[Any]]:
    """Run the writers, and return what those of each storage report."""
    running = [
        (place.kind, own.start("fuzz.faults.writer", place.source, str(4 * phase + number),
                               str(seconds), str(sleep)))
        for place in made
        for number in range(WRITERS)
    ]  # fmt: skip
    for _, process in running:
        heard_of(process)
    for _, process in running:
        begin(process)
    told: dict[str, list[Any]] = {place.kind: [] for place in made}
    for kind, process in running:
        told[kind].append(json.loads(_output_of(process)))
    return told


def _output_of(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate()
    if process.returncode:
        raise RuntimeError(err)
    return out


def _compare_readers(place: Place, server: Server) -> dict[str, Any]:
    """Compare what all readers see at the end with what Optuna reads, and stop the server."""
    expected = as_optuna_has_it(loaded(place.source))
    finished = sum(state != "RUNNING" for state, _, _ in expected)
    table, oracle = condped.read(place.source), Oracle()
    oracle.check(table)
    caught_up = waited(lambda: server.finished == finished)
    wrong = oracle.wrong + server.wrong
    if trials_of(table) != expected:
        wrong.append("the last read is not what Optuna reads")
    if not caught_up:
        wrong.append(f"the page shows {server.finished} of {finished} trials")
    row = {"storage": place.kind, "trials": len(expected), "finished": finished, "wrong": wrong}
    row |= {"page_updates": server.updates, "page_states": sorted(server.states)}
    row["exit_code"] = server.stop()
    row["server_said"] = [line for line in server.said if "Traceback" in line or "rror" in line]
    return row


def _connections(place: Place, own: MarkedProcesses) -> int:
    """Return how many connections to PostgreSQL readers and writers have left open."""
    if place.server is None:
        return 0
    with psycopg.connect(place.server.get_uri(), autocommit=True) as database:
        query = (
            "SELECT count(*) FROM pg_stat_activity "
            "WHERE backend_type = 'client backend' AND application_name = %s"
        )
        for _ in range(20):
            found = database.execute(query, [own.mark]).fetchone()
            if found == (0,):
                break
            time.sleep(0.1)
    return int(found[0]) if found else 0


def _summary(alone: list[Any], beside: list[Any]) -> dict[str, Any]:
    """Return errors of the writers, and what storing a trial took, in milliseconds."""
    one, other = ([took for told in group for _, took in told["took"]] for group in (alone, beside))
    errors = [[error for told in group for error in told["errors"]] for group in (alone, beside)]
    return {
        "errors_alone": errors[0],
        "errors_beside": errors[1],
        "trials_alone": len(one),
        "trials_beside": len(other),
        "median_alone": 1e3 * statistics.median(one),
        "median_beside": 1e3 * statistics.median(other),
        "longest_alone": 1e3 * max(one),
        "longest_beside": 1e3 * max(other),
    }
