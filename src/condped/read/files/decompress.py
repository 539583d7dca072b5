"""Opening files as bytes, decompressed if they end in .gz or .zst."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from condped.errors import CondpedError, DataError
from condped.optional import load_optional
from condped.read.files.regular import check_ends

# A file that grows by more than this when it is decompressed was made to fill the memory: tables
# and logs grow by 5 to 50.
MOST_GROWTH = 100
# Up to this size files may grow by any factor.
ALLOWED_BYTES = 64 << 20


@contextmanager
def open_decompressed(path: str) -> Iterator[IO[bytes]]:
    """Open a file, .gz and .zst decompressed; errors while reading name the file.

    Parameters
    ----------
    path
        The file.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "log.gz"
    >>> _ = path.write_bytes(gzip.compress(b"0.3 lr=0.1"))
    >>> with open_decompressed(str(path)) as file:
    ...     file.read()
    b'0.3 lr=0.1'
    """
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


def is_compressed(path: str) -> bool:
    """Return whether a file is decompressed when it is opened."""
    return Path(path).suffix.lower() in (".gz", ".zst")


def _file(path: str) -> IO[bytes]:
    check_ends(path)
    ending = Path(path).suffix.lower()
    if ending == ".gz":
        return bounded(cast(IO[bytes], gzip.open(path, "rb")), path)
    if ending == ".zst":
        module = load_optional(
            "condped.read.files.zstd_backports",
            feature=f"Reading the compressed file {path!r}",
            library="backports.zstd",
            extra="zstd",
        )
        return bounded(cast(IO[bytes], module.open_zstd(path)), path)
    return Path(path).open("rb")


def bounded(file: IO[bytes], path: str) -> IO[bytes]:
    """Return a file that raises once it decompresses out of proportion to its size on disk."""
    most = max(ALLOWED_BYTES, MOST_GROWTH * file_size(path))
    return cast(IO[bytes], io.BufferedReader(_BoundedFile(file, path, most), 1 << 17))


class _BoundedFile(io.RawIOBase):
    """A file that is being decompressed, up to a maximum number of bytes."""

    def __init__(self, file: IO[bytes], path: str, most: int) -> None:
        super().__init__()
        self._file, self._path, self._most = file, path, most

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._file.seekable()

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def readinto(self, buffer: Any) -> int:
        found = self._file.read(len(buffer))
        if self._file.tell() > self._most:
            raise DataError(
                f"The file {self._path!r} grows to more than {self._most >> 20:,} MiB when it is "
                f"decompressed, over {MOST_GROWTH} times its size, like files made to fill the "
                "memory. If it is intact, decompress it first and give the result."
            )
        buffer[: len(found)] = found
        return len(found)

    def close(self) -> None:
        self._file.close()
        super().close()
