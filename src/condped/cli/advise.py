"""``condped advise``."""

from __future__ import annotations

import json
from typing import Any

import click

import condped
from condped.cli.options import source_options, target_quantile_option
from condped.cli.output import answer, output_options
from condped.errors import SettingsError


@click.command("advise")
@source_options(condped.advise)
@target_quantile_option
@click.option("--optuna", "as_code", is_flag=True, help="Print only the code for Optuna.")
@click.option("--new-space", "as_space", is_flag=True, help="Print only the new space, as JSON.")
@output_options()
def command(source: str, as_code: bool, as_space: bool, **options: Any) -> None:
    """Suggest a narrower search space.

    Conservative: what shows no evidence of an effect is left alone. SOURCE is a file, a directory,
    a pattern or a URL of any tool that `condped sources` lists.

    \b
    condped advise results.csv --objective loss --space space.json
    condped advise sqlite:///study.db --study tuning --optuna
    condped advise results.csv --objective loss --new-space > space.json
    """  # noqa: D301
    if as_code and as_space:
        raise SettingsError("Give only one of --optuna and --new-space.")
    show = _code if as_code else _new_space if as_space else None
    answer(condped.advise, source, show=show, **options)


def _code(advice: condped.Advice) -> str:
    return advice.optuna_code()


def _new_space(advice: condped.Advice) -> str:
    return json.dumps(advice.space.to_dict(), indent=2, ensure_ascii=False, default=str)
