"""One input: which door it goes to, in which form, and its bytes."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any


class Outcome(IntEnum):
    """How an input ended; what comes after ``ANSWER`` must not happen."""

    NONE = 0  # not tried yet
    TYPED = 1  # an error of condped.errors, exit code 2, or a status of HTTP from 400 to 499
    UNPLACED = 2  # the same, but the message says no more than that the source may be damaged
    ANSWER = 3
    UNTYPED = 4
    DEATH = 5
    HANG = 6
    DIFFERS = 7

    @property
    def bad(self) -> bool:
        """Whether it must not happen."""
        return self > Outcome.ANSWER


@dataclass(frozen=True, slots=True)
class Case:
    """An input.

    Attributes
    ----------
    door
        The name of the door.
    what
        The form of the input that the door knows, such as the name of the file.
    data
        The input itself.
    """

    door: str
    what: str
    data: bytes

    def save(self, path: Path, **about: Any) -> None:
        """Write it where ``python -m fuzz --replay`` finds it; texts as texts."""
        entry: dict[str, Any] = {"door": self.door, "what": self.what}
        try:
            entry["text"] = self.data.decode("ascii")
        except UnicodeDecodeError:
            entry["packed"] = base64.b64encode(zlib.compress(self.data, 9)).decode("ascii")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(entry | about, indent=1) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Case:
        """Return a case that was saved."""
        entry = json.loads(path.read_text(encoding="utf-8"))
        if "text" in entry:
            data = entry["text"].encode("ascii")
        else:
            data = zlib.decompress(base64.b64decode(entry["packed"]))
        return cls(entry["door"], entry["what"], data)


@dataclass(frozen=True, slots=True)
class Ending:
    """How a case ended; for what must not happen also what happened, and where."""

    outcome: Outcome
    detail: str = ""
    by_force: bool = False  # the worker could not say it itself

    @property
    def kind(self) -> str:
        """What failures of the same cause have in common."""
        return f"{self.outcome.name.lower()}: {self.detail.partition(' | ')[0]}"
