"""``condped sources``."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import click

from condped.cli.options import form_options
from condped.cli.output import form_of, show
from condped.read.registry import Reader, installed, readers


@dataclass(frozen=True, slots=True)
class Sources:
    """What can be read."""

    readers: tuple[Reader, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The fields of the rows."""
        return ("reader", "description", "extra", "installed")

    def rows(self) -> list[dict[str, Any]]:
        """Return one record per kind of source."""
        return [
            {
                "reader": reader.name,
                "description": reader.description,
                "extra": reader.extra or None,
                "installed": _there(reader),
            }
            for reader in self.readers
        ]

    def to_data(self) -> dict[str, Any]:
        """Return the rows under a schema with a version."""
        return {"schema": "condped.sources/1", "sources": self.rows()}

    def __str__(self) -> str:
        width = max(len(reader.name) for reader in self.readers)
        return "\n".join(
            f"{reader.name:<{width}}  {reader.description}{_needs(reader)}"
            for reader in self.readers
        )


@click.command("sources")
@form_options
def command(**options: Any) -> None:
    """List what can be read, and which extra each needs.

    A source is recognised by itself; --reader NAME says which one it is where it is not.
    """
    show(Sources(tuple(readers())), form_of(options))
    for problem in installed().broken:
        click.echo(f"condped: {problem}", err=True)


def _needs(reader: Reader) -> str:
    """Say what a reader needs beyond condped itself."""
    if not reader.library:
        return ""
    extra = f"condped[{reader.extra}]"
    return f" [{extra}, installed]" if _there(reader) else f" [needs: pip install '{extra}']"


def _there(reader: Reader) -> bool:
    """Return whether what a reader needs is installed."""
    needed = reader.library.split(" and ") if reader.library else []
    return all(find_spec(library) is not None for library in needed)
