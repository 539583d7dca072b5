"""``condped sources``."""

from __future__ import annotations

import click

from condped.read.registry import readers


@click.command("sources")
def command() -> None:
    """List what can be read, and which extra each needs."""
    width = max(len(reader.name) for reader in readers())
    for reader in readers():
        needs = f" (needs: pip install 'condped[{reader.extra}]')" if reader.extra else ""
        click.echo(f"{reader.name:<{width}}  {reader.description}{needs}")
