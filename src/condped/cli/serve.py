"""``condped serve``: running studies in the browser."""

from __future__ import annotations

import logging
import sys
import threading
import webbrowser
from typing import Any

import click

import condped
from condped.cli.completion import files
from condped.cli.options import (
    CommandWithoutRepeats,
    every,
    given,
    server_options,
    source_options,
    target,
    target_quantile,
)
from condped.cli.tell import on_terminal
from condped.optional import load_optional


@click.command("serve", cls=CommandWithoutRepeats)
@source_options(
    condped.report,
    click.argument("sources", nargs=-1, required=True, metavar="SOURCE...", shell_complete=files),
    repeatable={
        "study": "Studies to show, by names or patterns such as 'xgb-*'; all if not given; "
        "repeatable."
    },
    without=("engine", "looks"),
)
@target_quantile
@target
@server_options(
    port=8765,
    token="Token that viewers need; generated at each start if needed and not given.",
)
@click.option(
    "--open/--no-open", "opened", default=None,
    help="Open a browser.  [default: on a terminal, if only this machine is served]",
)  # fmt: skip
@every
def serve(
    *,
    sources: tuple[str, ...],
    opened: bool | None,
    host: str,
    port: int,
    token: str | None,
    allow_hosts: tuple[str, ...],
    every: float,
    **options: Any,
) -> None:
    """Show running studies in the browser, on pages that update themselves.

    Each SOURCE is a file, directory, quoted pattern or URL of any tool that `condped sources`
    lists; from a storage, all studies are shown. The numbers are updated with every finished trial;
    verdicts come from scheduled looks, so that repeated looking raises no false alarms, and say as
    of which trial they hold. Nothing is ever written. Ctrl-C stops the server.

    \b
    condped serve sqlite:///study.db
    condped serve journal.log 'runs/*.csv' --objective loss
    condped serve postgresql://user@host/studies --study 'xgb-*' --host 0.0.0.0
    """  # noqa: D301
    module = load_optional(
        "condped.live.serve.run", feature="condped serve", library="starlette and uvicorn",
        extra="serve",
    )  # fmt: skip
    _log_to_stderr()

    def announce(address: Any) -> None:
        many = f"{address.studies} studies" if address.studies != 1 else "1 study"
        click.echo(f"Serving {many} at {address.url}")
        click.echo("Ctrl-C to stop.", err=True)
        local = not address.token and on_terminal()
        if opened or (opened is None and local):
            # It may block for a while, in which the server should already respond.
            threading.Thread(target=webbrowser.open, args=(address.url,), daemon=True).start()

    module.serve(
        sources, given(options), host=host, port=port, token=token, allow_hosts=allow_hosts,
        every=every, announce=announce,
    )  # fmt: skip
    click.echo("Stopped.", err=True)


def _log_to_stderr() -> None:
    """Show refusals and problems, one line each."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("condped: %(asctime)s %(message)s", "%H:%M:%S"))
    for name in ("condped.live", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.setLevel(logging.WARNING)
        logger.propagate = False
        logger.handlers[:] = [handler]
