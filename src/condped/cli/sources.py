"""``condped sources``."""

from __future__ import annotations

from typing import Any

import click

import condped
from condped.cli.output import answer, output_options


@click.command("sources")
@output_options()
def command(**options: Any) -> None:
    """List what can be read, and which extra each needs.

    A source is recognised by itself; --reader NAME says which one it is where it is not.
    """
    for problem in answer(condped.sources, **options).problems:
        click.echo(f"condped: {problem}", err=True)
