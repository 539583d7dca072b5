"""``condped advise``."""

from __future__ import annotations

import json
from typing import Any

import click

import condped
from condped.cli.options import analysis_options, given, target_quantile_option
from condped.cli.output import form_of, show
from condped.cli.progress import progress_bar
from condped.errors import SettingsError


@click.command("advise")
@analysis_options
@target_quantile_option
@click.option("--optuna", "as_code", is_flag=True, help="Print only the code for Optuna.")
@click.option("--new-space", "as_space", is_flag=True, help="Print only the new space, as JSON.")
def command(source: str, as_code: bool, as_space: bool, **options: Any) -> None:
    """Suggest a narrower search space.

    Conservative: what shows no evidence of an effect is left alone. SOURCE is a file, a directory,
    a pattern or a URL of any tool that `condped sources` lists.

    \b
    condped advise results.csv --objective loss --space space.json
    condped advise sqlite:///study.db --study tuning --optuna
    condped advise results.csv -o loss --new-space > space.json
    """  # noqa: D301
    form = form_of(options, source)
    if as_code + as_space + (not form.text) > 1:
        raise SettingsError("Give only one of --json, --csv, --parquet, --optuna and --new-space.")
    with progress_bar():  # wiped before the result is printed
        advice = condped.advise(source, **given(options))
    if as_code:
        click.echo(advice.optuna_code())
    elif as_space:
        space = advice.space.to_dict()
        click.echo(json.dumps(space, indent=2, ensure_ascii=False, default=str))
    else:
        show(advice, form)
