"""Several files that make one table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote

from condped.errors import DataError
from condped.progress import report
from condped.read.options import ReadOptions

Content = TypeVar("Content")
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


def joined(
    paths: Sequence[str], load: Callable[[str], Content], options: ReadOptions, notes: list[str]
) -> list[Content]:
    """Return what each file holds; one that cannot be read is left out only if the caller says so.

    A single file is never left out: there would be nothing to analyse.
    """
    parts: list[Content] = []
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
    if len(parts) > 1:
        notes.append(f"{len(parts)} files were read together.")
    return parts


def refuse_twice(path: str, columns: Sequence[str]) -> None:
    """Refuse a file that names a column twice."""
    if len(set(columns)) < len(columns):
        twice = next(name for name in columns if list(columns).count(name) > 1)
        raise DataError(
            f"Column {twice!r} stands twice in {path!r}. Rename or drop one of them.", column=twice
        )


def all_columns(columns: Sequence[Sequence[str]], notes: list[str]) -> tuple[str, ...]:
    """Return the columns of several files, noting those that not all of them have."""
    names = tuple(dict.fromkeys(name for listed in columns for name in listed))
    for name in names:
        lacking = sum(name not in listed for listed in columns)
        if lacking:
            notes.append(
                f"Column {name!r} is not in {lacking} of {len(columns)} files; missing there."
            )
    return names


def partition_of(path: str, root: Path | None) -> dict[str, str | None]:
    """Return what the directories between the root and a file say of all its rows: k=a/l=b."""
    if root is None:
        return {}
    parts = Path(path).parent.relative_to(root).parts
    pairs = [part.partition("=") for part in parts if part.partition("=")[0] and "=" in part]
    return {
        unquote(name): None if value == _NO_VALUE else unquote(value) for name, _, value in pairs
    }
