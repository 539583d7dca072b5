"""Storages that go away for a while, and come back."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import condped
from fuzz.faults.oracle import as_optuna_has_it, trials_of
from fuzz.faults.processes import MarkedProcesses, Server, marked, waited
from fuzz.faults.rows import Row
from fuzz.faults.storages import KINDS, Place, loaded, places
from fuzz.faults.studies import filled


def outages(times: int, kinds: Sequence[str] = KINDS, away: float = 3.0) -> list[Row]:
    """Take each storage away while it is read, followed and served; all must go on afterwards."""
    rows = []
    with places(kinds) as made:
        for place in made:
            with marked() as own:
                rows.append(_restart_storage(place, own, times, away))
    return rows


def _restart_storage(place: Place, own: MarkedProcesses, times: int, away: float) -> Row:
    row = Row("storage restarted", place.kind)
    place.create()
    filled(place.source, 40)
    server = Server(own, place.source)
    readers = [
        own.ready("fuzz.faults.reader", how, place.source, "0.2")
        for how in ("reading", "following")
    ]
    row.expect(waited(partial(_has_finished, server, 40)), "the page does not come")
    for number in range(times):
        with _outage(place):
            time.sleep(away)
        filled(place.source, 10)
        expected = 40 + 10 * (number + 1)
        caught_up = waited(partial(_has_finished, server, expected))
        row.expect(caught_up, f"the page stays at {server.finished}")
        row.add("answer" if server.finished == expected else "hang", str(server.wrong[-1:]))
    row.wrong += server.wrong
    row.expect(server.stop() == 0, "the server does not end well")
    for reader in readers:
        out, _ = reader.communicate(timeout=120)
        told = json.loads(out)
        row.wrong += told["wrong"]
        for module, said in told["errors"]:
            row.add("error" if module == "condped" else "untyped", said)
        row.expect(
            told["ended"] == 40 + 10 * times, f"a reader has stopped at {told['ended']} trials"
        )
    found = trials_of(condped.read(place.source, study="study"))
    row.expect(found == as_optuna_has_it(loaded(place.source)), "not what Optuna reads")
    row.expect(own.left() == [], f"left behind: {own.left()}")
    return row


def _has_finished(server: Server, finished: int) -> bool:
    return server.finished == finished


@contextmanager
def _outage(place: Place) -> Iterator[None]:
    """Crash PostgreSQL and start it again; move a file away and back."""
    if place.server is not None:
        place.control("stop", "-m", "immediate")
        yield
        place.control("start")
        return
    hidden = place.file.with_suffix(".away")
    place.file.rename(hidden)
    yield
    if place.file.exists():
        raise RuntimeError(f"{place.file.name} was made by a reader")
    hidden.rename(place.file)
