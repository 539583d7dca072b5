"""``condped sweep``."""

from __future__ import annotations

from typing import Any

import click

import condped
from condped.cli.options import analysis_options, given, show


@click.command("sweep")
@analysis_options
def command(source: str, as_json: bool, as_csv: bool, **options: Any) -> None:
    """Tell how the importances change with the target quantile, from 0.01 up.

    SOURCE is a CSV or Parquet file with one row per trial (an empty cell means that the
    parameter was inactive), or an Optuna study in SQLite, such as sqlite:///study.db.

    \b
    condped sweep results.csv --objective loss --space space.json
    condped sweep results.csv --objective loss --csv > curves.csv
    """  # noqa: D301
    curve = condped.sweep(source, **given(options))
    show(str(curve), curve.to_data(), curve.rows(), curve.columns, as_json=as_json, as_csv=as_csv)
