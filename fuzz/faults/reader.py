"""A process that reads a study again and again while it is written.

Run: python -m fuzz.faults.reader (reading | following) SOURCE PAUSE

It says when it is ready, and reads until its standard input ends, and once more.
"""

from __future__ import annotations

import json
import select
import sys
import time
import warnings
from collections.abc import Callable

import condped
from fuzz.faults.oracle import Oracle
from fuzz.faults.storages import NAME


def reading(source: str) -> Callable[[], condped.TrialTable]:
    """Return a function that reads everything, and computes importances on the way."""

    def read() -> condped.TrialTable:
        table = condped.read(source, study=NAME)
        if len(table):
            condped.importance(table)
        return table

    return read


def following(source: str) -> Callable[[], condped.TrialTable]:
    """Return a function that reads only what is new."""
    followed = condped.follow(source, study=NAME)

    def read() -> condped.TrialTable:
        followed.update()
        return followed.table

    return read


def main() -> None:
    """Read until the standard input ends, and print what was seen."""
    how, source = sys.argv[1:3]
    pause = float(sys.argv[3])
    warnings.simplefilter("ignore")
    oracle, errors = Oracle(), []
    read: Callable[[], condped.TrialTable] | None = None
    took: list[float] = []
    print("ready", flush=True)
    last = False
    while not last:
        # The last read begins after the process that closes the input has seen all others end.
        last = bool(select.select([sys.stdin], [], [], pause)[0])
        begun = time.monotonic()
        try:
            read = read or {"reading": reading, "following": following}[how](source)
            oracle.check(read())
        except Exception as error:  # counted by its type
            errors.append(
                [type(error).__module__.split(".")[0], f"{type(error).__name__}: {error}"]
            )
        took.append(time.monotonic() - begun)
    told = {"reads": oracle.reads, "ended": oracle.ended, "wrong": oracle.wrong}
    print(json.dumps({**told, "errors": errors, "longest": max(took)}), flush=True)


if __name__ == "__main__":
    main()
