"""``condped compare``."""

from __future__ import annotations

from typing import Any

import click

import condped
from condped.cli.options import source_options, target_quantile_option
from condped.cli.output import answer, output_options


@click.command("compare")
@source_options(condped.compare)
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
@output_options()
def command(source: str, **options: Any) -> None:
    """Compare with the importances of other methods.

    SOURCE is a file, a directory, a pattern or a URL of any tool that `condped sources` lists.
    condped's own methods stand beside PED-ANOVA, f-ANOVA, MDI and SHAP, which know no conditions:
    where a parameter is absent they are given fewer trials (filtering) or made-up values
    (imputation).

    \b
    condped compare sqlite:///study.db --study tuning
    condped compare results.csv --objective loss --space space.json
    condped compare results.csv --objective loss --method paper --method shap/imputation --csv
    """  # noqa: D301
    answer(condped.compare, source, **options)
