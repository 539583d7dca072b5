"""``condped.sources``: what can be read."""

from __future__ import annotations

from dataclasses import dataclass, fields
from importlib.util import find_spec
from typing import Any, ClassVar

from condped.analyse.result import Result
from condped.read.opening import databases_and_clusters
from condped.read.registry import installed, readers


@dataclass(frozen=True, slots=True)
class SourceKind:
    """A kind of source, the extra that it needs, if any, and whether that is installed.

    ``reader`` is None for tables in databases and on clusters, which are not read by a reader.
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
        One per reader, then tables in databases and on clusters.
    problems
        Which readers of other packages cannot be used, and why.

    Examples
    --------
    >>> import condped
    >>> next(kind.description for kind in condped.sources().kinds if kind.reader == "records")
    'a list of mappings, one per trial'
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
    """List the kinds of sources that can be analysed, and which extra each needs.

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
        SourceKind(None, description, extra, _is_installed(library))
        for description, library, extra in databases_and_clusters()
    ]
    return Sources(tuple(found), installed().broken)


def _is_installed(library: str) -> bool:
    """Return whether every library of a text such as ``ray and pyarrow`` is installed."""
    needed = library.split(" and ") if library else []
    return all(find_spec(name) is not None for name in needed)
