"""Regular files; folders may also hold pipes and devices, and reading these may never end."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def is_irregular(path: str | Path) -> bool:
    """Return whether a path, known not to be a directory, is a pipe, a device or the like."""
    try:
        return not stat.S_ISREG(Path(path).stat().st_mode)
    except OSError:  # opening it will raise
        return False


def check_ends(path: str | os.PathLike[str]) -> None:
    """Raise OSError for a device, which may never end. Pipes do, and may be written for us."""
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):  # opening it will raise
        return
    if stat.S_ISCHR(mode):
        raise OSError(errno.EINVAL, "it is a device, not a file", str(path))


def regular_bytes(path: Path, most: int = -1) -> bytes:
    """Return (at ``most`` so many) bytes of a file; raise OSError if it is not a regular one."""
    if is_irregular(path):
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    with path.open("rb") as file:
        return file.read(most)
