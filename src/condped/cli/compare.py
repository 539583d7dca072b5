"""``condped compare``."""

from __future__ import annotations

from typing import Any

import click

import condped
from condped.cli.options import comparison_options, given, show
from condped.cli.progress import progress_bar


@click.command("compare")
@comparison_options
@click.option(
    "-q",
    "--target-quantile",
    type=float,
    default=0.1,
    show_default=True,
    help="γ': the best trials of this share are the target.",
)
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
def command(source: str, as_json: bool, as_csv: bool, **options: Any) -> None:
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
    with progress_bar():  # wiped before the result is printed
        told = condped.compare(source, **given(options))
    show(str(told), told.to_data(), told.rows(), told.columns, as_json=as_json, as_csv=as_csv)
