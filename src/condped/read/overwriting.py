"""Protecting the files that are read from being overwritten by the output."""

from __future__ import annotations

import os
from glob import glob
from pathlib import Path
from typing import Any

from condped.errors import SettingsError


def refuse_overwriting(output: str | os.PathLike[str], *sources: Any) -> None:
    """Raise if a file to be written is one of the sources, or a file inside one."""
    target = Path(output)
    if not target.exists():
        return
    for source in sources:
        if isinstance(source, (str, os.PathLike)) and _holds(os.fspath(source), target):
            raise SettingsError(
                f"{str(target)!r} is an input and would be overwritten. Choose another output file."
            )


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
