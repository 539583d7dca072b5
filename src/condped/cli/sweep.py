"""``condped sweep``."""

from __future__ import annotations

from typing import Any

import click

import condped
from condped.cli.options import source_options
from condped.cli.output import answer, output_options


@click.command("sweep")
@source_options(condped.sweep)
@output_options()
def command(source: str, **options: Any) -> None:
    """Show how the importances change with the target quantile, from 0.01 up.

    SOURCE is a file, a directory, a pattern or a URL of any tool that `condped sources` lists. In
    tables there is one row per trial, and an empty cell means that the parameter was inactive.

    \b
    condped sweep sqlite:///study.db --study tuning
    condped sweep results.csv --objective loss --space space.json
    condped sweep results.csv --objective loss --csv > curves.csv
    """  # noqa: D301
    answer(condped.sweep, source, **options)
