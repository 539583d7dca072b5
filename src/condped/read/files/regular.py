"""Regular files; folders may also hold pipes and devices, and reading these may never end."""

from __future__ import annotations

import errno
import stat
from pathlib import Path


def is_irregular(path: str | Path) -> bool:
    """Return whether a path, known not to be a directory, is a pipe, a device or the like."""
    try:
        return not stat.S_ISREG(Path(path).stat().st_mode)
    except OSError:  # opening it will raise
        return False


def regular_bytes(path: Path, most: int = -1) -> bytes:
    """Return (at ``most`` so many) bytes of a file; raise OSError if it is not a regular one."""
    if is_irregular(path):
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    with path.open("rb") as file:
        return file.read(most)
