"""``condped compare``."""

from __future__ import annotations

from typing import Any

import click

import condped
from condped.cli.options import comparison_options, given, target_quantile_option
from condped.cli.output import form_of, show
from condped.cli.progress import progress_bar


@click.command("compare")
@comparison_options
@target_quantile_option
@click.option(
    "-m",
    "--method",
    "methods",
    multiple=True,
    metavar="NAME",
    help="Ask this method only; repeatable: paper, calibrated, ped-anova, f-anova, mdi, shap, or "
    "one of the last four with /filtering or /imputation.  [default: all]",
)
@click.option("--trees", type=int, default=64, show_default=True, help="Trees of a forest.")
@click.option("--max-depth", type=int, default=64, show_default=True, help="Depth of its trees.")
@click.option("--seed", type=int, default=0, show_default=True, help="Fixes the forests.")
def command(source: str, **options: Any) -> None:
    """Tell what other methods would have said.

    SOURCE is a file, a directory, a pattern or a URL of any tool that `condped sources` lists.
    condped's own methods stand beside PED-ANOVA, f-ANOVA, MDI and SHAP, which know no conditions:
    where a parameter is absent they are given fewer trials (filtering) or made-up values
    (imputation).

    \b
    condped compare sqlite:///study.db --study tuning
    condped compare results.csv --objective loss --space space.json
    condped compare results.csv --objective loss --method paper --method shap/imputation --csv
    """  # noqa: D301
    form = form_of(options, source)
    with progress_bar():  # wiped before the result is printed
        told = condped.compare(source, **given(options))
    show(told, form)
