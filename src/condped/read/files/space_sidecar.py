"""Space files beside the trials: runs.space.json for runs.csv."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from condped.read.load_space import load_space
from condped.read.options import ReadOptions
from condped.space.space import Space


def with_sidecar(source: str, options: ReadOptions) -> ReadOptions:
    """Return the options with the space file beside a source, unless the caller gave a space.

    Beside ``runs.csv.gz`` that is ``runs.space.json``; for a directory or a pattern such as
    ``runs/*.csv`` it is ``space.json`` in the directory, or the only file there that ends in
    ``.space.json``.
    """
    path = _sidecar(source)
    if options.space is not None or path is None or not os.path.isfile(path):  # noqa: PTH113
        return options  # Path.is_file() raises if the name is too long
    space = load_space(path)
    note = f"The domains are those of {str(path)!r}."
    return replace(options, space=Space(space.parameters, notes=(*space.notes, note)))


def root_of(source: str) -> Path:
    """Return the innermost directory without wildcards."""
    folders = [Path(source), *Path(source).parents]
    return next(part for part in folders if not any(sign in str(part) for sign in "*?["))


def is_space_file(path: str) -> bool:
    """Return whether a file is named like a space file."""
    name = Path(path).name
    return name == "space.json" or name.endswith(".space.json")


def _sidecar(source: str) -> Path | None:
    path = Path(source)
    if path.is_file():
        return path.with_name(f"{path.name.partition('.')[0]}.space.json")
    folder = root_of(source)
    if (folder / "space.json").is_file():
        return folder / "space.json"
    named = [path for path in folder.glob("*.space.json") if path.is_file()]
    return named[0] if len(named) == 1 else None
