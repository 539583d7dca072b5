"""What every door has: a way to make inputs, a way to try one, and perhaps an oracle."""

from __future__ import annotations

import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, ClassVar

from condped.errors import CondpedError
from fuzz.case import Case, Ending, Outcome

UNPLACED = "please report this"  # what condped says of errors that no reader foresaw


class DiffersError(AssertionError):
    """Two ways to the same answer gave different ones."""


class RefusedError(Exception):
    """A proper refusal that is not a CondpedError: an exit code, a status of HTTP."""


class HangError(Exception):
    """No answer came in time, although nothing is known to be working."""


class Door(ABC):
    """A way into condped.

    Attributes
    ----------
    name
        On the command line.
    title
        In the table of the campaign.
    weight
        How many of a campaign's inputs it gets, relative to other doors.
    oracle
        What answers are compared with, for the table.
    batch
        How many inputs one worker tries.
    imports
        Modules that workers need, imported once before they are forked.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    weight: ClassVar[float] = 1.0
    oracle: ClassVar[str] = ""
    batch: ClassVar[int] = 2_000
    imports: ClassVar[tuple[str, ...]] = ()

    def __init__(self, folder: Path) -> None:
        self.folder = folder  # to write into; emptied when the worker ends

    def prepare(self) -> None:  # noqa: B027  (few doors need it; so with the next two)
        """Prepare once per process what inputs need, such as a server."""

    def close(self) -> None:  # noqa: B027
        """End what was prepared."""

    @abstractmethod
    def make(self, rng: Random) -> tuple[str, bytes]:
        """Return the form and the bytes of an input."""

    @abstractmethod
    def ask(self, what: str, data: bytes) -> Any:
        """Try an input. Whatever is raised is judged."""

    def compare(self, what: str, data: bytes, answer: Any) -> None:  # noqa: B027
        """Raise DiffersError if an answer is not the oracle's."""

    def case(self, seed: str, number: int) -> Case:
        """Return an input by its number."""
        what, data = self.make(Random(f"{seed}/{self.name}/{number}"))
        return Case(self.name, what, data)


def judged(door: Door, case: Case, before_oracle: Callable[[], None] = lambda: None) -> Ending:
    """Try a case, and say how it ended."""
    try:
        answer = door.ask(case.what, case.data)
    except CondpedError as error:
        return Ending(Outcome.UNPLACED if UNPLACED in str(error) else Outcome.TYPED)
    except RefusedError:
        return Ending(Outcome.TYPED)
    except BaseException as error:  # panics of Rust libraries are not Exceptions
        return _bad_ending(error)
    before_oracle()
    try:
        door.compare(case.what, case.data, answer)
    except CondpedError as error:  # what was answered is refused when it is asked again
        return Ending(Outcome.DIFFERS, described(error))
    except BaseException as error:
        return _bad_ending(error)
    return Ending(Outcome.ANSWER)


def _bad_ending(error: BaseException) -> Ending:
    """Return the ending of a case that ended as it must not."""
    if isinstance(error, DiffersError):
        return Ending(Outcome.DIFFERS, str(error)[:2000])
    if isinstance(error, HangError):
        return Ending(Outcome.HANG, str(error)[:2000])
    return Ending(Outcome.UNTYPED, described(error))


def described(error: BaseException) -> str:
    """Return the type of an error and the last line of condped that it went through."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/condped/" in frame.filename] or frames
    place = ours[-1] if ours else None
    where = "" if place is None else f"{place.filename.rpartition('/src/')[2]}:{place.name}"
    return f"{type(error).__name__} in {where} | {str(error)[:500]}"
