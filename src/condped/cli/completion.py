"""``condped completion``."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print what a shell needs to complete commands and options.

    \b
    condped completion bash >> ~/.bashrc
    condped completion zsh >> ~/.zshrc
    condped completion fish > ~/.config/fish/completions/condped.fish
    """  # noqa: D301
    kind = get_completion_class(shell)
    assert kind is not None  # click has these three
    click.echo(kind(context.find_root().command, {}, "condped", "_CONDPED_COMPLETE").source())
