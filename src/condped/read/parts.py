"""Several files that make one table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from condped.errors import DataError
from condped.progress import report
from condped.read.options import ReadOptions

Part = TypeVar("Part")


def joined(
    paths: Sequence[str], load: Callable[[str], Part], options: ReadOptions, notes: list[str]
) -> list[Part]:
    """Return what each file holds; one that cannot be read is left out only if the caller says so.

    A single file is never left out: there would be nothing to analyse.
    """
    parts: list[Part] = []
    left_out: list[str] = []
    for number, path in enumerate(paths, 1):
        try:
            parts.append(load(path))
        except DataError as error:
            if len(paths) == 1 or not options.skip_corrupt:
                raise
            left_out.append(str(error))
        report("Reading files", number, len(paths))
    if left_out:
        if not parts:
            raise DataError(f"None of the {len(paths)} files can be read. First: {left_out[0]}")
        notes.append(
            f"{len(left_out)} of {len(paths)} files cannot be read and were left out. "
            f"First: {left_out[0]}"
        )
    return parts


def all_columns(columns: Sequence[Sequence[str]], notes: list[str]) -> tuple[str, ...]:
    """Return the columns of several files, noting those that not all of them have."""
    for listed in columns:
        if len(set(listed)) < len(listed):
            twice = next(name for name in listed if listed.count(name) > 1)
            raise DataError(
                f"Column {twice!r} stands twice. Rename or drop one of them.", column=twice
            )
    names = tuple(dict.fromkeys(name for listed in columns for name in listed))
    for name in names:
        lacking = sum(name not in listed for listed in columns)
        if lacking:
            notes.append(
                f"Column {name!r} is not in {lacking} of {len(columns)} files; missing there."
            )
    return names
