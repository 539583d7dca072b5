"""``condped sources``."""

from __future__ import annotations

from importlib.util import find_spec

import click

from condped.read.registry import Reader, installed, readers


@click.command("sources")
def command() -> None:
    """List what can be read, and which extra each needs.

    A source is recognised by itself; --reader NAME says which one it is where it is not.
    """
    width = max(len(reader.name) for reader in readers())
    for reader in readers():
        click.echo(f"{reader.name:<{width}}  {reader.description}{_needs(reader)}")
    for problem in installed().broken:
        click.echo(f"condped: {problem}", err=True)


def _needs(reader: Reader) -> str:
    """Say what a reader needs beyond condped itself."""
    if not reader.library:
        return ""
    there = all(find_spec(library) is not None for library in reader.library.split(" and "))
    extra = f"condped[{reader.extra}]"
    return f" [{extra}, installed]" if there else f" [needs: pip install '{extra}']"
