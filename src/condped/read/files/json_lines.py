"""Files of JSON lines, one object per trial, and JSON files that hold a list of such objects."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from operator import contains
from pathlib import Path
from typing import IO, Any, cast

from condped.duplicates import first_duplicate
from condped.errors import DataError
from condped.progress import report
from condped.read.files.decompress import file_size, is_compressed, open_decompressed
from condped.read.files.many_files import load_files, partition_of
from condped.read.files.space_sidecar import with_sidecar
from condped.read.frames.mappings import flat
from condped.read.options import ReadOptions
from condped.read.table.build import build_table, no_rows
from condped.read.table.raw import RawTable
from condped.trials.columns import number_of
from condped.trials.table import TrialTable

_BYTES = 1 << 17  # read at a time
Entry = dict[str, Any]
_BLANK: Entry = {}  # a blank line


@dataclass(slots=True)
class JsonLines:
    """A file of JSON objects, one per line.

    What is appended after reading began is not read. An incomplete last line is still being
    written: it is left out, with a note. Other invalid lines raise, or are left out and counted if
    ``skip`` is set.

    Attributes
    ----------
    path, what
        The file, and what a line is called in messages: "an operation".
    skip
        Whether to leave out invalid lines.
    key
        A name that every object must have.
    problem
        Function that returns what is wrong with the first invalid object; empty if all are valid.
    must_keep
        Function that returns why an invalid line must not be left out even then; empty if it may.
    parse
        The parser of JSON.
    notes
        Notes for the user, once all batches have been read.
    ended
        Whether a line only counts once its newline has been written.
    growing
        Whether more lines will come: an incomplete last line is then left for the next pass.
    offset, read
        The bytes and lines that were read so far; iterating again continues there.
    first, bad
        The first invalid line among them, and how many there are.
    """

    path: str
    what: str
    skip: bool
    key: str | None = None
    problem: Callable[[list[Entry]], str] = lambda entries: ""
    must_keep: Callable[[bytes], str] = lambda line: ""
    parse: Callable[[bytes], Any] = json.loads
    notes: list[str] = field(default_factory=list)
    ended: bool = False
    growing: bool = False
    offset: int = 0
    read: int = 0
    first: int = 0
    bad: int = 0

    def batches(self) -> Iterator[list[Entry]]:
        """Iterate over the objects, many at a time."""
        self.notes.clear()
        with open_decompressed(self.path) as file:
            size = file_size(self.path)
            file.seek(self.offset)
            blocks = self._blocks(file, size)
            lines = next(blocks, [])
            unfinished = False
            while lines:
                following = next(blocks, [])
                if not following and self._is_left_out(lines[-1]):
                    lines.pop()
                    unfinished = not self.growing
                    if not lines:
                        break
                whole = self._all_parsed(lines)
                entries = list(map(self._entry, lines)) if whole is None else whole
                corrupt = [] if whole else [n for n, entry in enumerate(entries) if entry is None]
                if corrupt:
                    last = corrupt == [len(lines) - 1] and not following and not self.bad
                    cut = last and not lines[-1].endswith(b"\n")
                    if cut and not self.skip:
                        self._note_cut(self.read + len(lines))
                    for place in [] if cut else corrupt:
                        reason = self.must_keep(lines[place])
                        if reason or not self.skip:
                            remedy = reason or "or skip such lines with the option skip_corrupt"
                            raise self._error(self.read + place + 1, lines[place], remedy)
                yield whole or [e for e in entries if e is not None and e is not _BLANK]
                if corrupt:
                    self.first = self.first or self.read + corrupt[0] + 1
                    self.bad += len(corrupt)
                self.read += len(lines)
                self.offset += sum(map(len, lines))
                report(f"Reading {self.path}", min(file.tell(), size), size)
                lines = following
        if unfinished:
            self.read += 1
            self.bad += 1
            self.first = self.first or self.read
            if not self.skip:
                self._note_cut(self.read)
        if self.bad and self.skip:
            self.notes.append(
                f"{self.bad} of {self.read} lines of {self.path!r} are not {self.what} and were "
                f"left out (first: line {self.first})."
            )

    def _blocks(self, file: IO[bytes], size: int) -> Iterator[list[bytes]]:
        """Iterate over lists of lines, up to the end that the file had when it was opened."""
        left = math.inf if is_compressed(self.path) else size - self.offset
        while left > 0 and (lines := file.readlines(int(min(_BYTES, left)))):
            left -= sum(map(len, lines))
            if left < 0:  # the last line went on
                lines[-1] = lines[-1][: int(left)]
            yield lines

    def _is_left_out(self, line: bytes) -> bool:
        """Return whether a last line is left for the next pass, or does not count."""
        if line.endswith(b"\n"):
            return False
        return self.ended or (self.growing and self._entry(line) is None)

    def _note_cut(self, number: int) -> None:
        self.notes.append(f"Line {number} of {self.path!r} is cut off and was left out.")

    def _all_parsed(self, lines: list[bytes]) -> list[Entry] | None:
        """Return the objects of all lines; None if a line is invalid."""
        try:
            # One call for many lines: the parser shares repeated keys and texts. Each line must
            # begin and end as an object, or one with two could hide one that is cut off.
            joined = b",".join(lines)
            if joined.count(b"}\n,{") == len(lines) - 1:
                entries = self.parse(b"[" + joined + b"]")
                if len(entries) == len(lines) and self._all_have_key(entries):
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
        return entry if self._all_have_key([entry]) else None

    def _all_have_key(self, entries: list[Any]) -> bool:
        """Return whether all are objects with the key, without a Python step for each."""
        return self._are_objects(entries) and not self.problem(entries)

    def _are_objects(self, entries: list[Any]) -> bool:
        """Return whether all are objects with the key."""
        objects = set(map(type, entries)) == {dict}
        return objects and (self.key is None or all(map(contains, entries, repeat(self.key))))

    def _error(self, number: int, line: bytes, remark: str) -> DataError:
        return DataError(
            f"Line {number} of {self.path!r} is not {self.what}{self._reason(line)}; {number - 1} "
            f"valid lines come before it. Correct or remove the line, {remark}.",
            first_row=number - 1,
        )

    def _reason(self, line: bytes) -> str:
        """Return what is wrong with a line that holds an object."""
        try:
            entry = self.parse(line)
        except (ValueError, RecursionError):
            return ""
        return f" ({self.problem([entry])})" if self._are_objects([entry]) else ""


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return a file's objects as trials."""
    return read_many([source], with_sidecar(source, options))


def read_many(paths: Sequence[str], options: ReadOptions, root: Path | None = None) -> TrialTable:
    """Return the objects of several files, below a root, as trials.

    Nested objects are flattened: ``{"config": {"lr": 0.1}}`` gives ``config.lr``.
    """
    notes: list[str] = []

    def load(path: str) -> list[dict[str, Any]]:
        partition = {name: _number_or_text(text) for name, text in partition_of(path, root).items()}
        entries = _objects(path, options.skip_corrupt, notes)
        return [{**partition, **flat(entry)} for entry in entries]

    parts = load_files(paths, load, options, notes)
    records = [entry for part in parts for entry in part]
    if not records:
        raise no_rows(notes)
    return build_table(RawTable.of_records(records), options).with_notes(notes)


def _objects(path: str, skip: bool, notes: list[str]) -> list[dict[str, Any]]:
    with open_decompressed(path) as file:
        if file.read(256).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
            return _read_list(path)
    lines = JsonLines(path, "a JSON object with each name once", skip, parse=_parse)
    entries = [entry for batch in lines.batches() for entry in batch]
    notes.extend(lines.notes)
    return entries


def _number_or_text(text: str | None) -> Any:
    """Return a text as a number if it is one, else unchanged."""
    try:
        return None if text is None else int(text)
    except ValueError:
        number = number_of(text)
        return text if number is None else number


def _read_list(path: str) -> list[dict[str, Any]]:
    with open_decompressed(path) as file:
        try:
            entries = _parse(file.read())
        except (ValueError, RecursionError) as error:
            raise DataError(f"The file {path!r} is not valid JSON: {error}.") from error
    invalid = next((place for place, e in enumerate(entries) if not isinstance(e, dict)), None)
    if invalid is not None:
        raise DataError(
            f"Entry {invalid} of the list in {path!r} is not an object (got "
            f"{type(entries[invalid]).__name__}). Give one object per trial.",
            first_row=invalid,
        )
    return list(entries)


def _parse(text: bytes) -> Any:
    return json.loads(text, object_pairs_hook=_unique_names)


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object; raises if a name occurs twice, since one value would be lost."""
    entries = dict(pairs)
    if len(entries) < len(pairs):
        raise ValueError(f"an object names {first_duplicate(name for name, _ in pairs)!r} twice")
    return entries
