"""Parsing files of JSON lines in batches, with errors and notes for invalid lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import repeat
from operator import contains
from typing import Any, cast

from condped.errors import DataError
from condped.progress import report
from condped.read.files.decompress import file_size, open_decompressed

_BYTES = 1 << 17  # read at a time
Entry = dict[str, Any]
_BLANK: Entry = {}  # a blank line


@dataclass(slots=True)
class JsonLines:
    """A file of JSON objects, one per line.

    An incomplete last line is still being written: it is left out, with a note. Other invalid
    lines raise, or are left out and counted if ``skip`` is set.

    Attributes
    ----------
    path, what
        The file, and what to call its lines: "an operation".
    skip
        Whether to leave out invalid lines.
    key
        A name that every object must have.
    is_vital
        Why an invalid line must not be left out even then; empty if it may.
    parse
        The parser of JSON.
    notes
        Notes for the user, once all batches have been read.
    """

    path: str
    what: str
    skip: bool
    key: str | None = None
    is_vital: Callable[[bytes], str] = lambda line: ""
    parse: Callable[[bytes], Any] = json.loads
    notes: list[str] = field(default_factory=list)

    def batches(self) -> Iterator[list[Entry]]:
        """Iterate over the objects, many at a time."""
        read, first, bad = 0, 0, 0  # lines so far, the first invalid one, and how many there are
        with open_decompressed(self.path) as file:
            size = file_size(self.path)
            lines = file.readlines(_BYTES)
            while lines:
                following = file.readlines(_BYTES)
                whole = self._all_parsed(lines)
                entries = list(map(self._entry, lines)) if whole is None else whole
                corrupt = [] if whole else [n for n, entry in enumerate(entries) if entry is None]
                if corrupt:
                    last = corrupt == [len(lines) - 1] and not following and not bad
                    cut = last and not lines[-1].endswith(b"\n")
                    if cut and not self.skip:
                        number = read + len(lines)
                        self.notes.append(
                            f"Line {number} of {self.path!r} is cut off and was left out."
                        )
                    for place in [] if cut else corrupt:
                        reason = self.is_vital(lines[place])
                        if reason or not self.skip:
                            remedy = reason or "or skip such lines with the option skip_corrupt"
                            raise self._error(read + place + 1, remedy)
                    first, bad = first or read + corrupt[0] + 1, bad + len(corrupt)
                read += len(lines)
                yield whole or [e for e in entries if e is not None and e is not _BLANK]
                report(f"Reading {self.path}", min(file.tell(), size), size)
                lines = following
        if bad and self.skip:
            self.notes.append(
                f"{bad} of {read} lines of {self.path!r} are not {self.what} and were left out "
                f"(first: line {first})."
            )

    def _all_parsed(self, lines: list[bytes]) -> list[Entry] | None:
        """Return the objects of all lines; None if a line is invalid."""
        try:
            # One call for many lines: the parser shares repeated keys and texts. Each line must
            # begin and end as an object, or one with two could hide one that is cut off.
            joined = b",".join(lines)
            if joined.count(b"}\n,{") == len(lines) - 1:
                entries = self.parse(b"[" + joined + b"]")
                if len(entries) == len(lines) and self._fit(entries):
                    return cast(list[Entry], entries)
        except (ValueError, RecursionError):
            pass
        return None

    def _entry(self, line: bytes) -> Entry | None:
        if not line.strip():
            return _BLANK
        try:
            entry = self.parse(line)
        except (ValueError, RecursionError):
            return None
        return entry if self._fit([entry]) else None

    def _fit(self, entries: list[Any]) -> bool:
        """Return whether all are objects with the key, without a Python step for each."""
        objects = set(map(type, entries)) == {dict}
        return objects and (self.key is None or all(map(contains, entries, repeat(self.key))))

    def _error(self, number: int, remark: str) -> DataError:
        return DataError(
            f"Line {number} of {self.path!r} is not {self.what}; {number - 1} valid lines come "
            f"before it. Correct or remove the line, {remark}.",
            first_row=number - 1,
        )
