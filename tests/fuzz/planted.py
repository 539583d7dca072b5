"""A door behind which everything happens that must not, for the tests of the campaign."""

from __future__ import annotations

import os
import signal
import time
from random import Random
from typing import Any

from condped.errors import DataError
from fuzz.door import DiffersError, Door, RefusedError

ENDINGS = (
    "answer",
    "typed",
    "refused",
    "untyped",
    "death",
    "exit",
    "hang",
    "wait",
    "differs",
    "refuses",
)


class Planted(Door):
    """What is asked for by its name happens."""

    name = "planted"
    title = "Planted failures"
    batch = 20

    def make(self, rng: Random) -> tuple[str, bytes]:
        quick = [ending for ending in ENDINGS if ending not in ("hang", "wait")]
        ending = rng.choice((*quick, *quick, *quick, "hang", "wait"))
        return "planted", f"one\ntwo\n{ending}\nfour\n".encode()

    def ask(self, what: str, data: bytes) -> Any:
        for word in data.decode().split():
            if word == "typed":
                raise DataError("as it should be")
            if word == "refused":
                raise RefusedError("as it should be")
            if word == "untyped":
                raise ZeroDivisionError("nobody expects this")
            if word == "death":
                os.kill(os.getpid(), signal.SIGSEGV)
            if word == "exit":
                os._exit(3)
            while word == "hang":
                pass
            if word == "wait":
                time.sleep(3600)
        return data

    def compare(self, what: str, data: bytes, answer: Any) -> None:
        if b"differs" in data:
            raise DiffersError("two answers")
        if b"refuses" in data:
            raise DataError("what was answered is refused the second time")
