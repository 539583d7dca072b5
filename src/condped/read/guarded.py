"""Calling a reader: whatever it raises on a damaged source becomes an error of condped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from condped.errors import CondpedError, DataError, SourceError
from condped.read.options import ReadOptions
from condped.read.registry import Reader, describe_source

# What readers raise on damaged sources, unless they report the damage themselves.
_DAMAGES = (
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    OSError,
    RecursionError,
    TypeError,
    ValueError,
)

Read = TypeVar("Read")


def guarded(
    function: Callable[[Any, ReadOptions], Read], source: Any, reader: Reader, options: ReadOptions
) -> Read:
    """Call a reader; errors other than condped's become one that names reader and source."""
    try:
        return function(source, options)
    except CondpedError:
        raise
    except _DAMAGES as error:
        if options.reader is None and not isinstance(source, str):
            raise  # such as an error in the user's function
        what = f"({type(error).__name__}: {' '.join(str(error).split())})"
        if isinstance(error, MemoryError):
            raise DataError(
                f"{describe_source(source)} does not fit into memory. Select the rows and columns "
                "that are needed, or read it in batches: engine='stream' and a space."
            ) from error
        foreign = reader.module.partition(".")[0] != "condped"
        if foreign and isinstance(error, (AttributeError, TypeError)):  # it is not the file
            raise SourceError(
                f"The reader {reader.name!r} of the module {reader.module!r} failed on "
                f"{describe_source(source)} {what}. This is an error in the reader, which is not "
                "part of condped: fix it or report it to its author."
            ) from error
        if options.reader is not None:
            raise SourceError(
                f"The reader {reader.name!r} cannot read {describe_source(source)} {what}: it "
                f"reads {reader.description}."
            ) from error
        whom = f" to the author of {reader.module!r}" if foreign else ""
        raise DataError(
            f"{describe_source(source)} cannot be read by the reader {reader.name!r} {what}. "
            f"It may be damaged; if it is not, please report this{whom}."
        ) from error
