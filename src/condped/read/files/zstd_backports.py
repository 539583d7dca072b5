"""Zstandard: part of Python since 3.14, before that a backport."""

from __future__ import annotations

import sys
from typing import IO, cast

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


def open_zstd(path: str) -> IO[bytes]:
    """Open a compressed file for reading."""
    return cast(IO[bytes], zstd.open(path, "rb"))
