"""Detecting that a file has changed since it was opened."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from condped.errors import DataError


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
