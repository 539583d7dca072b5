"""The command that serves agents."""

from __future__ import annotations

from typing import Any

import click

import condped
from condped.cli.completion import files
from condped.cli.options import CommandWithoutRepeats, given, server_options, source_options
from condped.errors import SettingsError
from condped.optional import load_optional


@click.command("mcp", cls=CommandWithoutRepeats)
@source_options(
    condped.importance,
    click.argument(
        "sources", nargs=-1, required=True, metavar="[NAME=]SOURCE...", shell_complete=files
    ),
    repeatable={
        "study": "Studies that agents may ask about, by names or patterns such as 'xgb-*'; all if "
        "not given; repeatable."
    },
    without=("engine", "looks"),
)
@click.option("--http", is_flag=True, help="Serve over HTTP instead of standard input and output.")
@server_options(
    port=8766,
    token="Token that clients send as Authorization: Bearer TEXT; generated and printed if needed "
    "and not given.",
)
@click.pass_context
def mcp(
    context: click.Context,
    /,
    *,
    sources: tuple[str, ...],
    http: bool,
    host: str,
    port: int,
    token: str | None,
    allow_hosts: tuple[str, ...],
    study: tuple[str, ...],
    **options: Any,
) -> None:
    """Let agents ask about studies over the Model Context Protocol.

    Read-only tools: list_studies, importance, effects, branches, advise, forecast, report, across
    and difference. They give access to the given SOURCEs only, and show just their names: NAME, or
    the last part of the path or URL. Options apply to all studies.

    \b
    condped mcp sqlite:///study.db
    condped mcp tuning=postgresql://user:password@host/optuna --study 'xgb-*'
    condped mcp results.csv --objective loss
    condped mcp sqlite:///study.db --http --port 8766
    """  # noqa: D301
    if not http:
        for name in ("host", "port", "token", "allow_hosts"):
            if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
                shown = name.replace("_hosts", "-host")
                raise SettingsError(f"--{shown} applies only to HTTP. Add --http, or leave it out.")
    # The library itself first, since uvicorn comes with it.
    load_optional("mcp", feature="condped mcp", library="mcp", extra="mcp")
    run = load_optional(
        "condped.live.agents.run", feature="condped mcp", library="uvicorn", extra="mcp"
    )
    desk = run.Desk(sources, study, **given(options))
    if not http:
        run.run_stdio(desk)
        return
    run.run_http(
        desk, host=host, port=port, token=token, allow_hosts=allow_hosts, announce=_announce
    )


def _announce(address: str, token: str | None) -> None:
    click.echo(f"Serving agents at {address} (Ctrl-C to stop).", err=True)
    if token is not None:
        click.echo(f"Clients send the header Authorization: Bearer {token}", err=True)
