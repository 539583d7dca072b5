"""Which reader takes which source. A reader's module is loaded when a source needs it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Protocol, cast

from condped.errors import SourceError, not_found
from condped.optional import load_optional
from condped.read.options import ReadOptions
from condped.trials import TrialTable

ENTRY_POINTS = "condped.readers"


class ReadFunction(Protocol):
    """What a reader's module offers under the name ``read``."""

    def __call__(self, source: Any, options: ReadOptions) -> TrialTable:
        """Return the source's trials."""
        ...


@dataclass(frozen=True, slots=True)
class Reader:
    """One kind of source.

    Attributes
    ----------
    name
        What the caller may choose it by.
    description
        What it reads, to stand after "Reading".
    recognises
        Whether a source is of this kind, told without importing anything. Paths come as texts.
    module
        Where the reader's ``read`` is.
    library, extra
        What it needs beyond condped itself, and the extra of condped that brings it.
    """

    name: str
    description: str
    recognises: Callable[[Any], bool]
    module: str
    library: str = ""
    extra: str = ""

    def load(self) -> ReadFunction:
        """Import the reader."""
        module = load_optional(
            self.module,
            feature=f"Reading {self.description}",
            library=self.library,
            extra=self.extra,
        )
        return cast(ReadFunction, module.read)


def readers() -> tuple[Reader, ...]:
    """Return all readers: condped's own, then those of installed packages."""
    from condped.read.builtin import READERS  # noqa: PLC0415  (it makes Readers)

    return (*READERS, *_installed())


def reader_for(source: Any) -> Reader:
    """Return the first reader that recognises a source."""
    for reader in readers():
        if reader.recognises(source):
            return reader
    tried = "; ".join(f"{reader.name}: {reader.description}" for reader in readers())
    shown = repr(source) if isinstance(source, (str, Path)) else type(source).__name__
    gone = isinstance(source, str) and "://" not in source and not Path(source).exists()
    why = " There is no such file or directory." if gone else ""
    raise SourceError(f"No reader recognises the source (got {shown}).{why} Tried: {tried}.")


def reader_named(name: str) -> Reader:
    """Return the reader that the caller chose."""
    by_name = {reader.name: reader for reader in readers()}
    if name not in by_name:
        raise not_found("reader", name, by_name)
    return by_name[name]


@cache
def _installed() -> tuple[Reader, ...]:
    """Return the readers that other packages declare as entry points."""
    return tuple(_loaded(point) for point in entry_points(group=ENTRY_POINTS))


def _loaded(point: EntryPoint) -> Reader:
    package = f"the package {point.dist.name!r}" if point.dist else "an installed package"
    remedy = f"Update or uninstall {package}, which declares it."
    try:
        reader = point.load()
    except Exception as error:
        raise SourceError(
            f"The reader {point.name!r} cannot be loaded: {error}. {remedy}"
        ) from error
    if not isinstance(reader, Reader):
        raise SourceError(
            f"The entry point {point.name!r} of {ENTRY_POINTS!r} must be a condped.Reader "
            f"(got {type(reader).__name__}). {remedy}"
        )
    return reader
