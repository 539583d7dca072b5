"""Results with one entry per parameter, found by its name."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import ClassVar, Generic, Protocol, TypeVar

from condped.errors import not_found


class Named(Protocol):
    """Something with a name."""

    @property
    def name(self) -> str:
        """The name."""


Entry = TypeVar("Entry", bound=Named)


class ByName(Generic[Entry]):
    """A result whose ``parameters`` are found by name, and iterated over in their order."""

    parameters: tuple[Entry, ...]
    _entry: ClassVar[str] = "parameter"  # what an unknown name would be, for messages

    @cached_property
    def _by_name(self) -> dict[str, Entry]:
        return {entry.name: entry for entry in self.parameters}

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters' names, in order."""
        return tuple(self._by_name)

    def __getitem__(self, name: str) -> Entry:
        if name not in self._by_name:
            raise not_found(self._entry, name, self.names)
        return self._by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.parameters)

    def __len__(self) -> int:
        return len(self.parameters)
