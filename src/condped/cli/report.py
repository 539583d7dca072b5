"""``condped report``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import condped
from condped.cli.options import given, report_options, target_quantile_option
from condped.cli.output import form_of, show
from condped.cli.progress import progress_bar
from condped.errors import SettingsError
from condped.read.overwriting import refuse_overwriting


@click.command("report")
@report_options
@target_quantile_option
@click.option(
    "--target",
    type=click.Choice(["failed", "pruned", "nonfinite", "infeasible"]),
    help="Explain this outcome instead of good objectives.",
)
@click.option("--title", metavar="TEXT", help="What stands on top.  [default: the source's name]")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default="condped-report.html",
    show_default=True,
    help="The file to write; one that is there is replaced.",
)
def command(source: str, output: Path, **options: Any) -> None:
    """Write all that can be told of a study on one page.

    The page is one file that needs no network: it can be opened from a folder or a mail. A slider
    on it moves the share of trials that counts as good. SOURCE is a file, a directory, a pattern or
    a URL of any tool that `condped sources` lists.

    \b
    condped report sqlite:///study.db --study tuning -o report.html
    condped report results.csv --objective loss --space space.json -o report.html
    condped report results.csv --objective loss --intervals half-sampling
    condped report smac3_output/svm --target failed -o failures.html
    """  # noqa: D301
    form = form_of(options, source)
    if output.suffix.lower() not in (".html", ".htm"):
        raise SettingsError(
            f"The page must be a file named .html (got {str(output)!r}). -o names the page here; "
            "the objective is --objective."
        )
    refuse_overwriting(output, source, options.get("space"))
    with progress_bar():  # wiped before anything is printed
        made = condped.report(source, output, **given(options))
    show(made, form)
    if form.text:
        click.echo()
    click.echo(f"The page is in {output}.", err=not form.text)
