"""The decompressed size of an Arrow file, found without decompressing anything.

Its messages are read as the format is specified (Schema.fbs, Message.fbs, File.fbs):
flatbuffers, each a table whose fields are found by their numbers.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

_FILE_FORMAT = b"ARROW1"
_DICTIONARY, _RECORDS = 2, 3  # types of messages that have a body


class _Table(NamedTuple):
    """A table in a flatbuffer, by where it begins."""

    data: bytes
    start: int

    def read(self, form: str, at: int) -> int:
        (found,) = struct.unpack_from(f"<{form}", self.data, at)
        return int(found)

    def field(self, number: int) -> int | None:
        """Return where a field begins; None if it is not there."""
        fields = self.start - self.read("i", self.start)
        if 4 + 2 * number >= self.read("H", fields):
            return None
        offset = self.read("H", fields + 4 + 2 * number)
        return self.start + offset if offset else None

    def number(self, number: int, form: str) -> int:
        at = self.field(number)
        return 0 if at is None else self.read(form, at)

    def table(self, number: int) -> _Table | None:
        at = self.field(number)
        return None if at is None else _Table(self.data, at + self.read("I", at))

    def structs(self, number: int, form: str) -> Iterator[tuple[int, ...]]:
        """Iterate over a vector of structures."""
        at = self.field(number)
        if at is None:
            return
        at += self.read("I", at)
        size = struct.calcsize(f"<{form}")
        for place in range(self.read("I", at)):
            yield struct.unpack_from(f"<{form}", self.data, at + 4 + place * size)


def expanded_bytes(path: str) -> int:
    """Return the bytes of all buffers of an Arrow file once they are decompressed.

    Raises struct.error if it is damaged.
    """
    with Path(path).open("rb") as file:
        if file.read(len(_FILE_FORMAT)) == _FILE_FORMAT:
            return sum(_message(file, start)[0] for start in _blocks(file))
        total = start = 0
        while True:
            found, end = _message(file, start)
            if end <= start:
                return total
            total, start = total + found, end


def _blocks(file: IO[bytes]) -> Iterator[int]:
    """Iterate over where the messages of a file in the file format begin."""
    file.seek(-len(_FILE_FORMAT) - 4, 2)
    end = file.tell()
    (size,) = struct.unpack("<i", file.read(4))
    file.seek(end - size)
    footer = file.read(size)
    root = _Table(footer, *struct.unpack_from("<I", footer))
    for vector in (2, 3):  # dictionaries and records
        yield from (start for start, _, _ in root.structs(vector, "qi4xq"))


def _message(file: IO[bytes], start: int) -> tuple[int, int]:
    """Return the decompressed bytes of a message, and where the next begins (0: nowhere)."""
    file.seek(start)
    begins = file.read(4)
    if begins == b"\xff\xff\xff\xff":
        begins = file.read(4)
    if len(begins) < 4 or not any(begins):
        return 0, 0
    data = file.read(*struct.unpack("<I", begins))
    body = file.tell()
    message = _Table(data, *struct.unpack_from("<I", data))
    kind, end = message.number(1, "B"), body + message.number(3, "q")
    records = message.table(2)
    if kind == _DICTIONARY and records is not None:
        records = records.table(1)
    if kind not in (_DICTIONARY, _RECORDS) or records is None:
        return 0, end
    compressed = records.table(3) is not None
    total = 0
    for offset, length in records.structs(2, "qq"):
        if compressed and length > 0:  # a buffer begins with its size; -1: not compressed
            file.seek(body + offset)
            (size,) = struct.unpack("<q", file.read(8))
            total += size if size >= 0 else length
        else:
            total += max(length, 0)
    return total, end
