"""The one way of writing a file: whole, or not at all.

The bytes go into a file beside it, ``.condped-*.part``, which is then renamed. A process that is
killed leaves the old file or the new one, and at worst also such a part, which can be deleted.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from secrets import token_hex
from typing import IO

from condped.writing.places import place_of

_PRIVATE, _USUAL = 0o600, 0o666  # the second as restricted by the umask


def write_text(text: str, path: str | os.PathLike[str]) -> None:
    """Write a text to a file, as UTF-8; an existing file is replaced as a whole."""
    with whole_file(path) as file:
        file.write(encoded(text))


def encoded(text: str) -> bytes:
    r"""Return a text as UTF-8; lone surrogates, which cannot be encoded, become ``\udc80``."""
    return text.encode("utf-8", "backslashreplace")


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Yield an open file, which replaces the one at a path once it is written.

    A link stays, and the file that it leads to is replaced; permissions stay as they were. What
    cannot be replaced, such as a pipe or /dev/stdout, gets the bytes at the end.
    """
    place = place_of(path)
    try:
        if place.special:
            content = BytesIO()
            yield content
            _write_to(place.path, content.getvalue())
        else:
            with _beside(place.path, place.known) as file:
                yield file
    except OSError as error:
        if error.errno is None:
            raise
        # If the disk is full, the error names no file; otherwise it may name the part.
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


@contextmanager
def _beside(target: Path, known: os.stat_result | None) -> Iterator[IO[bytes]]:
    if known is not None:
        os.close(os.open(target, os.O_WRONLY))  # raises for a user who may not write to it
    # An unguessable name, so that nobody can place a link there; hidden files are not trials.
    part = target.with_name(f".condped-{token_hex(8)}.part")
    opened = open(part, "xb", opener=_private if known else _usual)  # noqa: SIM115
    try:  # from here on the part is our own
        with opened as file:
            if known is not None:
                _protect_as(file.fileno(), target, known)
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
        _synchronise(target.parent)
    finally:
        part.unlink(missing_ok=True)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, _PRIVATE)


def _usual(path: str, flags: int) -> int:
    return os.open(path, flags, _USUAL)


def _protect_as(file: int, old: Path, known: os.stat_result) -> None:
    """Give an open file the permissions of another one, and its owner as far as that is allowed."""
    mode = known.st_mode & 0o777
    try:
        os.fchown(file, known.st_uid, known.st_gid)
    except OSError:
        try:
            os.fchown(file, -1, known.st_gid)
        except OSError:  # another group must not get the permissions of the old one
            mode = mode & 0o707 | (mode & 0o007) << 3 & mode
    with suppress(OSError, AttributeError):  # extended attributes, such as access control lists
        for name in os.listxattr(old):
            os.setxattr(file, name, os.getxattr(old, name))
    os.fchmod(file, mode)


def _synchronise(folder: Path) -> None:
    """Make the new name durable, if the file system can."""
    with suppress(OSError):
        directory = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)


def append_text(text: str, path: str | os.PathLike[str]) -> None:
    """Append a text to a file in one write; create the file if there is none."""
    place_of(path)
    content = encoded(text)
    with open(path, "ab", buffering=len(content) + 1) as file:  # noqa: PTH123
        file.write(content)
        file.flush()
        with suppress(OSError):  # a pipe
            os.fsync(file.fileno())


def _write_to(path: Path, content: bytes) -> None:
    """Append to a pipe, a device or an open file."""
    with open(os.open(path, os.O_WRONLY | os.O_APPEND), "wb") as file:  # noqa: PTH123
        file.write(content)
