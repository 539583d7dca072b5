"""The first bytes of a file, read without harm to other parts of this process that write to it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_OPEN = Path("/dev/fd")  # the files that this process has open, by their numbers


def first_bytes(path: Path, size: int) -> bytes:
    """Return the first bytes of a file.

    By POSIX, closing a file drops all locks that this process has on it, SQLite's included. So a
    file that is already open is read through its open descriptor.
    """
    known = path.stat()
    with suppress(OSError):  # there is no such directory
        for entry in os.listdir(_OPEN):  # noqa: PTH208  (names are numbers)
            with suppress(OSError):  # closed meanwhile, or open for writing only
                if os.path.samestat(os.fstat(int(entry)), known):
                    return os.pread(int(entry), size, 0)
    with path.open("rb") as file:
        return file.read(size)
