"""Files inside a folder, which may hold pipes and devices as well: reading these may never end."""

from __future__ import annotations

import errno
import stat
from pathlib import Path


def is_irregular(path: str | Path) -> bool:
    """Return whether something that is no directory is no file either; links are followed."""
    try:
        return not stat.S_ISREG(Path(path).stat().st_mode)
    except OSError:  # opening it says why
        return False


def regular_bytes(path: Path, most: int = -1) -> bytes:
    """Return the bytes of a file, or at ``most`` so many; anything but a file is an OSError."""
    if is_irregular(path):
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    with path.open("rb") as file:
        return file.read(most)
