"""``condped branches``."""

from __future__ import annotations

from typing import Any

import click

import condped
from condped.cli.options import analysis_options, given, target_quantile_option
from condped.cli.output import form_of, show
from condped.cli.progress import progress_bar


@click.command("branches")
@analysis_options
@target_quantile_option
def command(source: str, **options: Any) -> None:
    """Tell which parameter switches which, and what matters inside each branch.

    Conditions are taken from the space where there is one, and found from the trials otherwise.
    SOURCE is a file, a directory, a pattern or a URL of any tool that `condped sources` lists.

    \b
    condped branches results.csv --objective loss
    condped branches sqlite:///study.db --study tuning
    condped branches results.csv -o loss --where "model == 'svm'" --json
    """  # noqa: D301
    form = form_of(options, source)
    with progress_bar():  # wiped before the result is printed
        found = condped.branches(source, **given(options))
    show(found, form)
