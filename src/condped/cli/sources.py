"""``condped sources``."""

from __future__ import annotations

import click

from condped.read.registry import READERS


@click.command("sources")
def command() -> None:
    """List what can be read, and which extra each needs."""
    width = max(len(reader.name) for reader in READERS)
    for reader in READERS:
        needs = f" (needs: pip install 'condped[{reader.extra}]')" if reader.extra else ""
        click.echo(f"{reader.name:<{width}}  {reader.description}{needs}")
