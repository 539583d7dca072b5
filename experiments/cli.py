"""The command line: list, run, all, claims, docs."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from condped.errors import CondpedError, NameNotFoundError
from experiments import gallery
from experiments.catalogue import all_experiments
from experiments.claims import page as claims_page
from experiments.claims.checking import check_all
from experiments.claims.registry import all_claims
from experiments.claims.summary import summary
from experiments.progress import Bar
from experiments.registry import Experiment, find
from experiments.running import Outcome, run
from experiments.store import Store, write_whole

HERE = Path(__file__).parent
CLAIMS, GALLERY = HERE / "claims.json", HERE / "gallery.json"

_quick = click.option("--quick", is_flag=True, help="Fewer seeds and sizes, for a first look.")
_output = click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=HERE / "out",
    show_default="experiments/out",
    help="Folder for data, settings and figures.",
)
_OPTIONS = (
    _quick,
    _output,
    click.option(
        "--workers",
        type=click.IntRange(min=1),
        default=os.cpu_count() or 1,
        show_default="all cores",
        help="How many seeds are computed at the same time.",
    ),
    click.option("--again", is_flag=True, help="Compute anew what is already there."),
    click.option("--redraw", is_flag=True, help="Draw anew from the data as it is."),
)


def _running(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of commands that run experiments."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


class _Commands(click.Group):
    """Commands whose expected failures are one sentence, without a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except CondpedError as error:
            raise click.ClickException(str(error)) from None
        except OSError as error:
            where = f"{error}. Name a folder that can be written."
            raise click.ClickException(where) from None


@click.group(cls=_Commands)
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
    if any(experiment.unavailable is not None for experiment in chosen):
        sys.exit(2)  # it was requested by name


@main.command("all")
@_running
def all_command(**options: Any) -> None:
    """Run every experiment."""
    _run(all_experiments(), **options)


def _run(
    chosen: Sequence[Experiment],
    *,
    quick: bool,
    output: Path,
    workers: int,
    again: bool,
    redraw: bool,
) -> None:
    begun = time.perf_counter()
    bar = Bar(sys.stderr)
    store = Store(output, quick)

    def say(text: str) -> None:
        bar.wipe()
        click.echo(text)

    try:
        if redraw:
            for experiment in chosen:
                (store.of(experiment.name) / "report.json").unlink(missing_ok=True)
        done = run(chosen, store, workers=workers, again=again, say=say, step=bar.step)
    finally:
        bar.wipe()
    for outcome in done:
        _say_errors(outcome)
    skipped = [one.name for one in chosen if one.unavailable is not None]
    computed = sum(outcome.computed for outcome in done)
    if computed:
        seconds = time.perf_counter() - begun
        click.echo(f"{computed} seeds of {len(done)} experiments in {seconds:.0f} s.")
    elif done and not redraw:
        click.echo("Everything else is up to date." if skipped else "Everything is up to date.")
    if skipped:
        click.echo(f"Skipped: {', '.join(skipped)}.")


def _say_errors(outcome: Outcome) -> None:
    """Print how far each panel is from the exact truth."""
    for file in outcome.files:
        if file.name == "errors.csv":
            rows = [line.rsplit(",", 1) for line in file.read_text("utf-8").splitlines()[1:]]
            shown = "; ".join(f"{panel} {error}" for panel, error in rows)
            click.echo(f"{outcome.name}: mean |estimate − truth|: {shown}")


@main.command("claims")
@_quick
@_output
def claims_command(quick: bool, output: Path) -> None:
    """Check what the paper says on the data of the runs."""
    store = Store(output, quick)
    store.folder.mkdir(parents=True, exist_ok=True)  # refused before anything is computed
    found = _check(store)
    click.echo(summary(found))
    _write(store.folder / "claims.json", _json(found))
    _write(store.folder / "claims.md", claims_page.page(found, all_claims()))


@main.command("docs")
@_quick
@_output
@click.option("--render", is_flag=True, help="Only make the pages again, from the last numbers.")
@click.option(
    "--docs",
    type=click.Path(file_okay=False, path_type=Path),
    default=HERE.parent / "docs" / "trust",
    show_default="docs/trust",
    help="Where claims.md, paper.md and the pictures go.",
)
def docs_command(quick: bool, output: Path, render: bool, docs: Path) -> None:
    """Make the pages of claims and figures, and keep the numbers they are made from."""
    docs.mkdir(parents=True, exist_ok=True)
    if not render:
        store = Store(output, quick)
        _write(CLAIMS, _json(_check(store)))
        _write(GALLERY, _json(gallery.collect(all_experiments(), store)))
        gallery.copy_pictures(all_experiments(), store, docs / "paper")
    claims, shown = (json.loads(path.read_text("utf-8")) for path in (CLAIMS, GALLERY))
    _write(docs / "claims.md", claims_page.page(claims, all_claims()))
    _write(docs / "paper.md", gallery.page(shown, claims))


def _check(store: Store) -> dict[str, Any]:
    bar = Bar(sys.stderr, unit="claims")
    found = check_all(all_claims(), store, bar.step)
    bar.wipe()
    return found


def _json(data: Any) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _write(path: Path, text: str) -> None:
    write_whole(path, lambda part: part.write_text(text, encoding="utf-8"))
    click.echo(f"Written: {path}")
