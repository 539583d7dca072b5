"""``condped importance``."""

from __future__ import annotations

from typing import Any

import click

import condped
from condped.cli.options import source_options, target_option, target_quantile_option
from condped.cli.output import answer, output_options


@click.command("importance")
@source_options(condped.importance)
@target_quantile_option
@target_option
@output_options()
def command(source: str, **options: Any) -> None:
    """Estimate which parameters mattered for reaching the best trials.

    SOURCE is a file, a directory, a pattern or a URL of any tool that `condped sources` lists. In
    tables there is one row per trial, and an empty cell means that the parameter was inactive.

    \b
    condped importance results.csv --objective loss
    condped importance sqlite:///study.db --study tuning
    condped importance smac3_output/svm
    condped importance 'runs/*.parquet' --objective accuracy -d maximize --space space.json --json
    """  # noqa: D301
    answer(condped.importance, source, **options)
