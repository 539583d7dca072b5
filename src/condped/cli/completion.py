"""Shell completion of files and names, and the command that prints a shell's script."""

from __future__ import annotations

from collections.abc import Callable

import click
from click.shell_completion import CompletionItem, get_completion_class

import condped

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def files(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Leave the completion of files and folders to the shell."""
    return [CompletionItem(begun, type="file")]


def names(*known: str) -> Complete:
    """Return a completion of one of these names."""

    def complete(
        context: click.Context, parameter: click.Parameter, begun: str
    ) -> list[CompletionItem]:
        return [CompletionItem(name) for name in known if name.startswith(begun)]

    return complete


def readers(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Complete the name of a reader, with its description in shells that show it."""
    return [
        CompletionItem(kind.reader, help=kind.description)
        for kind in condped.sources().kinds
        if kind.reader is not None and kind.reader.startswith(begun)
    ]


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print what a shell needs to complete commands, options, choices and files.

    \b
    condped completion bash >> ~/.bashrc
    condped completion zsh >> ~/.zshrc
    condped completion fish > ~/.config/fish/completions/condped.fish
    """  # noqa: D301
    kind = get_completion_class(shell)
    assert kind is not None  # click has these three
    click.echo(kind(context.find_root().command, {}, "condped", "_CONDPED_COMPLETE").source())
