"""``condped report``."""

from __future__ import annotations

from typing import Any

import click

import condped
from condped.cli.options import source_options, target_option, target_quantile_option
from condped.cli.output import answer, output_options


@click.command("report")
@source_options(condped.report)
@target_quantile_option
@target_option
@click.option("--title", metavar="TEXT", help="What stands on top.  [default: the source's name]")
@output_options(page="condped-report.html")
def command(source: str, **options: Any) -> None:
    """Write a report of a study as one HTML page.

    The page is one file that needs no network: it can be opened from a folder or a mail. A slider
    on it moves the share of trials that counts as good. SOURCE is a file, a directory, a pattern or
    a URL of any tool that `condped sources` lists.

    \b
    condped report sqlite:///study.db --study tuning -o report.html
    condped report results.csv --objective loss --space space.json -o report.html
    condped report results.csv --objective loss --intervals half-sampling
    condped report smac3_output/svm --target failed -o failures.html
    """  # noqa: D301
    answer(condped.report, source, **options)
