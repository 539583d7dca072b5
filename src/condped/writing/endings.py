"""In which form a file is written: its name's ending says."""

from __future__ import annotations

import os

from condped.errors import SettingsError
from condped.writing.places import path_of

# How the names of files end, by what is written into them.
ENDINGS = (".json", ".csv", ".parquet", ".txt", ".md", ".tex")
PAGES = (".html", ".htm")


def ending_of(path: str | os.PathLike[str], *, page: bool = False) -> str:
    """Return how a file's name ends, or raise if nothing is written in that form."""
    file = path_of(path)
    ending, known = file.suffix.lower(), (*PAGES, *ENDINGS) if page else ENDINGS
    if ending not in known:
        hint = " Only a report is a page." if ending in PAGES else ""
        raise SettingsError(
            f"The name of a file to write must end in {', '.join(known)} (got {str(file)!r}).{hint}"
        )
    return ending


def check_page(path: str | os.PathLike[str]) -> None:
    """Raise if a file's name is not that of a page."""
    if path_of(path).suffix.lower() not in PAGES:
        raise SettingsError(
            f"The name of a page must end in {' or '.join(PAGES)} (got {os.fspath(path)!r})."
        )
