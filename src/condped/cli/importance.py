"""``condped importance``."""

from __future__ import annotations

from typing import Any

import click

import condped
from condped.cli.options import (
    analysis_options,
    given,
    target_quantile_option,
)
from condped.cli.output import form_of, show
from condped.cli.progress import progress_bar


@click.command("importance")
@analysis_options
@target_quantile_option
@click.option(
    "--target",
    type=click.Choice(["failed", "pruned", "nonfinite", "infeasible"]),
    help="Explain this outcome instead of good objectives.",
)
def command(source: str, **options: Any) -> None:
    """Tell which parameters mattered for reaching the best trials.

    SOURCE is a file, a directory, a pattern or a URL of any tool that `condped sources` lists. In
    tables there is one row per trial, and an empty cell means that the parameter was inactive.

    \b
    condped importance results.csv --objective loss
    condped importance sqlite:///study.db --study tuning
    condped importance smac3_output/svm
    condped importance 'runs/*.parquet' -o accuracy -d maximize --space space.json --json
    """  # noqa: D301
    form = form_of(options, source)
    with progress_bar():  # wiped before the result is printed
        result = condped.importance(source, **given(options))
    show(result, form)
