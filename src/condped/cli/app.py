"""The application: its commands, its version, and how errors end."""

from __future__ import annotations

import sys

import click

import condped
from condped.cli import (
    advise,
    branches,
    compare,
    completion,
    demo,
    importance,
    report,
    sources,
    sweep,
)
from condped.errors import CondpedError


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 done, also where nothing can be told; 1 interrupted; 2 wrong input or "
    "options. Forms of output and their fields are in docs/output.md.",
)
@click.version_option(condped.__version__, prog_name="condped", message="%(prog)s %(version)s")
def app() -> None:
    """Tell which hyperparameters mattered, for conditional search spaces."""


app.add_command(importance.command)
app.add_command(sweep.command)
app.add_command(compare.command)
app.add_command(branches.command)
app.add_command(advise.command)
app.add_command(report.command)
app.add_command(sources.command)
app.add_command(demo.command)
app.add_command(completion.command)


def main() -> None:
    """Run the command line; what a user did wrong ends in one line and exit code 2."""
    # Tables hold characters such as η² and █, which not every console's encoding has.
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.reconfigure(errors="replace")
    try:
        app(prog_name="condped")
    except CondpedError as error:
        click.echo(f"condped: {error}", err=True)
        sys.exit(2)
    except OSError as error:
        # A full disk, a folder that cannot be made. (click itself ends quietly on a closed pipe.)
        where = f" {error.filename!r}" if error.filename else ""
        click.echo(f"condped: no access to{where or ' a file'}: {error.strerror}.", err=True)
        sys.exit(2)
