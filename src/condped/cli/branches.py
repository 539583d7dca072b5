"""``condped branches``."""

from __future__ import annotations

from typing import Any

import click

import condped
from condped.cli.options import source_options, target_quantile_option
from condped.cli.output import answer, output_options


@click.command("branches")
@source_options(condped.branches)
@target_quantile_option
@output_options()
def command(source: str, **options: Any) -> None:
    """Show the conditional structure and what matters inside each branch.

    Conditions are taken from the space where there is one, and found from the trials otherwise.
    SOURCE is a file, a directory, a pattern or a URL of any tool that `condped sources` lists.

    \b
    condped branches results.csv --objective loss
    condped branches sqlite:///study.db --study tuning
    condped branches results.csv --objective loss --where "model == 'svm'" --json
    """  # noqa: D301
    answer(condped.branches, source, **options)
