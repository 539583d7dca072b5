"""Space files that lie beside the trials."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from condped.read.options import ReadOptions
from condped.space.load import load_space
from condped.space.spec import Space


def with_sidecar(source: str, options: ReadOptions) -> ReadOptions:
    """Return the options with the space that lies beside a source, unless the caller gave one.

    Beside ``runs.csv.gz`` that is ``runs.space.json``; for a directory or a pattern such as
    ``runs/*.csv`` it is ``space.json`` in the directory.
    """
    path = _sidecar(source)
    if options.space is not None or not path.is_file():
        return options
    space = load_space(path)
    note = f"The domains are those of {str(path)!r}."
    return replace(options, space=Space(space.parameters, notes=(*space.notes, note)))


def _sidecar(source: str) -> Path:
    path = Path(source)
    if path.is_dir():
        return path / "space.json"
    if any(sign in source for sign in "*?[") and not path.is_file():
        fixed = [part for part in path.parents if not any(sign in str(part) for sign in "*?[")]
        return fixed[0] / "space.json"
    return path.with_name(f"{path.name.partition('.')[0]}.space.json")
