"""Paths as users write them."""

from __future__ import annotations

import os
from pathlib import Path

from condped.errors import SourceError
from condped.safe_text import brief


def expanded(source: str) -> str:
    """Return a path with ~ replaced by the home directory, if there is one.

    Raises if no file can have this name: it is too long, or holds a zero byte.
    """
    path = os.path.expanduser(source)  # noqa: PTH111  (Path.expanduser raises on ~nobody)
    try:
        Path(path).exists()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise SourceError(
            f"{brief(source)} cannot be opened: {reason}. Give the path of a file, or of a "
            "directory."
        ) from error
    if "\0" in path:  # which exists() accepts
        raise SourceError(f"{brief(source)} cannot be opened: a path cannot contain zero bytes.")
    return path
