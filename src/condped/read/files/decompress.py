"""Opening files as bytes, decompressed if they end in .gz or .zst."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from condped.errors import CondpedError, DataError
from condped.optional import load_optional


@contextmanager
def open_decompressed(path: str) -> Iterator[IO[bytes]]:
    """Open a file, .gz and .zst decompressed; errors while reading name the file."""
    try:
        with _file(path) as file:
            yield file
    except CondpedError:
        raise
    except UnicodeDecodeError as error:
        raise DataError(f"The file {path!r} is not UTF-8 text: {error.reason}.") from error
    except Exception as error:
        # A null byte in the path is a ValueError, a truncated compressed file an EOFError.
        damaged = isinstance(error, (OSError, ValueError, EOFError, zlib.error))
        if not damaged and type(error).__name__ != "ZstdError":
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError(f"The file {path!r} cannot be read: {reason}.") from error


def file_size(path: str) -> int:
    """Return the size of a file in bytes, at least 1, for progress reports."""
    return max(Path(path).stat().st_size, 1)


def _file(path: str) -> IO[bytes]:
    ending = Path(path).suffix.lower()
    if ending == ".gz":
        return cast(IO[bytes], gzip.open(path, "rb"))
    if ending == ".zst":
        module = load_optional(
            "condped.read.files.zstd_backports",
            feature=f"Reading the compressed file {path!r}",
            library="backports.zstd",
            extra="zstd",
        )
        return cast(IO[bytes], module.open_zstd(path))
    return Path(path).open("rb")
