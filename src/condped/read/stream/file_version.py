"""Whether a file is still the one that was opened."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from condped.errors import DataError


@dataclass(frozen=True, slots=True)
class Stamp:
    """By what a file is known."""

    size: int
    time: int
    place: int  # another file that took its name has another

    @classmethod
    def of(cls, path: str) -> Stamp:
        """Look at a file."""
        found = Path(path).stat()
        return cls(found.st_size, found.st_mtime_ns, found.st_ino)

    def check(self, path: str) -> None:
        """Refuse a file that is another than before: what two passes count would not fit."""
        try:
            now = Stamp.of(path)
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
