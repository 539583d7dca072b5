"""Reading several files as one table, with Hive partitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote

from condped.duplicates import first_duplicate
from condped.errors import DataError
from condped.progress import report
from condped.read.options import ReadOptions

Content = TypeVar("Content")
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


def load_files(
    paths: Sequence[str], load: Callable[[str], Content], options: ReadOptions, notes: list[str]
) -> list[Content]:
    """Load each file; with ``skip_corrupt`` files that cannot be read are left out.

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


def check_unique_columns(path: str, columns: Sequence[str]) -> None:
    """Raise if a file has two columns of the same name."""
    duplicate = first_duplicate(columns)
    if duplicate is not None:
        raise DataError(
            f"There are two columns named {duplicate!r} in {path!r}. Rename or drop one of them.",
            column=duplicate,
        )


def all_columns(columns: Sequence[Sequence[str]], notes: list[str]) -> tuple[str, ...]:
    """Return the columns of several files; add notes on those that some files lack.

    No file has a column twice.
    """
    found = Counter(name for listed in columns for name in listed)
    for name, files in found.items():
        lacking = len(columns) - files
        if lacking:
            notes.append(
                f"Column {name!r} is not in {lacking} of {len(columns)} files; missing there."
            )
    return tuple(found)


def partition_of(path: str, root: Path | None) -> dict[str, str | None]:
    """Return the columns that the directories between root and file define: k=a/l=b."""
    if root is None:
        return {}
    parts = Path(path).parent.relative_to(root).parts
    pairs = [part.partition("=") for part in parts if part.partition("=")[0] and "=" in part]
    return {
        unquote(name): None if value == _NO_VALUE else unquote(value) for name, _, value in pairs
    }


@dataclass(frozen=True, slots=True)
class FileVersion:
    """What identifies the version of a file."""

    size: int
    time: int
    inode: int  # differs if another file took its name

    @classmethod
    def of(cls, path: str) -> FileVersion:
        """Return the current version of a file."""
        found = Path(path).stat()
        return cls(found.st_size, found.st_mtime_ns, found.st_ino)

    def check(self, path: str) -> None:
        """Raise if the file has changed: the counts of two passes would not agree."""
        try:
            now = FileVersion.of(path)
        except OSError as error:
            raise DataError(
                f"The file {path!r} cannot be read any more: {error.strerror}. It was there when "
                "reading began; put it back and start again."
            ) from error
        if now != self:
            raise DataError(
                f"The file {path!r} has changed since reading began. Start again when nothing "
                "writes to it."
            )
