"""Files to write: in which form, and never in place of what is read."""

from __future__ import annotations

import os
from glob import glob
from pathlib import Path
from typing import Any

from condped.errors import SettingsError

# How the names of files end, by what is written into them.
ENDINGS = (".json", ".csv", ".parquet", ".txt")
PAGES = (".html", ".htm")


def ending_of(path: str | os.PathLike[str], *, page: bool = False) -> str:
    """Return how a file's name ends, or raise if nothing is written in that form."""
    ending, known = Path(path).suffix.lower(), (*PAGES, *ENDINGS) if page else ENDINGS
    if ending not in known:
        hint = " Only a report is a page." if ending in PAGES else ""
        raise SettingsError(
            f"The name of a file to write must end in {', '.join(known)} (got "
            f"{os.fspath(path)!r}).{hint}"
        )
    return ending


def check_page(path: str | os.PathLike[str]) -> None:
    """Raise if a file's name is not that of a page."""
    if Path(path).suffix.lower() not in PAGES:
        raise SettingsError(
            f"The name of a page must end in {' or '.join(PAGES)} (got {os.fspath(path)!r})."
        )


def check_output(output: str | os.PathLike[str], *sources: Any, page: bool = False) -> None:
    """Raise if a file cannot be written, or is one of the sources or a file inside one."""
    target = Path(output)
    if not target.exists():
        ending_of(output, page=page)
        return
    for source in sources:
        if isinstance(source, (str, os.PathLike)) and _holds(os.fspath(source), target):
            raise SettingsError(
                f"{str(target)!r} is an input and would be overwritten. Choose another output file."
            )
    ending_of(output, page=page)


def _holds(source: str | bytes, target: Path) -> bool:
    text = os.fsdecode(source)
    _, sign, rest = text.partition(":///")
    place = Path(rest if sign else text).expanduser()
    try:
        if place.is_dir():
            return target.resolve().is_relative_to(place.resolve())
        if place.exists():
            return target.samefile(place)
        return any(Path(match).samefile(target) for match in glob(str(place), recursive=True))  # noqa: PTH207
    except (OSError, ValueError):  # not a path: too long, or with a null byte
        return False
