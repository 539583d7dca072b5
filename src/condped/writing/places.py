"""Where bytes written to a path go: through links, and into what kind of file."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Any, NamedTuple

from condped.errors import DataError, SettingsError

_REFUSED = {
    stat.S_IFDIR: "a directory",
    stat.S_IFBLK: "a block device",
    stat.S_IFSOCK: "a socket",
}


class Place(NamedTuple):
    """Where a file is written.

    Attributes
    ----------
    path
        The file itself, behind symbolic links.
    known
        What is known about it; None: it does not exist yet.
    special
        Whether it is written to as it is, since it cannot be replaced: a pipe, a device, a
        descriptor of this process such as /dev/stdout.
    """

    path: Path
    known: os.stat_result | None
    special: bool


def path_of(path: Any) -> Path:
    """Return the path of a file to write, or raise if it is not a valid path."""
    try:
        text = os.fsdecode(path)
        possible = b"\0" not in os.fsencode(text)
    except TypeError:
        raise SettingsError(
            "An output file must be given by its path (got an object of type "
            f"{type(path).__name__}). Give a string or a pathlib.Path."
        ) from None
    except UnicodeEncodeError:
        possible = False
    if not possible:
        raise SettingsError(
            f"No file can be named {text!r}: it contains a character that no file system allows. "
            "Choose another name."
        )
    if not text:
        raise SettingsError("The name of the output file is empty. Give one such as result.json.")
    return Path(text)


def place_of(path: Any) -> Place:
    """Return where bytes written to a path go, or raise if no file can be there."""
    named = path_of(path)
    try:
        known = named.stat()
    except (FileNotFoundError, NotADirectoryError):
        return Place(_new(named), None, special=False)
    except OSError as error:
        if error.errno not in (errno.ENAMETOOLONG, errno.ELOOP):
            raise
        raise SettingsError(
            f"Cannot write to {_short(str(named))} ({error.strerror}). Choose another name."
        ) from None
    kind = _REFUSED.get(stat.S_IFMT(known.st_mode))
    if kind is not None:
        raise SettingsError(f"{str(named)!r} is {kind}, not a file. Name a file to write.")
    if not stat.S_ISREG(known.st_mode) or _is_descriptor(named):
        return Place(named, known, special=True)
    return Place(_behind_links(named), known, special=False)


def _new(named: Path) -> Path:
    path = _behind_links(named)  # a link may exist without its target
    if not path.parent.is_dir():
        raise DataError(
            f"There is no directory {str(path.parent)!r} to write {path.name!r} in. Create it, or "
            "choose another."
        )
    return path


def _behind_links(path: Path) -> Path:
    """Return the path itself unless it is a link, so that messages show what the user wrote."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def _is_descriptor(path: Path) -> bool:
    """Return whether a path leads to an open file through a process's table of descriptors."""
    while path.is_symlink():
        if os.path.realpath(path.parent).startswith("/proc/"):
            return True
        path = path.parent / path.readlink()
    return False


def _short(text: str) -> str:
    return repr(text) if len(text) <= 80 else f"{text[:80]!r}…"
