"""The format of a file to write, determined by the ending of its name."""

from __future__ import annotations

import os

from condped.errors import SettingsError
from condped.writing.places import path_of

# How the names of files that can be written end.
ENDINGS = (".json", ".csv", ".parquet", ".txt", ".md", ".tex")
PAGES = (".html", ".htm")


def ending_of(path: str | os.PathLike[str], *, page: bool = False) -> str:
    """Return the ending of a file's name; raise if that format cannot be written."""
    file = path_of(path)
    ending, known = file.suffix.lower(), (*PAGES, *ENDINGS) if page else ENDINGS
    if ending not in known:
        hint = " Only a report can be written as a page." if ending in PAGES else ""
        raise SettingsError(
            f"The name of a file to write must end in {', '.join(known)} (got {str(file)!r}).{hint}"
        )
    return ending


def check_page(path: str | os.PathLike[str]) -> None:
    """Raise if a file's name does not end like that of a page."""
    if path_of(path).suffix.lower() not in PAGES:
        raise SettingsError(
            f"The name of a page must end in {' or '.join(PAGES)} (got {os.fspath(path)!r})."
        )
