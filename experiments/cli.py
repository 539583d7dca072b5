"""The command line: list, run, all, claims, docs."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from condped.errors import CondpedError, NameNotFoundError
from experiments.catalogue import all_experiments
from experiments.progress import Bar
from experiments.registry import Experiment, find
from experiments.running import run
from experiments.store import Store

HERE = Path(__file__).parent


def _running(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of commands that run experiments."""
    for option in reversed(
        (
            click.option("--quick", is_flag=True, help="Fewer seeds and sizes, for a first look."),
            click.option(
                "--output",
                type=click.Path(file_okay=False, path_type=Path),
                default=HERE / "out",
                show_default="experiments/out",
                help="Folder for data, settings and figures.",
            ),
            click.option(
                "--workers",
                type=click.IntRange(min=1),
                default=os.cpu_count() or 1,
                show_default="all cores",
                help="How many seeds are computed at the same time.",
            ),
            click.option("--again", is_flag=True, help="Compute anew what is already there."),
        )
    ):
        command = option(command)
    return command


@click.group()
def main() -> None:
    """Run the paper's experiments again, and compare them with what the paper says."""


@main.command("list")
def list_command() -> None:
    """List the experiments."""
    for experiment in all_experiments():
        click.echo(f"{experiment.name:<12} {experiment.place:<12} {experiment.description}")


@main.command("run")
@click.argument("names", nargs=-1, required=True)
@_running
def run_command(names: Sequence[str], **options: Any) -> None:
    """Run experiments by NAME; only what is missing is computed."""
    try:
        chosen = find(names, all_experiments())
    except NameNotFoundError as error:
        raise click.UsageError(str(error)) from None
    _run(chosen, **options)


@main.command("all")
@_running
def all_command(**options: Any) -> None:
    """Run every experiment."""
    _run(all_experiments(), **options)


def _run(
    chosen: Sequence[Experiment], *, quick: bool, output: Path, workers: int, again: bool
) -> None:
    begun = time.perf_counter()
    bar = Bar(sys.stderr)

    def say(text: str) -> None:
        bar.wipe()
        click.echo(text)

    try:
        done = run(
            chosen, Store(output, quick), workers=workers, again=again, say=say, step=bar.step
        )
    except CondpedError as error:
        bar.wipe()
        raise click.ClickException(str(error)) from None
    bar.wipe()
    computed = sum(outcome.computed for outcome in done)
    if computed:
        seconds = time.perf_counter() - begun
        click.echo(f"{computed} seeds of {len(done)} experiments in {seconds:.0f} s.")
    else:
        click.echo("Everything is up to date.")
