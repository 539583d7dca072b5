"""Inputs are never overwritten: one check for every output and every kind of source."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from fnmatch import fnmatch
from glob import glob
from itertools import chain
from pathlib import Path
from typing import Any

from condped.errors import SettingsError
from condped.writing.endings import ending_of
from condped.writing.places import path_of, place_of
from condped.writing.source_paths import paths_of

# What databases and journals keep beside their files: logs of writes, locks.
_BESIDE = ("-wal", "-shm", "-journal", ".wal", ".lock")
_TABLES = (".csv", ".parquet")  # what would be read as trials in a directory of them
# How condped's own files begin; in directories they are not trials.
_OURS = re.compile(
    rb'\s*\{\s*"schema": "condped\.|<!doctype html>.{,999}"generator" content="condped"', re.S
)
_READ = "is an input and would be overwritten"

# Where this process has read trials from: a result does not know its source.
_read: dict[str, None] = {}


def remember_inputs(*sources: Any) -> None:
    """Remember what is read, so that no result is written there."""
    paths = map(os.path.abspath, chain.from_iterable(map(paths_of, sources)))
    _read.update((path, None) for path in paths if _is_pattern(path) or os.path.exists(path))  # noqa: PTH110


def check_output(output: str | os.PathLike[str], *sources: Any, page: bool = False) -> None:
    """Raise if a file cannot be written, or if writing it would change an input."""
    check_is_no_input(output, *sources)
    ending_of(output, page=page)


def check_is_no_input(output: str | os.PathLike[str], *sources: Any) -> None:
    """Raise if a file is read, or would be read, as one of the sources or a part of one.

    Sources from which this process has read trials before count as well. A file with several names
    is the same file under each of them.
    """
    target = _Target(output)
    paths = chain(chain.from_iterable(map(paths_of, sources)), list(_read))
    for path in dict.fromkeys(paths):
        why = target.conflict(path)
        if why is not None:
            raise SettingsError(f"{str(path_of(output))!r} {why}. Choose another output file.")


class _Target:
    """A file to write, with links resolved."""

    def __init__(self, output: str | os.PathLike[str]) -> None:
        place = place_of(output)
        self.path, self.known, self.special = place
        self.name = self.path.name

    def conflict(self, text: str) -> str | None:
        """Return why writing would change the input at a path; None if it would not."""
        try:
            path = Path(text)
            if path.is_dir():
                return self._inside(path) or self._linked_from(path)
            if path.exists():
                return _READ if self._is(path) else self._beside(path)
            return self._matched(path) if _is_pattern(text) else None
        except (OSError, ValueError):  # not a path: too long, or with a null byte
            return None

    def _is(self, path: str | Path) -> bool:
        with suppress(OSError):  # it is gone
            return self.known is not None and os.path.samestat(self.known, os.stat(path))  # noqa: PTH116
        return False

    def _is_at(self, folder: Path) -> bool:
        return self.path.resolve().parent.samefile(folder)

    def _beside(self, path: Path) -> str | None:
        """Return the conflict if it is one of the files that belong to an input."""
        for file in (path, path.resolve()):
            names = [f"{file.name}{ending}" for ending in _BESIDE]
            names.append(f"{file.name.partition('.')[0]}.space.json")
            if self.name.casefold() in map(str.casefold, names) and self._is_at(file.parent):
                return f"belongs to the input {str(path)!r}"
        return None

    def _inside(self, folder: Path) -> str | None:
        if self.special or not any(
            parent.samefile(folder) for parent in self.path.resolve().parents
        ):
            return None
        where = f"is inside the input {str(folder)!r}"
        if self.known is not None:
            return None if self._is_ours() else f"{where} and would be overwritten"
        if self._names_a_space():
            return f"{where}, where it would be read as a space"
        if self.path.suffix.lower() in _TABLES and not self.name.startswith((".", "_")):
            return f"{where}, where it would be read as trials next time"
        return None

    def _linked_from(self, folder: Path) -> str | None:
        """Return the conflict if a link in a directory leads to it."""
        if self.known is None:
            return None
        return _READ if any(self._is(path) for path in _links(folder)) else None

    def _matched(self, pattern: Path) -> str | None:
        for match in map(Path, glob(str(pattern), recursive=True)):  # noqa: PTH207
            if match.is_dir():
                why = self._inside(match)
                if why:
                    return why
            elif self._is(match):
                return _READ
        folders = glob(str(pattern.parent), recursive=True)  # noqa: PTH207
        if fnmatch(self.name, pattern.name) and any(self._is_at(Path(one)) for one in folders):
            return f"matches the input {str(pattern)!r}, so that it would be read next time"
        root = next(part for part in pattern.parents if not _is_pattern(str(part)))
        if self._names_a_space() and self._is_at(root):
            return f"would be read as the space of the input {str(pattern)!r}"
        return None

    def _names_a_space(self) -> bool:
        return self.name == "space.json" or self.name.endswith(".space.json")

    def _is_ours(self) -> bool:
        with self.path.open("rb") as file:
            return _OURS.match(file.read(4096)) is not None


def _is_pattern(text: str) -> bool:
    return any(sign in text for sign in "*?[")


def _links(folder: Path) -> Iterator[Path]:
    """Iterate over the links at all levels of a directory, and over files behind them."""
    seen: set[tuple[int, int]] = set()
    waiting = [(folder, False)]
    while waiting:
        place, linked = waiting.pop()
        with suppress(OSError):  # unreadable, which is reported when it is read
            known = place.stat()
            if (known.st_dev, known.st_ino) in seen:
                continue
            seen.add((known.st_dev, known.st_ino))
            for path in place.iterdir():
                behind = linked or path.is_symlink()
                if path.is_dir():
                    waiting.append((path, behind))
                elif behind:
                    yield path
