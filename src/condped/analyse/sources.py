"""``condped.sources``: what can be read."""

from __future__ import annotations

from dataclasses import dataclass, fields
from importlib.util import find_spec
from typing import Any, ClassVar

from condped.analyse.result import Result
from condped.read.opening import ONLY_BATCHES
from condped.read.registry import installed, readers


@dataclass(frozen=True, slots=True)
class SourceKind:
    """A kind of source, the extra that it needs, if any, and whether that is installed.

    Tables of databases and clusters, which are counted in batches, have no ``reader``.
    """

    reader: str | None
    description: str
    extra: str | None
    installed: bool


@dataclass(frozen=True)
class Sources(Result):
    """What can be read.

    Attributes
    ----------
    kinds
        One per reader, then those of databases and clusters.
    problems
        Which readers of other packages cannot be used, and why.
    """

    schema: ClassVar[str] = "condped.sources/1"
    _columns: ClassVar[tuple[str, ...]] = tuple(one.name for one in fields(SourceKind))

    kinds: tuple[SourceKind, ...]
    problems: tuple[str, ...] = ()

    def rows(self) -> list[dict[str, Any]]:
        """Return one record per kind of source."""
        return [self._row(kind) for kind in self.kinds]

    def _readable(self) -> dict[str, Any]:
        return {"sources": self.rows()}


def sources() -> Sources:
    """List the kinds of sources that condped takes, and which extra each needs.

    Examples
    --------
    >>> import condped
    >>> [kind.extra for kind in condped.sources().kinds if kind.reader == "parquet"]
    ['parquet']
    """
    found = [
        SourceKind(
            reader.name, reader.description, reader.extra or None, _is_installed(reader.library)
        )
        for reader in readers()
    ]
    found += [
        SourceKind(None, description, opener.extra, _is_installed(opener.library))
        for description, opener in ONLY_BATCHES.items()
    ]
    return Sources(tuple(found), installed().broken)


def _is_installed(needed: str) -> bool:
    """Return whether libraries, such as "ibis and duckdb", are installed."""
    return all(find_spec(library) is not None for library in needed.split(" and ") if library)
